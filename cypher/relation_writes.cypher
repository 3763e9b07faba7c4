// How the relation graph is written. Each query does one thing to rows that Python has made and put in
// order; the types of relationships come from a fixed table, never from a document or a model.
//
// Beside what docs/graph-scheme.md describes, a place keeps by whom it is given anew (`origin`:
// profile, rules or model, of whose answer about child `seq` it is), which children and which span it
// stands in, `floor`, the clearance that the text of a stale one had last, and `is_judged`, whether
// the last verdict knew of it. A `MissingDocument` is a document that an edge names and that is not in
// the store.

// name: read_target
// mode: read
// summary: Gives what relations of a document may rest on.
// param doc_id: STRING
// param first: INTEGER - first child that is asked about
// param last: INTEGER - last child that is asked about
// returns: document, children, strict
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
RETURN d {.sensitivity, .version, .collection, .root_label, .span_end} AS document,
  COLLECT {
    MATCH (c:Ragspine:Child)
    WHERE d.first_key + $first <= c.hit_key <= d.first_key + $last
      AND c.hit_key < d.first_key + d.children
    RETURN [c.seq, c.span_start, c.span_end, c.clearance, c.sensitivity] ORDER BY c.hit_key
  } AS children,
  COLLECT {
    MATCH (s:Ragspine:Section)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
    RETURN [s.no, s.span_start, s.span_end, s.sensitivity] ORDER BY s.no
  } AS strict;

// name: merge_ends
// mode: write
// summary: Makes the nodes at the ends of edges that are not there yet, and shows them as given.
// param rows: LIST<MAP> - `id`, `label`, `properties` of a new one, and those that it is `shown` by
// returns: nothing
UNWIND $rows AS row
MERGE (n:Ragspine {id: row.id})
ON CREATE SET n += row.properties, n.is_new = true
FOREACH (_ IN CASE WHEN n.is_new AND row.label = 'Entity' THEN [1] ELSE [] END | SET n:Entity)
FOREACH (_ IN CASE WHEN n.is_new AND row.label = 'Term' THEN [1] ELSE [] END |
  SET n:Entity:RagspineDerived)
FOREACH (_ IN CASE WHEN n.is_new AND row.label = 'MissingDocument' THEN [1] ELSE [] END |
  SET n:MissingDocument)
SET n += row.shown
REMOVE n.is_new;

// name: create_places
// mode: write
// summary: Writes places that state edges; those whose ends are not there are left out.
// param rows: LIST<MAP> - `source`, `target`, `type` and `properties`
// returns: nothing
UNWIND $rows AS row
MATCH (source:Ragspine {id: row.source})
MATCH (target:Ragspine {id: row.target})
CREATE (source)-[r:$(row.type)]->(target)
SET r = row.properties;

// name: create_titles
// mode: write
// summary: Writes under which titles a document is referred to.
// param doc_id: STRING
// param titles: LIST<STRING>
// returns: nothing
UNWIND $titles AS title
CREATE (:Ragspine:RagspineDerived:Title {doc_id: $doc_id, title: title});

// name: create_addresses
// mode: write
// summary: Writes what parts of a document are referred to as.
// param doc_id: STRING
// param rows: LIST<MAP> - `address`, `position` and `node`
// returns: nothing
UNWIND $rows AS row
CREATE (a:Ragspine:RagspineDerived:Address {doc_id: $doc_id})
SET a += row;

// name: create_references
// mode: write
// summary: Writes references; those of parts that are not there are left out.
// param rows: LIST<MAP> - `source` and `properties`
// returns: nothing
UNWIND $rows AS row
MATCH (source:Ragspine {id: row.source})
CREATE (source)-[:HAS_REFERENCE]->(f:Ragspine:RagspineDerived:Reference {id: 'reference:' + randomUUID()})
SET f += row.properties;

// name: create_rejections
// mode: write
// summary: Writes rejections; a model's below the child that it was asked about.
// param rows: LIST<MAP> - `child`, id of that child or null, and `properties`
// returns: nothing
UNWIND $rows AS row
CREATE (j:Ragspine:RagspineDerived:Rejection)
SET j = row.properties
WITH j, row
MATCH (c:Ragspine:Child {id: row.child})
CREATE (c)-[:HAS_REJECTION]->(j);

// name: delete_profile_places
// mode: write
// summary: Removes all that profile and facts say; gives the ends.
// returns: ids
MATCH (a:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION]->(b:Ragspine)
WHERE r.origin = 'profile'
DELETE r
WITH [a.id, b.id] AS ends
UNWIND ends AS id
RETURN collect(DISTINCT id) AS ids;

