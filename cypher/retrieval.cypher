// What a question needs: hits, their rows, and the texts around them. All that a reader may not see
// is left out before the cut, and every row carries its labels, since an exit checks again.
//
// Labels are compared as they are written: another spelling counts as a label of its own, which
// nobody may see. A document that changed after the transaction began is left out.

// name: search_children
// mode: read
// summary: Looks at the best of all children and gives those of them that the reader may see.
// param index: STRING - name of the full-text index
// param match: STRING - Lucene's syntax, made of tokens alone
// param look: INTEGER - how many are looked at
// param state: INTEGER - the last change that counts
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param filters: MAP - allowed values by property of the document
// param sections: LIST<STRING> | NULL - ids of nodes, one of which has to stand above
// param headings: LIST<STRING> - folded headings, one of which may stand above instead
// returns: looked, worst, hits
CALL db.index.fulltext.queryNodes($index, $match, {limit: $look}) YIELD node, score
WITH collect({child: node, score: score}) AS found
WITH found, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
RETURN size(found) AS looked, reduce(worst = null, hit IN found | hit.score) AS worst,
  COLLECT {
    UNWIND found AS hit
    WITH hit.child AS c, hit.score AS score, labels
    WHERE c.clearance <= $clearance AND c.sensitivity IN labels
    MATCH (d:Ragspine:Document {id: 'document:' + c.doc_id})
    WHERE d.changed <= $state AND d.sensitivity IN labels
      AND ($collections IS NULL OR d.collection IN $collections)
      AND all(key IN keys($filters) WHERE d[key] IN $filters[key])
    MATCH path = (d)-[:PARENT_OF*]->(c)
    WITH c, score, labels, nodes(path)[..-1] AS above
    WHERE all(s IN above WHERE coalesce(s.root_label, s.sensitivity) IN labels)
      AND ($sections IS NULL OR any(s IN above WHERE s.id IN $sections OR s.folded IN $headings))
    RETURN [c.hit_key, score, c.doc_id, c.seq]
  } AS hits;

// name: read_children
// mode: read
// summary: Gives children by key, with all labels above them, by document.
// param keys: LIST<INTEGER>
// param state: INTEGER
// returns: document, children
MATCH (c:Ragspine:Child)
WHERE c.hit_key IN $keys
MATCH (d:Ragspine:Document {id: 'document:' + c.doc_id})
WHERE d.changed <= $state
WITH d, c ORDER BY c.hit_key
WITH d, collect({
  row: c {.hit_key, .chunk_id, .seq, .text, .source_locator, .para_start, .para_end, .sensitivity,
    .parent_id, .heading, .window_text, .parent_locator, .node, .span_start, .span_end,
    .window_start, .window_end},
  above: COLLECT {
    MATCH (c)<-[:PARENT_OF*]-(s:Section)
    RETURN [s.no, s.heading, s.sensitivity] ORDER BY s.no
  }
}) AS children
RETURN d {.doc_id, .title, .topic, .entity, .geography, .period, .language, .collection,
  .sensitivity, .valid_as_of, .version, .ingested_at, .offsets, .pages} AS document, children;

// name: find_family
// mode: read
// summary: Gives the keys of the children of some parents.
// param families: LIST<MAP> - `doc_id` and `parent_ids`
// returns: key
UNWIND $families AS family
MATCH (d:Ragspine:Document {id: 'document:' + family.doc_id})
MATCH (c:Ragspine:Child)
WHERE d.first_key <= c.hit_key < d.first_key + d.children AND c.parent_id IN family.parent_ids
RETURN c.hit_key AS key;

// name: read_passages
// mode: read
// summary: Gives the text at some places in pieces, and the labels of all that shares text with it.
// param places: LIST<MAP> - `doc_id`, `start`, `end` and `texts`, the ids of the pieces
// param state: INTEGER
// returns: doc_id, start, end, pieces, labels
UNWIND $places AS place
MATCH (d:Ragspine:Document {id: 'document:' + place.doc_id})
WHERE d.changed <= $state
RETURN place.doc_id AS doc_id, place.start AS start, place.end AS end,
  COLLECT {
    MATCH (t:Ragspine) WHERE t.id IN place.texts
    RETURN [t.text_start, t.text]
  } AS pieces,
  COLLECT {
    MATCH (c:Ragspine:Child)
    WHERE c.doc_id = d.doc_id AND c.clearance IN [0, 1, 2, 3]
      AND place.start - d.longest_child < c.span_start < place.end AND c.span_end > place.start
    RETURN DISTINCT c.sensitivity
  }
  + [label IN [d.root_label] WHERE label <> d.sensitivity]
  + COLLECT {
    MATCH (s:Ragspine:Section)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
      AND s.span_start < place.end AND s.span_end > place.start
    RETURN DISTINCT s.sensitivity
  } AS labels;

// name: read_labels_of_text_windows
// mode: read
// summary: Gives the labels of all children that may stand in windows kept as text.
// param windows: LIST<MAP> - `chunk_id`, `doc_id`, `parent_id`, `first` and `last`
// returns: chunk_id, labels
UNWIND $windows AS w
MATCH (d:Ragspine:Document {id: 'document:' + w.doc_id})
MATCH (c:Ragspine:Child)
WHERE d.first_key <= c.hit_key < d.first_key + d.children
  AND (c.chunk_id = w.chunk_id
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
MATCH (b)-[:MERGES_INTO*0..]->(branch:Branch)
WITH DISTINCT branch
MATCH (d:Ragspine:Document {id: 'document:' + branch.doc_id})
WITH d, branch, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
RETURN branch {.doc_id, .no, .parent, .name, .span_start, .span_end, .para_start, .para_end,
    .children} AS branch,
  d.root_label <> d.sensitivity AND NOT d.root_label IN labels
  OR EXISTS {
    MATCH (c:Ragspine:Child)
    WHERE c.doc_id = d.doc_id AND c.clearance IN range($clearance + 1, 3)
      AND branch.span_start - d.longest_child < c.span_start < branch.span_end
      AND c.span_end > branch.span_start
  }
  OR EXISTS {
    MATCH (s:Ragspine:Section)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL
      AND s.sensitivity <> d.sensitivity AND NOT s.sensitivity IN labels
      AND s.span_start < branch.span_end AND s.span_end > branch.span_start
  } AS hides;
