// Documents are written here: rows in batches, made in Python; `doc_id` says whose they are.
//
//   (:Document)-[:PARENT_OF {order, level}]->(:Section)-[:PARENT_OF {order, level}]->(:Child)
//   (:Document)-[:HAS_TEXT]->(:Text)                  the canonical text in pieces
//   (:Child)-[:MERGES_INTO]->(:Branch)-[:MERGES_INTO]->(:Branch)   the tree that hits are merged in
//
// A document is its own section 0: `heading`, `span_end`, `own_end`, `own_label`, `root_label` (in
// force) and `is_erased` are those of it. One from before the record, copied from a file, has no
// `own_end`, no sections, and children without spans.

// name: find_document_state
// mode: read
// summary: Gives what is known of a document and how strict its parts are.
// param doc_id: STRING
// returns: document, labels
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
WITH d, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] AS levels
RETURN d {.sensitivity, .fingerprint, .source_path, .version, .chunker, .is_stated,
  .collection} AS document,
  [label IN [d.own_label] WHERE label <> '']
  + COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.own_label <> ''
    RETURN DISTINCT s.own_label
  }
  + COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
      AND (c.own_label <> '' OR c.sensitivity <> levels[c.clearance])
    UNWIND [c.own_label, CASE WHEN c.sensitivity <> levels[c.clearance] THEN c.sensitivity END]
      AS label
    WITH label WHERE label <> ''
    RETURN DISTINCT label
  } AS labels;

// name: find_id_of_file
// mode: read
// summary: Gives under which id other than this one a file is kept.
// param source_path: STRING
// param doc_id: STRING
// returns: doc_id
MATCH (d:Ragspine:Document {source_path: $source_path})
  USING INDEX SEEK d:Ragspine(source_path)
WHERE d.doc_id <> $doc_id
RETURN d.doc_id AS doc_id
ORDER BY doc_id LIMIT 1;

// name: create_document
// mode: write
// summary: Writes a document's own node, with the first of its texts and sections.
// param id: STRING
// param properties: MAP
// param texts: LIST<MAP> = []
// param sections: LIST<MAP> = [] - parents before what stands under them
// returns: nothing
CREATE (d:Ragspine:Document {id: $id})
SET d += $properties
FOREACH (row IN $texts | CREATE (d)-[:HAS_TEXT]->(:Ragspine:Text {
  id: row.id, doc_id: d.doc_id, text_start: row.start, text_end: row.end, text: row.text
}))
FOREACH (row IN $sections | CREATE (s:Ragspine:Section {id: row.id}) SET s += row.properties)
WITH d
UNWIND $sections AS row
MATCH (parent:Ragspine {id: row.parent})
  USING INDEX SEEK parent:Ragspine(id)
MATCH (s:Ragspine {id: row.id})
  USING INDEX SEEK s:Ragspine(id)
CREATE (parent)-[:PARENT_OF {order: row.order, level: row.level}]->(s);

// name: create_texts
// mode: write
// summary: Writes pieces of a document's canonical text.
// param doc_id: STRING
// param rows: LIST<MAP>
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
UNWIND $rows AS row
CREATE (d)-[:HAS_TEXT]->(:Ragspine:Text {
  id: row.id, doc_id: $doc_id, text_start: row.start, text_end: row.end, text: row.text
});

// name: create_sections
// mode: write
// summary: Writes sections of a document, parents before what stands under them.
// param rows: LIST<MAP>
// returns: nothing
UNWIND $rows AS row
CREATE (s:Ragspine:Section {id: row.id})
SET s += row.properties;

// name: link_sections
// mode: write
// summary: Hangs sections below the sections or documents they stand under.
// param rows: LIST<MAP>
// returns: nothing
UNWIND $rows AS row
MATCH (parent:Ragspine {id: row.parent})
  USING INDEX SEEK parent:Ragspine(id)
MATCH (s:Ragspine {id: row.id})
  USING INDEX SEEK s:Ragspine(id)
CREATE (parent)-[:PARENT_OF {order: row.order, level: row.level}]->(s);

// name: create_branches
// mode: write
// summary: Writes nodes of the tree that a document's children are merged in.
// param rows: LIST<MAP>
// returns: nothing
UNWIND $rows AS row
CREATE (b:Ragspine:Branch {id: row.id})
SET b += row.properties;

// name: link_branches
// mode: write
// summary: Hangs nodes of the tree below one another.
// param rows: LIST<MAP>
// returns: nothing
UNWIND $rows AS row
MATCH (above:Ragspine {id: row.above})
  USING INDEX SEEK above:Ragspine(id)
MATCH (b:Ragspine {id: row.id})
  USING INDEX SEEK b:Ragspine(id)
CREATE (b)-[:MERGES_INTO]->(above);

// name: create_children
// mode: write
// summary: Writes children of a document below their sections and branches, and makes them found.
// param rows: LIST<MAP> - `tokens` is a list of one map, or empty for what may not be found
// param shared: MAP - properties that all of them have
// returns: nothing
UNWIND $rows AS row
MATCH (parent:Ragspine {id: row.parent})
  USING INDEX SEEK parent:Ragspine(id)
OPTIONAL MATCH (branch:Ragspine {id: row.branch})
  USING INDEX SEEK branch:Ragspine(id)
CREATE (parent)-[:PARENT_OF {order: row.order, level: row.level}]->(c:Ragspine:Child {id: row.id})
SET c += $shared, c += row.properties
FOREACH (found IN row.tokens | SET c:RagspineSearchable, c += found)
FOREACH (b IN CASE WHEN branch IS NULL THEN [] ELSE [branch] END | CREATE (c)-[:MERGES_INTO]->(b));

// name: delete_document
// mode: write
// summary: Removes a document and all that belongs to it.
// param doc_id: STRING
// returns: nothing
CALL () {
  // Before the children that they are found by.
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
    USING INDEX SEEK d:Ragspine(id)
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
  MATCH (c)<-[:VECTOR_OF]-(n:RagspineVector)
  RETURN DISTINCT n
  UNION ALL
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})-[:HAS_TEXT]->(n:Ragspine)
    USING INDEX SEEK d:Ragspine(id)
  RETURN n
  UNION ALL
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
    USING INDEX SEEK d:Ragspine(id)
  MATCH (n:Ragspine:Child)
    USING INDEX SEEK n:Ragspine(hit_key)
  WHERE n.hit_key >= d.first_key AND n.hit_key < d.first_key + d.children
  RETURN n
  UNION ALL
  MATCH (n:Ragspine)
    USING INDEX SEEK n:Ragspine(doc_id, no)
  WHERE n.doc_id = $doc_id AND n.no IS NOT NULL AND (n:Document OR n:Section OR n:Branch)
  RETURN n
}
DETACH DELETE n;

// name: read_text
// mode: read
// summary: Gives the canonical text of a document in pieces, in order.
// param doc_id: STRING
// returns: text
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})-[:HAS_TEXT]->(t:Ragspine)
  USING INDEX SEEK d:Ragspine(id)
RETURN t.text AS text ORDER BY t.text_start;

// name: delete_texts
// mode: write
// summary: Removes the canonical text of a document.
// param doc_id: STRING
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})-[:HAS_TEXT]->(t:Ragspine)
  USING INDEX SEEK d:Ragspine(id)
DETACH DELETE t;

// name: set_document
// mode: write
// summary: Changes properties of a document's own node.
// param doc_id: STRING
// param properties: MAP
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
SET d += $properties;
