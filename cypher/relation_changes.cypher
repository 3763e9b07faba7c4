// What becomes of the relation graph when its documents change.

// name: detach_places
// mode: write
// summary: Takes away the places that outlive a new text of a document, or end at it; gives them.
// param doc_id: STRING
// returns: source, target, type, place
CALL () {
  MATCH (a:Ragspine)-[r:MODEL_RELATION {doc_id: $doc_id}]->(b:Ragspine)
  RETURN a, r, b
  UNION
  MATCH (:Ragspine {id: 'document:' + $doc_id})-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
  RETURN startNode(r) AS a, r, endNode(r) AS b
}
WITH a.id AS source, b.id AS target, r, type(r) AS type, properties(r) AS place
DELETE r
RETURN source, target, type, place
ORDER BY coalesce(place.is_judged, false) DESC, source, target, place.chunk_first, place.quote;

// name: read_answered
// mode: read
// summary: Gives the cached answers about a document, each with the text of its child.
// param doc_id: STRING
// returns: id, text
MATCH (a:RagspineDerived:Answer)
USING INDEX SEEK a:RagspineDerived(doc_id)
WHERE a.doc_id = $doc_id
OPTIONAL MATCH (c:Ragspine:Child {id: 'child:' + a.doc_id + '#c' + a.seq})
RETURN a.id AS id, c.text AS text;

// name: place_answers
// mode: write
// summary: Notes which children cached answers are about now.
// param rows: LIST<MAP> - `id` and `seq`
// returns: nothing
UNWIND $rows AS row
MATCH (a:Ragspine {id: row.id})
SET a.seq = row.seq;

// name: delete_derived
// mode: write
// summary: Removes nodes by id.
// param ids: LIST<STRING>
// returns: nothing
UNWIND $ids AS id
MATCH (n:RagspineDerived&Ragspine {id: id})
DETACH DELETE n;

// name: forget_parts
// mode: write
// summary: Removes all edges, references and addresses of sections and children of a document.
// param doc_id: STRING
// param seqs: LIST<INTEGER> | NULL - of these children; null for all
// param nos: LIST<INTEGER> | NULL - of these sections; null for all
// returns: ids
CALL () {
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  MATCH (c:Ragspine:Child)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children AND ($seqs IS NULL OR c.seq IN $seqs)
  RETURN c AS n
  UNION ALL
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = $doc_id AND s.no IS NOT NULL AND ($nos IS NULL OR s.no IN $nos)
  RETURN s AS n
}
CALL (n) {
  MATCH (n)-[:HAS_REFERENCE]->(f:Reference)
  DETACH DELETE f
}
CALL (n) {
  MATCH (m:RagspineDerived:Address)
  USING INDEX SEEK m:RagspineDerived(node)
  WHERE m.node = n.id
  DETACH DELETE m
}
MATCH (n)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|REFERS_TO|RULE_RELATION|MODEL_RELATION]-(other:Ragspine)
WITH DISTINCT r, other.id AS id
DELETE r
RETURN collect(DISTINCT id) AS ids;

// name: forget_document
// mode: write
// summary: Removes all that rests on a document or names it; gives the ends of edges.
// param doc_id: STRING
// returns: ids
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
REMOVE d.rules
WITH count(*) AS one
CALL () {
  CALL () {
    MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(:Ragspine)
    WHERE r.origin <> 'profile' OR r.doc_id <> 'company_profile'
    RETURN r
    UNION
    MATCH (:Ragspine {id: 'document:' + $doc_id})-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|REFERS_TO|RULE_RELATION|MODEL_RELATION]-()
    RETURN r
    UNION
    MATCH (n:RagspineDerived:Entity)
    USING INDEX SEEK n:RagspineDerived(doc_id)
    WHERE n.doc_id = $doc_id
    MATCH (n)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
    RETURN r
  }
  WITH r, [startNode(r).id, endNode(r).id] AS ends
  DELETE r
  WITH ends
  UNWIND ends AS id
  RETURN collect(DISTINCT id) AS ids
}
CALL () {
  MATCH (n:RagspineDerived)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id
  DETACH DELETE n
}
RETURN ids;

// name: read_rests
// mode: read
// summary: Gives what rests on the text of a document, and where.
// param doc_id: STRING
// returns: key, is_node, place
CALL () {
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(:Ragspine)
  RETURN elementId(r) AS key, false AS is_node,
    r {.stale, .chunk_first, .chunk_last, .span_start, .span_end} AS place
  UNION ALL
  MATCH (n:RagspineDerived)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id AND (n:Reference OR n:Rejection)
  RETURN elementId(n) AS key, true AS is_node,
    n {.stale, .chunk_first, .chunk_last, .span_start, .span_end} AS place
  UNION ALL
  MATCH (n:RagspineDerived:Answer)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id
  RETURN elementId(n) AS key, true AS is_node,
    {stale: false, chunk_first: n.seq, chunk_last: n.seq} AS place
}
RETURN key, is_node, place;

