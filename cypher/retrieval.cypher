// What a question needs: hits, their rows, and the texts around them. All that a reader may not see
// is left out before the cut, and every row carries its labels, since an exit checks again.
//
// Labels are compared as they are written: another spelling counts as a label of its own, which
// nobody may see. A document that changed after `state`, or is of no state yet, is left out; the
// first read of a transaction takes the newest.
//
// Rows of documents and children are lists, since a map is sent with its keys, row by row. Their
// order is that of `DocumentRow` and `ChildRow` in `ragspine_store/neo4j_store/candidates.py`.

// name: search_children
// mode: read
// summary: Looks at the best of all children and gives the best of those that the reader may see,
//   with their rows, the texts of their windows in pieces, and all labels that share text with a
//   window and are not its document's.
// param index: STRING | NULL - name of the full-text index; null for the one in use
// param matches: LIST<STRING> - in Lucene's syntax, made of tokens alone; scores are added up
// param each: INTEGER - how many of the best of each match are ranked
// param skip: INTEGER - how many of the best of those are passed over
// param look: INTEGER - how many are looked at after them
// param limit: INTEGER - how many are given
// param state: INTEGER | NULL - the last change that counts
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param filters: MAP - allowed values by property of the document
// param sections: LIST<STRING> | NULL - ids of nodes, one of which has to stand above
// param headings: LIST<STRING> - folded headings, one of which may stand above instead
// param piece_length: INTEGER - of the pieces that texts are kept in
// returns: state, looked, worst, hits, documents, pieces, others
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state, coalesce($index, changes.index) AS index,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
CALL (index) {
  UNWIND $matches AS match
  CALL db.index.fulltext.queryNodes(index, match, {limit: $each}) YIELD node, score
  // Cut here, since the index passes over others of the same score each time; and before they are
  // collected, since the server counts what is in a list as memory of the query.
  WITH node, sum(score) AS score ORDER BY score DESC, node SKIP $skip LIMIT $look
  RETURN collect([node, score]) AS found, count(*) AS looked, min(score) AS worst
}
WITH state, looked, worst, COLLECT {
  // In order of scores before anything is looked up, so that no more is than is given.
  UNWIND found AS hit
  WITH hit[0] AS c, hit[1] AS score ORDER BY score DESC
  WHERE c.clearance <= $clearance AND c.sensitivity IN labels
  MATCH path = (c)<-[:PARENT_OF*]-(d:Document)
  WHERE d.changed <= state AND d.sensitivity IN labels
    AND ($collections IS NULL OR d.collection IN $collections)
    AND all(key IN keys($filters) WHERE d[key] IN $filters[key])
  WITH c, d, score, reverse(nodes(path)[1..]) AS above
  WHERE all(s IN above WHERE coalesce(s.root_label, s.sensitivity) IN labels)
    AND ($sections IS NULL OR any(s IN above WHERE s.id IN $sections OR s.folded IN $headings))
  WITH c, d, score, above ORDER BY score DESC, c.doc_id, c.seq LIMIT $limit
  RETURN {
    document: d,
    start: c.window_start,
    end: c.window_end,
    given: [
      score,
      [c.hit_key, c.id, c.doc_id, c.seq, c.text, c.source_locator, c.para_start, c.para_end,
        c.sensitivity, c.parent_id, c.heading, c.window_text, c.parent_locator, c.node,
        c.span_start, c.span_end, c.window_start, c.window_end],
      [s IN above[1..] | [s.no, s.heading, s.sensitivity, s.span_start, s.span_end]]
    ]
  }
} AS hits
WITH state, looked, worst, [hit IN hits | hit.given] AS hits, COLLECT {
  UNWIND hits AS hit
  WITH DISTINCT hit.document AS d, hit.start AS start, hit.end AS end
  RETURN {document: d, doc_id: d.doc_id, label: d.sensitivity, start: start, end: end}
} AS places
RETURN state, looked, worst, hits,
  COLLECT {
    UNWIND places AS place
    WITH DISTINCT place.document AS d
    RETURN [d.doc_id, d.title, d.topic, d.entity, d.geography, d.period, d.language, d.collection,
      d.sensitivity, d.valid_as_of, d.version, d.ingested_at, d.offsets, d.pages, d.root_label]
  } AS documents,
  COLLECT {
    UNWIND places AS place
    WITH place.doc_id AS doc_id, place.start AS start, place.end AS end
    WHERE end IS NOT NULL
    UNWIND range(start - start % $piece_length, end - 1, $piece_length) AS at
    MATCH (t:Ragspine {id: 'text:' + doc_id + '#' + toString(at)})
      USING INDEX SEEK t:Ragspine(id)
    WITH doc_id, start, end, at, t.text AS text, CASE WHEN at < start THEN start ELSE at END AS from
    RETURN [doc_id, start, end, [at, substring(text, from - at, end - from)]]
  } AS pieces,
  COLLECT {
    UNWIND places AS place
    WITH place.doc_id AS doc_id, place.label AS label, place.start AS start, place.end AS end
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = doc_id AND n.sensitivity < label
      AND n.span_start < end AND n.span_end > start
    RETURN DISTINCT [doc_id, start, end, n.sensitivity] AS other
    UNION ALL
    UNWIND places AS place
    WITH place.doc_id AS doc_id, place.label AS label, place.start AS start, place.end AS end
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = doc_id AND n.sensitivity > label
      AND n.span_start < end AND n.span_end > start
    RETURN DISTINCT [doc_id, start, end, n.sensitivity] AS other
  } AS others;

