// Constraints and indexes of a store on Neo4j, in schema 1. Every statement may be run again.
//
// A server often has one database for everybody, and `Document` or `Entity` are common names. So
// every node of ours carries the label `Ragspine` beside its own, and what is here, like every
// delete, is about labels that begin with `Ragspine` alone.
//
//   (:Ragspine:Document)-[:PARENT_OF]->(:Ragspine:Section)-[:PARENT_OF]->…->(:Ragspine:Child)
//
// `id` opens with what a node is: `document:rules.md`, `section:rules.md#s2`, `child:rules.md#c3`,
// `entity:…`, `meta:schema`. A child that may be found is `RagspineSearchable` too and has its index
// tokens in `tok`; one that is RESTRICTED has neither.
//
// A later schema adds statements here and raises the number kept as `meta:schema`; a store of a
// higher number is refused.

// name: schema_node_id
// mode: write
// summary: No two nodes have the same id, and nodes are found by it.
// returns: nothing
CREATE CONSTRAINT ragspine_node_id IF NOT EXISTS
FOR (n:Ragspine) REQUIRE n.id IS UNIQUE;

// name: schema_doc_id
// mode: write
// summary: What belongs to a document is found by the document's id.
// returns: nothing
CREATE RANGE INDEX ragspine_doc_id IF NOT EXISTS
FOR (n:Ragspine) ON (n.doc_id);

// name: schema_parent_id
// mode: write
// summary: Children are found by the id of their parent.
// returns: nothing
CREATE RANGE INDEX ragspine_parent_id IF NOT EXISTS
FOR (n:Ragspine) ON (n.parent_id);

// name: schema_source_path
// mode: write
// summary: Documents are found by their file.
// returns: nothing
CREATE RANGE INDEX ragspine_source_path IF NOT EXISTS
FOR (n:Ragspine) ON (n.source_path);

// name: schema_tokens
// mode: write
// summary: Children are found by their tokens, which are made in Python and parted by spaces.
// returns: nothing
CREATE FULLTEXT INDEX ragspine_tokens IF NOT EXISTS
FOR (n:RagspineSearchable) ON EACH [n.tok]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};

// name: schema_vectors
// mode: write
// summary: Children are found by their vector; only where vectors of a known length are used.
// param dimensions: INTEGER - length of every vector
// returns: nothing
CREATE VECTOR INDEX ragspine_vectors IF NOT EXISTS
FOR (n:RagspineSearchable) ON (n.vector)
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}};
