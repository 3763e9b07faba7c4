// Constraints and indexes of a store on Neo4j, in schema 3. Every statement may be run again.
//
// A server often has one database for everybody, and `Document` or `Entity` are common names. So
// every node of ours carries the label `Ragspine` beside its own, and what is here, like every
// delete, is about labels that begin with `Ragspine` alone.
//
//   (:Ragspine:Document)-[:PARENT_OF]->(:Ragspine:Section)-[:PARENT_OF]->…->(:Ragspine:Child)
//
// `id` opens with what a node is: `document:rules.md`, `section:rules.md#s2`, `child:rules.md#c3`,
// `entity:…`, `meta:schema`. A child that may be found is `RagspineSearchable` too and has its index
// tokens in `tok` and, in `lead`, the first characters of those in Chinese, Japanese or Korean; one
// that is RESTRICTED has none of these. A vector is a node of its own, `RagspineVector`, which nothing
// RESTRICTED has: see `vectors.cypher`.
//
// A later schema adds statements here and raises the number kept as `meta:schema`. A store of a lower
// number is brought to it by running them all, one of a higher number is refused.

// name: schema_node_id
// mode: write
// summary: No two nodes have the same id, and nodes are found by it.
// returns: nothing
CREATE CONSTRAINT ragspine_node_id IF NOT EXISTS
FOR (n:Ragspine) REQUIRE n.id IS UNIQUE;

// name: schema_parts
// mode: write
// summary: The sections and branches of a document are found by their number in it.
// returns: nothing
CREATE RANGE INDEX ragspine_parts IF NOT EXISTS
FOR (n:Ragspine) ON (n.doc_id, n.no);

// name: schema_hit_key
// mode: write
// summary: Children are found by the key of a hit; those of one document have keys in a row.
// returns: nothing
CREATE RANGE INDEX ragspine_hit_key IF NOT EXISTS
FOR (n:Ragspine) ON (n.hit_key);

// name: schema_labels
// mode: write
// summary: Parts of a document that are labelled otherwise than it are found by label and place.
// returns: nothing
CREATE RANGE INDEX ragspine_labels IF NOT EXISTS
FOR (n:Ragspine) ON (n.doc_id, n.sensitivity, n.span_start);

// name: schema_drop_places
// mode: write
// summary: Removes an index of schema 1 that nothing asks any more.
// returns: nothing
DROP INDEX ragspine_places IF EXISTS;

// name: schema_source_path
// mode: write
// summary: Documents are found by their file.
// returns: nothing
CREATE RANGE INDEX ragspine_source_path IF NOT EXISTS
FOR (n:Ragspine) ON (n.source_path);

// name: schema_content_hash
// mode: write
// summary: Documents and stubs are found by the hash of their file's bytes, to see where it went.
// returns: nothing
CREATE RANGE INDEX ragspine_content_hash IF NOT EXISTS
FOR (n:Ragspine) ON (n.content_hash);

// name: schema_tokens
// mode: write
// summary: Children are found by their tokens, which are made in Python and parted by spaces.
// returns: nothing
CREATE FULLTEXT INDEX ragspine_tokens IF NOT EXISTS
FOR (n:RagspineSearchable) ON EACH [n.tok, n.lead]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};

// name: schema_vector_texts
// mode: write
// summary: Vectors of a model are found by the hash of their text.
// returns: nothing
CREATE RANGE INDEX ragspine_vector_texts IF NOT EXISTS
FOR (n:RagspineVector) ON (n.model, n.text_hash);

