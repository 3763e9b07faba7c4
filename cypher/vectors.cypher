// Vectors: each a node of its own, made by an embedder outside of the store.
//
//   (:RagspineVector)-[:VECTOR_OF]->(:Child)     one child; of a parent's vector, all its children
//
// `model`, `kind` (child or parent), `seq` (of the child, or of the first of a parent's), `text_hash`
// and `dimensions` say what it is. The numbers stand in `child_vector` or `parent_vector`, so that
// neither kind is in the way of the other in an index. Nothing that is RESTRICTED has a vector, nor
// has a parent that holds any of it.

// name: nearest_vectors
// mode: read
// summary: Gives the vectors nearest to one, of children that the reader may find, with those.
// param model: STRING
// param kind: STRING - child or parent
// param vector: LIST<FLOAT>
// param index: STRING - of vectors of that kind
// param look: INTEGER - how many the index is asked for; 0 looks at all that are inside the scope
// param scored: INTEGER - how many of what the index gives are scored exactly
// param limit: INTEGER - how many are given
// param state: INTEGER | NULL - the last change that counts; null for the newest
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param filters: MAP - allowed values by property of the document
// param sections: LIST<STRING> | NULL - ids of nodes, one of which has to stand above
// param headings: LIST<STRING> - folded headings, one of which may stand above instead
// returns: state, dimensions, is_whole, worst, hits
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
CALL () {
  OPTIONAL MATCH (v:RagspineVector)
    USING INDEX SEEK v:RagspineVector(model, text_hash)
  WHERE v.model = $model AND v.text_hash IS NOT NULL
  RETURN v.dimensions AS dimensions LIMIT 1
}
CALL (dimensions) {
  WITH dimensions WHERE dimensions = size($vector) AND $look > 0
  CALL db.index.vector.queryNodes($index, $look, $vector) YIELD node
  RETURN collect(node) AS near
}
WITH state, labels, dimensions, near,
  // An index that gives fewer than it was asked for may have missed some all the same.
  dimensions = size($vector) AND ($look = 0 OR size(near) < $look) AS is_whole
WITH state, labels, dimensions, is_whole, COLLECT {
  UNWIND CASE WHEN is_whole THEN [] ELSE near[..$scored] END AS v
  WITH v WHERE v.model = $model
  RETURN {
    vector: v,
    score: vector.similarity.cosine(coalesce(v.child_vector, v.parent_vector), $vector)
  } AS one
  UNION ALL
  UNWIND CASE WHEN is_whole THEN [1] ELSE [] END AS whole
  MATCH (d:Ragspine:Document)
  WHERE d.changed <= state AND d.sensitivity IN labels
    AND ($collections IS NULL OR d.collection IN $collections)
    AND all(key IN keys($filters) WHERE d[key] IN $filters[key])
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
  MATCH (c)<-[:VECTOR_OF]-(v:RagspineVector)
  WHERE v.model = $model AND v.kind = $kind
  WITH DISTINCT v
  RETURN {
    vector: v,
    score: vector.similarity.cosine(coalesce(v.child_vector, v.parent_vector), $vector)
  } AS one
} AS found
WITH state, labels, dimensions, is_whole, found, COLLECT {
  // In order of scores before anything is looked up, so that no more is than is given.
  UNWIND found AS hit
  WITH hit.vector AS v, hit.score AS score ORDER BY score DESC
  CALL (v, labels, state) {
    MATCH path = (v)-[:VECTOR_OF]->(c:Child)<-[:PARENT_OF*]-(d:Document)
    WHERE c.clearance <= $clearance AND c.sensitivity IN labels
      AND d.changed <= state AND d.sensitivity IN labels
      AND ($collections IS NULL OR d.collection IN $collections)
      AND all(key IN keys($filters) WHERE d[key] IN $filters[key])
    WITH c, d, nodes(path)[2..] AS above
    WHERE all(s IN above WHERE coalesce(s.root_label, s.sensitivity) IN labels)
      AND ($sections IS NULL OR any(s IN above WHERE s.id IN $sections OR s.folded IN $headings))
    RETURN d, collect([c.hit_key, c.seq]) AS family, min(c.window_start) AS start,
      min(c.window_end) AS end
  }
  WITH v, score, d, family, start, end
  WHERE $kind = 'child' OR NOT EXISTS {
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = d.doc_id AND n.sensitivity < d.sensitivity AND NOT n.sensitivity IN labels
      AND n.span_start < end AND n.span_end > start
    RETURN n
    UNION
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = d.doc_id AND n.sensitivity > d.sensitivity AND NOT n.sensitivity IN labels
      AND n.span_start < end AND n.span_end > start
    RETURN n
  }
  WITH v, score, d.doc_id AS doc_id, family ORDER BY score DESC, doc_id, v.seq LIMIT $limit
  RETURN {score: score, doc_id: doc_id, first: v.seq, family: family,
    vector: coalesce(v.child_vector, v.parent_vector)}
} AS hits
RETURN state, dimensions, is_whole,
  reduce(worst = 1.0, one IN found | CASE WHEN one.score < worst THEN one.score ELSE worst END)
    AS worst,
  hits;

