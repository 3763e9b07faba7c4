// Documents as a whole, and counts over a store.

// name: read_document
// mode: read
// summary: Gives a document with its text, sections and tree.
// param doc_id: STRING
// param state: INTEGER | NULL - the last change that counts; null for the newest
// returns: state, document, pieces, sections, branches
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
WHERE d.changed <= state
RETURN state, d {.doc_id, .title, .collection, .sensitivity, .version, .chunker, .offsets, .pages,
    .heading, .span_end, .own_end, .root_label, .first_key, .children} AS document,
  COLLECT {
    MATCH (d)-[:HAS_TEXT]->(t)
    RETURN t.text ORDER BY t.text_start
  } AS pieces,
  COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL
    RETURN s {.no, .parent, .level, .heading, .span_start, .span_end, .sensitivity} ORDER BY s.no
  } AS sections,
  COLLECT {
    MATCH (b:Ragspine:Branch)
      USING INDEX SEEK b:Ragspine(doc_id, no)
    WHERE b.doc_id = d.doc_id AND b.no IS NOT NULL
    RETURN [b.name, b.span_start, b.span_end] ORDER BY b.no
  } AS branches;

// name: list_visible
// mode: read
// summary: Gives the documents that a reader may see, by id, behind an id.
// param state: INTEGER | NULL - the last change that counts; null for the newest
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param after: STRING - an id, there or not
// param limit: INTEGER
// returns: state, document
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
OPTIONAL MATCH (d:Ragspine:Document)
WHERE d.id > 'document:' + $after AND d.id < 'document;'
  AND d.changed <= state AND d.sensitivity IN labels
  AND ($collections IS NULL OR d.collection IN $collections)
WITH state, d
ORDER BY d.id
LIMIT $limit
RETURN state, d {.doc_id, .title, .collection, .sensitivity, .version} AS document;

// name: count_visible
// mode: read
// summary: Counts the documents and children that a reader may see.
// param state: INTEGER | NULL - the last change that counts; null for the newest
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: state, documents, children
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
OPTIONAL MATCH (d:Ragspine:Document)
WHERE d.changed <= state AND d.sensitivity IN labels
  AND ($collections IS NULL OR d.collection IN $collections)
WITH state, d, labels, EXISTS {
  MATCH (s:Ragspine:Section)
    USING INDEX SEEK s:Ragspine(doc_id, no)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND NOT s.sensitivity IN labels
} AS has_closed
RETURN state, count(d) AS documents, sum(CASE
  WHEN d IS NULL OR NOT d.root_label IN labels THEN 0
  ELSE COUNT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
      AND c.clearance <= $clearance AND c.sensitivity IN labels
      AND NOT (has_closed AND EXISTS {
        MATCH (c)<-[:PARENT_OF*]-(s:Section) WHERE NOT s.sensitivity IN labels
      })
  }
END) AS children;

// name: count_all
// mode: read
// summary: Counts what the operator of a store has to know of.
// returns: documents, children, own_labels, stubs, missing_windows, missing_branches, is_pending,
//     is_unfinished
RETURN
  COLLECT {
    MATCH (d:Ragspine:Document)
    WITH d.sensitivity AS label, count(*) AS number
    RETURN [label, number]
  } AS documents,
  COLLECT {
    MATCH (d:Ragspine:Document)
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    WITH c.sensitivity AS label, d.sensitivity AS above, count(*) AS number
    RETURN [label, above, number]
  } AS children,
  COLLECT {
    MATCH (n:Ragspine)
    WHERE (n:Document OR n:Section OR n:Child) AND n.own_label <> ''
      AND NOT coalesce(n.is_erased, false)
    WITH n.own_label AS label, count(*) AS number
    RETURN [label, number]
  } AS own_labels,
  COUNT { MATCH (:Ragspine:Stub) } AS stubs,
  COUNT {
    MATCH (d:Ragspine:Document)
    WITH d, COLLECT {
      MATCH (d)-[:HAS_TEXT]->(t) RETURN sum(t.text_end - t.text_start)
    }[0] AS length
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
      AND c.parent_locator <> '' AND coalesce(c.window_text, '') = ''
      AND (c.window_end IS NULL OR c.window_end > length)
    RETURN c
  } AS missing_windows,
  COUNT {
    MATCH (c:Ragspine:Child)
    WHERE c.node IS NOT NULL AND NOT EXISTS { (c)-[:MERGES_INTO]->() }
    RETURN c
  }
  + COUNT {
    MATCH (b:Ragspine:Branch)
    WHERE b.parent IS NOT NULL AND NOT EXISTS { (b)-[:MERGES_INTO]->() }
    RETURN b
  } AS missing_branches,
  EXISTS { MATCH (:Ragspine:StoreMeta {id: 'meta:erasure_pending'}) } AS is_pending,
  EXISTS { MATCH (:Ragspine:StoreMeta {id: 'meta:unfinished_copy'}) } AS is_unfinished;

// name: document_labels
// mode: read
// summary: Gives every document with its label, by id.
// returns: doc_id, sensitivity
MATCH (d:Ragspine:Document)
RETURN d.doc_id AS doc_id, d.sensitivity AS sensitivity
ORDER BY doc_id;

// name: documents_with_restricted
// mode: read
// summary: Gives the documents that are RESTRICTED or have parts which are, by id.
// returns: doc_id
MATCH (d:Ragspine:Document)
WHERE NOT d.sensitivity IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'] OR d.root_label = 'RESTRICTED'
  OR EXISTS {
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = d.doc_id AND n.sensitivity = 'RESTRICTED' AND n.span_start IS NOT NULL
  }
  OR (d.own_end IS NULL AND EXISTS {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children AND c.clearance = 3
  })
RETURN d.doc_id AS doc_id
ORDER BY doc_id;