// name: rescore_children
// mode: read
// summary: Gives the scores of some children for a query, of those that it finds.
// param index: STRING | NULL - name of the full-text index; null for the one in use
// param matches: LIST<STRING> - in Lucene's syntax, made of tokens alone; scores are added up
// param keys: LIST<INTEGER>
// param state: INTEGER | NULL
// returns: state, key, score
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state, coalesce($index, changes.index) AS index
UNWIND $matches AS match
CALL db.index.fulltext.queryNodes(index, match) YIELD node, score
WHERE node.hit_key IN $keys
RETURN state, node.hit_key AS key, sum(score) AS score;

// name: read_children
// mode: read
// summary: Gives children by key, with all labels above them, by document.
// param keys: LIST<INTEGER>
// param state: INTEGER | NULL
// returns: state, document, children
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key IN $keys
MATCH (d:Ragspine:Document {id: 'document:' + c.doc_id})
  USING INDEX SEEK d:Ragspine(id)
WHERE d.changed <= state
WITH state, d, c ORDER BY c.hit_key
WITH state, d, collect([
  [c.hit_key, c.id, c.doc_id, c.seq, c.text, c.source_locator, c.para_start, c.para_end,
    c.sensitivity, c.parent_id, c.heading, c.window_text, c.parent_locator, c.node,
    c.span_start, c.span_end, c.window_start, c.window_end],
  COLLECT {
    MATCH (c)<-[:PARENT_OF*]-(s:Section)
    RETURN [s.no, s.heading, s.sensitivity, s.span_start, s.span_end] ORDER BY s.no
  }
]) AS children
RETURN state,
  [d.doc_id, d.title, d.topic, d.entity, d.geography, d.period, d.language, d.collection,
    d.sensitivity, d.valid_as_of, d.version, d.ingested_at, d.offsets, d.pages,
    d.root_label] AS document,
  children;

// name: find_family
// mode: read
// summary: Gives the keys of the children of some parents.
// param families: LIST<MAP> - `doc_id` and `parent_ids`
// returns: key
UNWIND $families AS family
MATCH (d:Ragspine:Document {id: 'document:' + family.doc_id})
  USING INDEX SEEK d:Ragspine(id)
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
  AND c.parent_id IN family.parent_ids
RETURN c.hit_key AS key;

// name: find_first_children
// mode: read
// summary: Gives the keys of the first children inside some sections, and of some children.
// param wanted: LIST<MAP> - `node`, `doc_id`, and the number of the `section` or of the `child`
// returns: node, key
UNWIND $wanted AS wanted
MATCH (d:Ragspine:Document {id: 'document:' + wanted.doc_id})
  USING INDEX SEEK d:Ragspine(id)
CALL (wanted, d) {
  WITH wanted, d WHERE wanted.child IS NOT NULL
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key = d.first_key + wanted.child AND wanted.child < d.children
  RETURN c.hit_key AS key
  UNION
  WITH wanted, d WHERE wanted.section IS NOT NULL
  MATCH (s:Ragspine {id: 'section:' + wanted.doc_id + '#s' + toString(wanted.section)})
    USING INDEX SEEK s:Ragspine(id)
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    AND c.span_start >= s.span_start AND c.span_start < s.span_end
  RETURN min(c.hit_key) AS key
}
WITH wanted, key WHERE key IS NOT NULL
RETURN wanted.node AS node, key;