// name: delete_rests
// mode: write
// summary: Removes nodes that rest on a text, by key.
// param keys: LIST<STRING>
// returns: nothing
MATCH (n)
WHERE elementId(n) IN $keys
CALL (n) {
  MATCH (n)<-[:HAS_REFERENCE]-(source)
  MATCH (source)-[r:REFERS_TO]->()
  WHERE r.reference = n.id
  DELETE r
}
DETACH DELETE n;

// name: ends_of_places
// mode: read
// summary: Gives the ends of places, by key.
// param keys: LIST<STRING>
// returns: ids
MATCH (a)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->(b)
WHERE elementId(r) IN $keys
UNWIND [a.id, b.id] AS id
RETURN collect(DISTINCT id) AS ids;

// name: delete_titles
// mode: write
// summary: Removes under which titles a document is referred to.
// param doc_id: STRING
// returns: nothing
MATCH (t:RagspineDerived:Title)
USING INDEX SEEK t:RagspineDerived(doc_id)
WHERE t.doc_id = $doc_id
DETACH DELETE t;

// name: find_title
// mode: read
// summary: Gives a document's title as it is shown.
// param doc_id: STRING
// returns: title
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
RETURN d.title AS title;

// name: fold_title
// mode: write
// summary: Keeps by which folded title a document is found.
// param doc_id: STRING
// param folded: STRING
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
SET d.folded_title = $folded;

// name: show_clearances
// mode: write
// summary: Shows at places, references and terms of a document who may see them now.
// param doc_id: STRING
// returns: nothing
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
WITH d, coalesce(d.clearance, 3) AS least
CALL (d, least) {
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(:Ragspine)
  WHERE r.origin <> 'profile' OR r.doc_id <> 'company_profile'
  RETURN r AS x
  UNION ALL
  MATCH (x:RagspineDerived:Reference)
  USING INDEX SEEK x:RagspineDerived(doc_id)
  WHERE x.doc_id = $doc_id
  RETURN x
}
WITH d, least, x, COLLECT {
  MATCH (c:Ragspine:Child)
  WHERE d.first_key + x.chunk_first <= c.hit_key <= d.first_key + x.chunk_last
    AND c.hit_key < d.first_key + d.children
  RETURN coalesce(max(c.clearance), 3)
}[0] AS level
WITH d, x, CASE WHEN x.chunk_first IS NULL THEN least ELSE level END AS level
WITH d, x, CASE WHEN coalesce(x.floor, 0) > level THEN x.floor ELSE level END AS level
SET x.clearance = level, x.collection = d.collection;

// name: show_terms
// mode: write
// summary: Shows at the terms of some documents who may see them now.
// param doc_ids: LIST<STRING>
// returns: nothing
UNWIND $doc_ids AS doc_id
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
MATCH (n:RagspineDerived:Entity)
USING INDEX SEEK n:RagspineDerived(doc_id)
WHERE n.doc_id = doc_id
SET n.clearance = coalesce(d.clearance, 3), n.collection = d.collection;

// name: names_anything
// mode: read
// summary: Tells whether a document is in the store, or whether anything rests on it or names it.
// param doc_id: STRING
// returns: found
RETURN EXISTS { (:Ragspine {id: 'document:' + $doc_id}) }
  OR EXISTS {
    MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $doc_id}]->(:Ragspine)
  }
  OR EXISTS { MATCH (n:RagspineDerived) WHERE n.doc_id = $doc_id } AS found;

// name: delete_rejections
// mode: write
// summary: Removes what was stopped in a document.
// param doc_id: STRING
// returns: nothing
MATCH (j:RagspineDerived:Rejection)
USING INDEX SEEK j:RagspineDerived(doc_id)
WHERE j.doc_id = $doc_id
DETACH DELETE j;

// name: move_derived
// mode: write
// summary: Names after its new id what rests on a document.
// param old: STRING
// param new: STRING
// returns: nothing
CALL () {
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: $old}]->(:Ragspine)
  WHERE r.origin <> 'profile' OR r.doc_id <> 'company_profile'
  RETURN r AS x
  UNION ALL
  MATCH (x:RagspineDerived)
  USING INDEX SEEK x:RagspineDerived(doc_id)
  WHERE x.doc_id = $old
  RETURN x
}
SET x.doc_id = $new, x.locator = CASE
  WHEN x.locator STARTS WITH $old THEN $new + substring(x.locator, size($old))
  ELSE x.locator
END;

