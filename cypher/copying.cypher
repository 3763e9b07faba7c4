// What is kept besides what other files write, for a copy from one store to another: whole documents
// with all that the graph keeps of them, stubs and logs, each in one query.

// name: kept_document_ids
// mode: read
// summary: Gives the ids of all documents.
// returns: doc_id
MATCH (d:Ragspine:Document)
RETURN d.doc_id AS doc_id;

// name: read_kept_document
// mode: read
// summary: Gives all that is kept of a document itself.
// param doc_id: STRING
// returns: document, pieces, sections, branches, children, vectors
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
RETURN properties(d) AS document,
  COLLECT {
    MATCH (d)-[:HAS_TEXT]->(t)
    RETURN t.text ORDER BY t.text_start
  } AS pieces,
  COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL
    RETURN properties(s) ORDER BY s.no
  } AS sections,
  COLLECT {
    MATCH (b:Ragspine:Branch)
      USING INDEX SEEK b:Ragspine(doc_id, no)
    WHERE b.doc_id = d.doc_id AND b.no IS NOT NULL
    RETURN properties(b) ORDER BY b.no
  } AS branches,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    RETURN c {.id, .seq, .text, .source_locator, .para_start, .para_end, .parent_id, .heading,
      .window_text, .parent_locator, .window_start, .window_end, .section, .node, .span_start,
      .span_end, .own_label, .sensitivity, .clearance, .is_erased, .lead_in_start, .lead_in_end} ORDER BY c.hit_key
  } AS children,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    MATCH (c)<-[:VECTOR_OF]-(v:RagspineVector)
    WITH DISTINCT v
    RETURN v {.model, .kind, .seq, .text_hash,
      vector: coalesce(v.child_vector, v.parent_vector)}
  } AS vectors;

// name: read_kept_relations
// mode: read
// summary: Gives all that the graph keeps of a document.
// param doc_id: STRING
// returns: rules, places, derived
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
RETURN d.rules AS rules,
  COLLECT {
    MATCH (a:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(b:Ragspine)
    WHERE r.origin <> 'profile'
    RETURN r {.*, source: a.id, target: b.id}
  } AS places,
  COLLECT {
    MATCH (n:RagspineDerived)
      USING INDEX SEEK n:RagspineDerived(doc_id)
    WHERE n.doc_id = $doc_id AND NOT n:Entity
    RETURN n {.*, labels: labels(n),
      answered: COLLECT { MATCH (c:Child)-[:HAS_REJECTION]->(n) RETURN c.seq }}
  } AS derived;

// name: read_kept_profile
// mode: read
// summary: Gives all that profile and facts say, and the labels that they give to nodes.
// returns: places, labels
RETURN
  COLLECT {
    MATCH (a:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION]->(b:Ragspine)
    WHERE r.origin = 'profile'
    RETURN r {.*, source: a.id, target: b.id}
  } AS places,
  COLLECT {
    MATCH (n:Ragspine:Entity)
    WHERE n.shown IS NOT NULL
    RETURN [n.id, n.shown]
  } AS labels;

// name: clear_kept_relations
// mode: write
// summary: Removes all that the graph keeps of a document; gives the ends of edges.
// param doc_id: STRING
// returns: ids
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
REMOVE d.rules
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
  WHERE n.doc_id = $doc_id AND NOT n:Entity
  DETACH DELETE n
}
CALL () {
  MATCH (a:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(b:Ragspine)
  WHERE r.origin <> 'profile'
  DELETE r
  WITH [a.id, b.id] AS ends
  UNWIND ends AS id
  RETURN collect(DISTINCT id) AS ids
}
RETURN ids;

// name: clear_labels
// mode: write
// summary: Takes the labels that the profile gives to nodes.
// returns: nothing
MATCH (n:Ragspine:Entity)
WHERE n.shown IS NOT NULL
SET n.name = substring(n.id, size(split(n.id, ':')[0]) + 1)
REMOVE n.shown, n.folded;

// name: forget_missing_documents
// mode: write
// summary: Removes the documents that edges name and that are not in the store, and those edges.
// returns: nothing
MATCH (n:Ragspine:MissingDocument)
DETACH DELETE n;

// name: create_answers
// mode: write
// summary: Keeps answers of models, each in place of one that stands under its key.
// param rows: LIST<MAP> - `id` and `properties`
// returns: nothing
UNWIND $rows AS row
MERGE (a:Ragspine {id: row.id})
SET a:RagspineDerived:Answer, a += row.properties;

// name: read_kept_stubs
// mode: read
// summary: Gives stubs by their hash, some at a time.
// param after: STRING - the last hash that was given, '' for the first ones
// param limit: INTEGER
// returns: stub
MATCH (s:Ragspine:Stub)
  USING INDEX SEEK s:Ragspine(id)
WHERE s.id > 'stub:' + $after AND s.id < 'stub;'
RETURN properties(s) AS stub
ORDER BY s.id LIMIT $limit;

// name: write_stubs
// mode: write
// summary: Writes stubs, each in place of one that stands there.
// param rows: LIST<MAP> - `id` and `properties`
// returns: nothing
UNWIND $rows AS row
MERGE (s:Ragspine:Stub {id: row.id})
SET s += row.properties;

// name: read_lowered
// mode: read
// summary: Gives which labels were lowered.
// returns: lowered
MATCH (l:Ragspine:LoweredLabel)
RETURN [l.id_hash, l.before, l.after, l.lowered_at] AS lowered;

// name: append_lowered
// mode: write
// summary: Notes labels that were lowered.
// param rows: LIST<MAP>
// returns: nothing
UNWIND $rows AS row
CREATE (l:Ragspine:LoweredLabel)
SET l = row;

// name: read_verdict_entries
// mode: read
// summary: Gives the whole log of verdicts.
// returns: entry
MATCH (l:Ragspine:VerdictEntry)
RETURN [l.edge_hash, l.document_hash, l.verdict, l.reviewer, l.note, l.at] AS entry
ORDER BY l.no;

// name: append_verdicts
// mode: write
// summary: Appends entries to the log of verdicts.
// param rows: LIST<MAP> - in order
// returns: nothing
WITH COUNT { MATCH (l:Ragspine:VerdictEntry) } AS before
UNWIND range(1, size($rows)) AS place
CREATE (l:Ragspine:VerdictEntry {id: 'verdict:' + (before + place)})
SET l += $rows[place - 1], l.no = before + place;