// name: read_passages
// mode: read
// summary: Gives the text at some places in pieces, and all labels that share text with it and are
//   not its document's.
// param places: LIST<MAP> - `doc_id`, `start` and `end`
// param state: INTEGER | NULL
// param piece_length: INTEGER - of the pieces that texts are kept in
// returns: state, doc_id, start, end, labels, pieces, others
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state
UNWIND $places AS place
MATCH (d:Ragspine:Document {id: 'document:' + place.doc_id})
  USING INDEX SEEK d:Ragspine(id)
WHERE d.changed <= state
RETURN state, place.doc_id AS doc_id, place.start AS start, place.end AS end,
  [d.sensitivity, d.root_label] AS labels,
  COLLECT {
    UNWIND range(place.start - place.start % $piece_length, place.end - 1, $piece_length) AS at
    MATCH (t:Ragspine {id: 'text:' + place.doc_id + '#' + toString(at)})
      USING INDEX SEEK t:Ragspine(id)
    WITH at, t.text AS text, CASE WHEN at < place.start THEN place.start ELSE at END AS from
    RETURN [at, substring(text, from - at, place.end - from)]
  } AS pieces,
  COLLECT {
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = d.doc_id AND n.sensitivity < d.sensitivity
      AND n.span_start < place.end AND n.span_end > place.start
    RETURN n.sensitivity AS label
    UNION
    MATCH (n:Ragspine)
      USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
    WHERE n.doc_id = d.doc_id AND n.sensitivity > d.sensitivity
      AND n.span_start < place.end AND n.span_end > place.start
    RETURN n.sensitivity AS label
  } AS others;

// name: read_labels_of_text_windows
// mode: read
// summary: Gives the labels of all children that may stand in windows kept as text.
// param windows: LIST<MAP> - `chunk_id`, `doc_id`, `parent_id`, `first` and `last`
// returns: chunk_id, labels
UNWIND $windows AS w
MATCH (d:Ragspine:Document {id: 'document:' + w.doc_id})
  USING INDEX SEEK d:Ragspine(id)
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
  AND (c.id = 'child:' + w.chunk_id
    OR (w.parent_id <> '' AND c.parent_id = w.parent_id)
    OR (c.para_end >= w.first AND c.para_start <= coalesce(w.last, c.para_start)
      AND (w.last IS NOT NULL OR w.parent_id = '')))
RETURN w.chunk_id AS chunk_id, collect(DISTINCT c.sensitivity) AS labels;

// name: read_branches
// mode: read
// summary: Gives all branches above some, and whether something stricter stands inside them.
// param hung: LIST<MAP> - `doc_id` and `no`
// param clearance: INTEGER
// returns: branch, hides
UNWIND $hung AS place
MATCH (b:Ragspine:Branch {doc_id: place.doc_id, no: place.no})
  USING INDEX SEEK b:Ragspine(doc_id, no)
MATCH (b)-[:MERGES_INTO*0..]->(branch:Branch)
WITH DISTINCT branch
MATCH (d:Ragspine:Document {id: 'document:' + branch.doc_id})
  USING INDEX SEEK d:Ragspine(id)
WITH d, collect(branch) AS branches,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
WITH branches, d.root_label <> d.sensitivity AND NOT d.root_label IN labels AS hides_all, COLLECT {
  MATCH (n:Ragspine)
    USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
  WHERE n.doc_id = d.doc_id AND n.sensitivity < d.sensitivity AND n.span_start IS NOT NULL
    AND NOT n.sensitivity IN labels
  RETURN [n.span_start, n.span_end]
  UNION ALL
  MATCH (n:Ragspine)
    USING INDEX SEEK n:Ragspine(doc_id, sensitivity, span_start)
  WHERE n.doc_id = d.doc_id AND n.sensitivity > d.sensitivity AND n.span_start IS NOT NULL
    AND NOT n.sensitivity IN labels
  RETURN [n.span_start, n.span_end]
} AS hidden
UNWIND branches AS branch
RETURN branch {.doc_id, .no, .parent, .name, .span_start, .span_end, .para_start, .para_end,
    .children} AS branch,
  hides_all OR any(h IN hidden WHERE h[0] < branch.span_end AND h[1] > branch.span_start) AS hides;