// name: read_terms
// mode: read
// summary: Gives the ids of the terms that a document defines.
// param doc_id: STRING
// returns: id
MATCH (n:RagspineDerived:Entity)
USING INDEX SEEK n:RagspineDerived(doc_id)
WHERE n.doc_id = $doc_id
RETURN n.id AS id ORDER BY id;

// name: rename_terms
// mode: write
// summary: Gives terms other ids.
// param rows: LIST<MAP> - `before` and `after`
// returns: nothing
UNWIND $rows AS row
MATCH (n:Ragspine {id: row.before})
SET n.id = row.after;

// name: read_places_of_parts
// mode: read
// summary: Gives the places that state edges of a document, its parts and its terms.
// param doc_id: STRING
// returns: key, source, target, place
CALL () {
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  RETURN d AS n
  UNION ALL
  MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  MATCH (n:Ragspine:Child)
  WHERE n.hit_key >= d.first_key AND n.hit_key < d.first_key + d.children
  RETURN n
  UNION ALL
  MATCH (n:Ragspine:Section)
  WHERE n.doc_id = $doc_id AND n.no IS NOT NULL
  RETURN n
  UNION ALL
  MATCH (n:RagspineDerived:Entity)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id
  RETURN n
}
MATCH (n)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
WITH DISTINCT r
RETURN elementId(r) AS key, startNode(r).id AS source, endNode(r).id AS target,
  r {.kind, .provenance, .edge_hash} AS place
ORDER BY key;

// name: rekey_places
// mode: write
// summary: Notes which edges places state now.
// param rows: LIST<MAP> - `key` and `properties`
// returns: nothing
UNWIND $rows AS row
MATCH ()-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->()
WHERE elementId(r) = row.key
SET r += row.properties;

// name: forget_name
// mode: write
// summary: Removes the edges that name a document which is not in the store, and its terms; gives
//     their ends.
// param doc_id: STRING
// returns: ids
CALL () {
  MATCH (n:Ragspine:MissingDocument {id: 'document:' + $doc_id})
  RETURN n
  UNION ALL
  MATCH (n:RagspineDerived:Entity)
  USING INDEX SEEK n:RagspineDerived(doc_id)
  WHERE n.doc_id = $doc_id
  RETURN n
}
MATCH (n)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
WITH r, [startNode(r).id, endNode(r).id] AS ends
DELETE r
WITH ends
UNWIND ends AS id
RETURN collect(DISTINCT id) AS ids;

// name: read_titles
// mode: read
// summary: Gives under which titles a document is referred to.
// param doc_id: STRING
// returns: title
MATCH (t:RagspineDerived:Title)
USING INDEX SEEK t:RagspineDerived(doc_id)
WHERE t.doc_id = $doc_id
RETURN t.title AS title ORDER BY title;

// name: unlink_references
// mode: write
// summary: Takes away what links references of some titles, and in some documents, to parts; gives them.
// param titles: LIST<STRING>
// param doc_ids: LIST<STRING>
// returns: reference
CALL () {
  UNWIND $titles AS title
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(title)
  WHERE f.title = title
  RETURN f
  UNION
  UNWIND $doc_ids AS doc_id
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(doc_id)
  WHERE f.doc_id = doc_id
  RETURN f
}
CALL (f) {
  MATCH (f)<-[:HAS_REFERENCE]-(source)
  MATCH (source)-[r:REFERS_TO]->()
  WHERE r.reference = f.id
  DELETE r
}
RETURN properties(f) AS reference ORDER BY f.id;

// name: read_titled
// mode: read
// summary: Gives the documents of some titles, and some documents by id, those that are not RESTRICTED.
// param titles: LIST<STRING>
// param doc_ids: LIST<STRING>
// returns: title, doc_id, collection, clearance
CALL () {
  UNWIND $titles AS title
  MATCH (t:RagspineDerived:Title)
  USING INDEX SEEK t:RagspineDerived(title)
  WHERE t.title = title
  RETURN title, t.doc_id AS doc_id
  UNION ALL
  UNWIND $doc_ids AS doc_id
  RETURN null AS title, doc_id
}
MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.clearance < 3
RETURN title, doc_id, d.collection AS collection, d.clearance AS clearance;

// name: read_addressed
// mode: read
// summary: Gives the parts of some addresses in some documents, those that are not RESTRICTED.
// param asked: LIST<MAP> - `doc_id` and `address`
// returns: doc_id, address, node, clearance
UNWIND $asked AS asked
WITH asked.doc_id AS doc_id, asked.address AS address
MATCH (m:RagspineDerived:Address)
USING INDEX SEEK m:RagspineDerived(doc_id, address)
WHERE m.doc_id = doc_id AND m.address = address
WITH doc_id, address, m.node AS node, m.position AS position
MATCH (t:Ragspine {id: node})
WHERE t.clearance < 3
RETURN doc_id, address, node, t.clearance AS clearance
ORDER BY doc_id, address, position;
