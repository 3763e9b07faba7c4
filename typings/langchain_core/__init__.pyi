"""What `benchmarks.neo4j_peers` calls of the peer's base, so that types are checked without it."""