// name: read_vector_parts
// mode: read
// summary: Gives what decides which parts of a document have vectors, and which vectors it has.
// param doc_id: STRING
// returns: document, sections, children, vectors
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
RETURN d {.sensitivity, .root_label, .span_end, .version} AS document,
  COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
    RETURN [s.span_start, s.span_end, s.sensitivity]
  } AS sections,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    RETURN c {.hit_key, .seq, .clearance, .sensitivity, .is_erased, .span_start, .span_end,
      .window_start, .window_end} ORDER BY c.hit_key
  } AS children,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    MATCH (c)<-[:VECTOR_OF]-(v:RagspineVector)
    RETURN DISTINCT [v.id, v.kind, v.seq]
  } AS vectors;

// name: write_vectors
// mode: write
// summary: Writes vectors, each in place of the one of its model and part.
// param rows: LIST<MAP> - `id`, `properties`, and `keys` of the children it is a vector of
// returns: nothing
UNWIND $rows AS row
MERGE (v:Ragspine {id: row.id})
SET v:RagspineVector, v += row.properties
WITH v, row
UNWIND row.keys AS key
MATCH (c:Ragspine {hit_key: key})
  USING INDEX SEEK c:Ragspine(hit_key)
MERGE (v)-[:VECTOR_OF]->(c);

// name: delete_vectors
// mode: write
// summary: Removes vectors.
// param ids: LIST<STRING>
// returns: nothing
MATCH (v:Ragspine)
  USING INDEX SEEK v:Ragspine(id)
WHERE v.id IN $ids
DETACH DELETE v;

// name: find_dimensions
// mode: read
// summary: Gives how many numbers the vectors of a model have.
// param model: STRING
// returns: dimensions
MATCH (v:RagspineVector)
  USING INDEX SEEK v:RagspineVector(model, text_hash)
WHERE v.model = $model AND v.text_hash IS NOT NULL
RETURN v.dimensions AS dimensions LIMIT 1;

// name: find_vectors
// mode: read
// summary: Gives vectors of a model by the hash of their text, one for each.
// param model: STRING
// param hashes: LIST<STRING>
// returns: text_hash, vector
UNWIND $hashes AS text_hash
CALL (text_hash) {
  MATCH (v:RagspineVector)
    USING INDEX SEEK v:RagspineVector(model, text_hash)
  WHERE v.model = $model AND v.text_hash = text_hash
  RETURN coalesce(v.child_vector, v.parent_vector) AS vector LIMIT 1
}
RETURN text_hash, vector;

// name: count_vectors
// mode: read
// summary: Counts the children that are not RESTRICTED and have a vector, by model.
// returns: model, dimensions, children
MATCH (v:RagspineVector)
WITH v, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'] AS labels
RETURN v.model AS model, min(v.dimensions) AS dimensions,
  sum(CASE WHEN v.kind = 'child' AND EXISTS {
    MATCH path = (v)-[:VECTOR_OF]->(c:Child)<-[:PARENT_OF*]-(d:Document)
    WHERE c.clearance < 3 AND d.sensitivity IN labels
      AND all(n IN nodes(path)[1..] WHERE coalesce(n.root_label, n.sensitivity) IN labels)
  } THEN 1 ELSE 0 END) AS children;

// name: missing_vectors
// mode: read
// summary: Gives the documents with a child that is not RESTRICTED and has no vector of a model.
// param model: STRING
// returns: doc_id, version
WITH ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'] AS labels
MATCH (d:Ragspine:Document)
WHERE d.sensitivity IN labels AND d.root_label IN labels AND EXISTS {
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    AND c.clearance < 3 AND c.sensitivity IN labels
    AND NOT EXISTS {
      MATCH (c)<-[:VECTOR_OF]-(v:RagspineVector)
      WHERE v.model = $model AND v.kind = 'child'
    }
    AND NOT EXISTS {
      MATCH (c)<-[:PARENT_OF*]-(s:Section)
      WHERE NOT s.sensitivity IN labels
    }
}
RETURN d.doc_id AS doc_id, d.version AS version;

// name: drop_vectors
// mode: write
// summary: Removes the vectors of all models but some; gives how many.
// param keep: LIST<STRING>
// returns: dropped
MATCH (v:RagspineVector)
WHERE NOT v.model IN $keep
DETACH DELETE v
RETURN count(*) AS dropped;
