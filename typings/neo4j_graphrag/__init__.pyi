"""What `benchmarks.neo4j_peers` calls of the peer, so that types are checked without it."""