// name: clear_rules
// mode: write
// summary: Removes all that rules found in a document; gives the ends.
// param doc_id: STRING
// returns: ids
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
SET d.rules = ''
WITH count(*) AS one
CALL () {
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(doc_id)
  WHERE f.doc_id = $doc_id
  MATCH (f)<-[:HAS_REFERENCE]-(source)
  MATCH (source)-[r:REFERS_TO]->()
  WHERE r.reference = f.id
  DELETE r
}
CALL () {
  MATCH (n:RagspineDerived)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id AND (n:Title OR n:Address OR n:Reference OR (n:Rejection AND n.origin = 'rules'))
  DETACH DELETE n
}
CALL () {
  MATCH (a:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION {doc_id: $doc_id}]->(b:Ragspine)
  WHERE r.origin = 'rules'
  DELETE r
  WITH [a.id, b.id] AS ends
  UNWIND ends AS id
  RETURN collect(DISTINCT id) AS ids
}
RETURN ids;

// name: drop_unused
// mode: write
// summary: Removes those of some nodes that no edge names any more and that are no part of a document.
// param ids: LIST<STRING>
// returns: nothing
UNWIND $ids AS id
MATCH (n:Ragspine {id: id})
WHERE (n:Entity OR n:MissingDocument) AND NOT EXISTS { (n)--() }
DELETE n;

// name: note_rules
// mode: write
// summary: Notes with which rules the relations of a document are made.
// param doc_id: STRING
// param rules: STRING
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
SET d.rules = $rules;

// name: read_answer_places
// mode: read
// summary: Gives what a model's answer about a child came to.
// param doc_id: STRING
// param seq: INTEGER
// param model: STRING
// param prompt: STRING
// returns: key, source, target, place
MATCH (a:Ragspine)-[r:MODEL_RELATION {doc_id: $doc_id, seq: $seq}]->(b:Ragspine)
WHERE r.model = $model AND r.prompt = $prompt
RETURN elementId(r) AS key, a.id AS source, b.id AS target, properties(r) AS place;

// name: delete_places
// mode: write
// summary: Removes places by key.
// param keys: LIST<STRING>
// returns: nothing
MATCH ()-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->()
WHERE elementId(r) IN $keys
DELETE r;

// name: delete_answer_rejections
// mode: write
// summary: Removes what was stopped of a model's answer about a child.
// param child: STRING - id of the child
// param model: STRING
// param prompt: STRING
// returns: nothing
MATCH (:Ragspine:Child {id: $child})-[:HAS_REJECTION]->(j:Rejection)
WHERE j.model = $model AND j.prompt = $prompt
DETACH DELETE j;

// name: put_answer
// mode: write
// summary: Keeps a model's answer in place of one that stands under its key.
// param id: STRING
// param properties: MAP
// returns: nothing
MERGE (a:Ragspine {id: $id})
SET a:RagspineDerived:Answer
SET a += $properties;

// name: last_verdicts
// mode: read
// summary: Gives the last entry of the log about each of some edges.
// param hashes: LIST<STRING>
// returns: edge_hash, entry
UNWIND $hashes AS edge_hash
MATCH (l:Ragspine:VerdictEntry {edge_hash: edge_hash})
USING INDEX SEEK l:Ragspine(edge_hash)
WITH edge_hash, l ORDER BY l.no DESC
RETURN edge_hash, collect(l {.document_hash, .verdict, .reviewer, .note, .at})[0] AS entry;

// name: find_model_edge
// mode: read
// summary: Gives a model's edge: the hash that the log calls it by, and its first document.
// param edge_id: STRING
// returns: edge_hash, doc_id
MATCH (:Ragspine)-[r:MODEL_RELATION {edge_id: $edge_id}]->(:Ragspine)
RETURN r.edge_hash AS edge_hash, r.doc_id AS doc_id
ORDER BY doc_id LIMIT 1;

// name: append_verdict
// mode: write
// summary: Appends an entry to the log of verdicts; gives its number.
// param edge_hash: STRING
// param document_hash: STRING
// param verdict: STRING
// param reviewer: STRING
// param note: STRING
// param at: STRING
// returns: no
WITH COUNT { MATCH (l:Ragspine:VerdictEntry) } + 1 AS no
CREATE (l:Ragspine:VerdictEntry {id: 'verdict:' + no})
SET l.no = no, l.edge_hash = $edge_hash, l.document_hash = $document_hash, l.verdict = $verdict,
  l.reviewer = $reviewer, l.note = $note, l.at = $at
RETURN no;

// name: judge_places
// mode: write
// summary: Shows the last verdict on an edge at its places, which it knows of.
// param edge_hash: STRING
// param verdict: STRING
// param reviewer: STRING
// param note: STRING
// param at: STRING
// returns: nothing
MATCH (:Ragspine)-[r:MODEL_RELATION {edge_hash: $edge_hash}]->(:Ragspine)
SET r.verified = $verdict, r.reviewer = $reviewer, r.note = $note, r.reviewed_at = $at,
  r.is_judged = true;