// name: schema_child_vectors
// mode: write
// summary: Vectors of children are found by what they are near to, those of each length apart.
// returns: nothing
CREATE VECTOR INDEX ragspine_child_vectors IF NOT EXISTS
FOR (n:RagspineVector) ON (n.child_vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

// name: schema_parent_vectors
// mode: write
// summary: Vectors of parents are found by what they are near to, those of each length apart.
// returns: nothing
CREATE VECTOR INDEX ragspine_parent_vectors IF NOT EXISTS
FOR (n:RagspineVector) ON (n.parent_vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

// The relation graph. `RagspineDerived` is whatever was made of a document's text and goes with it.

// name: schema_derived_doc_id
// mode: write
// summary: What was made of a document is found by the document's id.
// returns: nothing
CREATE RANGE INDEX ragspine_derived_doc_id IF NOT EXISTS
FOR (n:RagspineDerived) ON (n.doc_id);

// name: schema_derived_doc_id_address
// mode: write
// summary: References and parts are found by document and address.
// returns: nothing
CREATE RANGE INDEX ragspine_derived_doc_id_address IF NOT EXISTS
FOR (n:RagspineDerived) ON (n.doc_id, n.address);

// name: schema_derived_title
// mode: write
// summary: References and what answers to them are found by title.
// returns: nothing
CREATE RANGE INDEX ragspine_derived_title IF NOT EXISTS
FOR (n:RagspineDerived) ON (n.title);

// name: schema_derived_address
// mode: write
// summary: Parts are found by what they are referred to as.
// returns: nothing
CREATE RANGE INDEX ragspine_derived_address IF NOT EXISTS
FOR (n:RagspineDerived) ON (n.address);

// name: schema_derived_node
// mode: write
// summary: What a part is referred to as is found by the part's id.
// returns: nothing
CREATE RANGE INDEX ragspine_derived_node IF NOT EXISTS
FOR (n:RagspineDerived) ON (n.node);

// name: schema_edge_hash
// mode: write
// summary: The verdicts on an edge are found by its keyed hash.
// returns: nothing
CREATE RANGE INDEX ragspine_edge_hash IF NOT EXISTS
FOR (n:Ragspine) ON (n.edge_hash);

// name: schema_folded
// mode: write
// summary: Sections and entities are found by their folded heading or name.
// returns: nothing
CREATE RANGE INDEX ragspine_folded IF NOT EXISTS
FOR (n:Ragspine) ON (n.folded);

// name: schema_entity_parent_of_edge_id
// mode: write
// summary: Places of type ENTITY_PARENT_OF are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_entity_parent_of_edge_id IF NOT EXISTS
FOR ()-[r:ENTITY_PARENT_OF]-() ON (r.edge_id);

// name: schema_entity_parent_of_doc_id
// mode: write
// summary: Places of type ENTITY_PARENT_OF are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_entity_parent_of_doc_id IF NOT EXISTS
FOR ()-[r:ENTITY_PARENT_OF]-() ON (r.doc_id);

// name: schema_derives_edge_id
// mode: write
// summary: Places of type DERIVES are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_derives_edge_id IF NOT EXISTS
FOR ()-[r:DERIVES]-() ON (r.edge_id);

// name: schema_derives_doc_id
// mode: write
// summary: Places of type DERIVES are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_derives_doc_id IF NOT EXISTS
FOR ()-[r:DERIVES]-() ON (r.doc_id);

// name: schema_competes_with_edge_id
// mode: write
// summary: Places of type COMPETES_WITH are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_competes_with_edge_id IF NOT EXISTS
FOR ()-[r:COMPETES_WITH]-() ON (r.edge_id);

// name: schema_competes_with_doc_id
// mode: write
// summary: Places of type COMPETES_WITH are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_competes_with_doc_id IF NOT EXISTS
FOR ()-[r:COMPETES_WITH]-() ON (r.doc_id);

// name: schema_mentions_edge_id
// mode: write
// summary: Places of type MENTIONS are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_mentions_edge_id IF NOT EXISTS
FOR ()-[r:MENTIONS]-() ON (r.edge_id);

// name: schema_mentions_doc_id
// mode: write
// summary: Places of type MENTIONS are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_mentions_doc_id IF NOT EXISTS
FOR ()-[r:MENTIONS]-() ON (r.doc_id);

// name: schema_co_occurs_with_edge_id
// mode: write
// summary: Places of type CO_OCCURS_WITH are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_co_occurs_with_edge_id IF NOT EXISTS
FOR ()-[r:CO_OCCURS_WITH]-() ON (r.edge_id);

// name: schema_co_occurs_with_doc_id
// mode: write
// summary: Places of type CO_OCCURS_WITH are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_co_occurs_with_doc_id IF NOT EXISTS
FOR ()-[r:CO_OCCURS_WITH]-() ON (r.doc_id);

// name: schema_rule_relation_edge_id
// mode: write
// summary: Places of type RULE_RELATION are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_rule_relation_edge_id IF NOT EXISTS
FOR ()-[r:RULE_RELATION]-() ON (r.edge_id);

// name: schema_rule_relation_doc_id
// mode: write
// summary: Places of type RULE_RELATION are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_rule_relation_doc_id IF NOT EXISTS
FOR ()-[r:RULE_RELATION]-() ON (r.doc_id);

// name: schema_model_relation_edge_id
// mode: write
// summary: Places of type MODEL_RELATION are found by the edge that they state.
// returns: nothing
CREATE RANGE INDEX ragspine_model_relation_edge_id IF NOT EXISTS
FOR ()-[r:MODEL_RELATION]-() ON (r.edge_id);

// name: schema_model_relation_doc_id
// mode: write
// summary: Places of type MODEL_RELATION are found by their document.
// returns: nothing
CREATE RANGE INDEX ragspine_model_relation_doc_id IF NOT EXISTS
FOR ()-[r:MODEL_RELATION]-() ON (r.doc_id);

// name: schema_model_relation_answer
// mode: write
// summary: What a model's answer came to is found by the child it was about.
// returns: nothing
CREATE RANGE INDEX ragspine_model_relation_answer IF NOT EXISTS
FOR ()-[r:MODEL_RELATION]-() ON (r.doc_id, r.seq);

// name: schema_model_relation_edge_hash
// mode: write
// summary: Edges of models are found by the hash that the log of verdicts names them by.
// returns: nothing
CREATE RANGE INDEX ragspine_model_relation_edge_hash IF NOT EXISTS
FOR ()-[r:MODEL_RELATION]-() ON (r.edge_hash);
