"""The store on a Neo4j server; the only package that imports `neo4j`."""
