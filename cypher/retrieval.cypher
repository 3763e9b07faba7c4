// What a question needs: hits, their rows, and the texts around them. All that a reader may not see
// is left out before the cut, and every row carries its labels, since an exit checks again.
//
// Labels are compared as they are written: another spelling counts as a label of its own, which
// nobody may see. A document that changed after `state`, or is of no state yet, is left out; the
// first read of a transaction takes the newest.

// name: search_children
// mode: read
// summary: Looks at the best of all children and gives those of them that the reader may see, the
//   best ones with their rows and the texts of their windows.
// param index: STRING | NULL - name of the full-text index; null for the one in use
// param matches: LIST<STRING> - in Lucene's syntax, made of tokens alone; scores are added up
// param look: INTEGER - how many of each are looked at
// param ahead: INTEGER - of how many the rows are given
// param state: INTEGER | NULL - the last change that counts
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param filters: MAP - allowed values by property of the document
// param sections: LIST<STRING> | NULL - ids of nodes, one of which has to stand above
// param headings: LIST<STRING> - folded headings, one of which may stand above instead
// param piece_length: INTEGER - of the pieces that texts are kept in
// returns: state, looked, worst, hits, documents, passages
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state, coalesce($index, changes.index) AS index,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
CALL (index) {
  UNWIND $matches AS match
  CALL db.index.fulltext.queryNodes(index, match, {limit: $look}) YIELD node, score
  WITH node, sum(score) AS score ORDER BY score DESC
  RETURN collect({child: node, score: score}) AS found
}
WITH state, size(found) AS looked, reduce(worst = null, hit IN found | hit.score) AS worst,
COLLECT {
  UNWIND found AS hit
  WITH hit.child AS c, hit.score AS score
  WHERE c.clearance <= $clearance AND c.sensitivity IN labels
  MATCH path = (c)<-[:PARENT_OF*]-(d:Document)
  WHERE d.changed <= state AND d.sensitivity IN labels
    AND ($collections IS NULL OR d.collection IN $collections)
    AND all(key IN keys($filters) WHERE d[key] IN $filters[key])
  WITH c, d, score, reverse(nodes(path)[1..]) AS above
  WHERE all(s IN above WHERE coalesce(s.root_label, s.sensitivity) IN labels)
    AND ($sections IS NULL OR any(s IN above WHERE s.id IN $sections OR s.folded IN $headings))
  WITH c, d, score ORDER BY score DESC, c.doc_id, c.seq
  RETURN {child: c, document: d, score: score}
} AS hits
RETURN state, looked, worst,
  [hit IN hits | [hit.child.hit_key, hit.score, hit.child.doc_id, hit.child.seq]] AS hits,
  COLLECT {
    UNWIND hits[..$ahead] AS hit
    WITH hit.document AS d, hit.child AS c
    WITH d, collect({
      row: c {.hit_key, .id, .seq, .text, .source_locator, .para_start, .para_end,
        .sensitivity, .parent_id, .heading, .window_text, .parent_locator, .node, .span_start,
        .span_end, .window_start, .window_end},
      above: COLLECT {
        MATCH (c)<-[:PARENT_OF*]-(s:Section)
        RETURN [s.no, s.heading, s.sensitivity, s.span_start, s.span_end] ORDER BY s.no
      }
    }) AS children
    RETURN {
      document: d {.doc_id, .title, .topic, .entity, .geography, .period, .language, .collection,
        .sensitivity, .valid_as_of, .version, .ingested_at, .offsets, .pages},
      children: children
    }
  } AS documents,
  COLLECT {
    UNWIND hits[..$ahead] AS hit
    WITH DISTINCT hit.document AS d, hit.child.window_start AS start, hit.child.window_end AS end
    WHERE end IS NOT NULL
    RETURN {doc_id: d.doc_id, start: start, end: end,
      pieces: COLLECT {
        UNWIND range(start - start % $piece_length, end - 1, $piece_length) AS at
        MATCH (t:Ragspine {id: 'text:' + d.doc_id + '#' + toString(at)})
          USING INDEX SEEK t:Ragspine(id)
        RETURN [t.text_start, t.text]
      },
      labels: COLLECT {
        MATCH (c:Ragspine:Child)
          USING INDEX SEEK c:Ragspine(doc_id, clearance, span_start)
        WHERE c.doc_id = d.doc_id AND c.clearance IN [0, 1, 2, 3]
          AND c.span_start > start - d.longest_child AND c.span_start < end AND c.span_end > start
        RETURN DISTINCT c.sensitivity
      }
      + [label IN [d.root_label] WHERE label <> d.sensitivity]
      + COLLECT {
        MATCH (s:Ragspine:Section)
          USING INDEX SEEK s:Ragspine(doc_id, no)
        WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
          AND s.span_start < end AND s.span_end > start
        RETURN DISTINCT s.sensitivity
      }
    }
  } AS passages;

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
WITH state, d, collect({
  row: c {.hit_key, .id, .seq, .text, .source_locator, .para_start, .para_end, .sensitivity,
    .parent_id, .heading, .window_text, .parent_locator, .node, .span_start, .span_end,
    .window_start, .window_end},
  above: COLLECT {
    MATCH (c)<-[:PARENT_OF*]-(s:Section)
    RETURN [s.no, s.heading, s.sensitivity, s.span_start, s.span_end] ORDER BY s.no
  }
}) AS children
RETURN state, d {.doc_id, .title, .topic, .entity, .geography, .period, .language, .collection,
  .sensitivity, .valid_as_of, .version, .ingested_at, .offsets, .pages} AS document, children;

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

// name: read_passages
// mode: read
// summary: Gives the text at some places in pieces, and the labels of all that shares text with it.
// param places: LIST<MAP> - `doc_id`, `start`, `end` and `texts`, the ids of the pieces
// param state: INTEGER | NULL
// returns: state, doc_id, start, end, pieces, labels
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
WITH coalesce($state, changes.number) AS state
UNWIND $places AS place
MATCH (d:Ragspine:Document {id: 'document:' + place.doc_id})
  USING INDEX SEEK d:Ragspine(id)
WHERE d.changed <= state
RETURN state, place.doc_id AS doc_id, place.start AS start, place.end AS end,
  COLLECT {
    MATCH (t:Ragspine) WHERE t.id IN place.texts
    RETURN [t.text_start, t.text]
  } AS pieces,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(doc_id, clearance, span_start)
    WHERE c.doc_id = d.doc_id AND c.clearance IN [0, 1, 2, 3]
      AND c.span_start > place.start - d.longest_child AND c.span_start < place.end
      AND c.span_end > place.start
    RETURN DISTINCT c.sensitivity
  }
  + [label IN [d.root_label] WHERE label <> d.sensitivity]
  + COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
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
WITH d, branch, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
RETURN branch {.doc_id, .no, .parent, .name, .span_start, .span_end, .para_start, .para_end,
    .children} AS branch,
  d.root_label <> d.sensitivity AND NOT d.root_label IN labels
  OR EXISTS {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(doc_id, clearance, span_start)
    WHERE c.doc_id = d.doc_id AND c.clearance IN range($clearance + 1, 3)
      AND c.span_start > branch.span_start - d.longest_child
      AND c.span_start < branch.span_end
      AND c.span_end > branch.span_start
  }
  OR EXISTS {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL
      AND s.sensitivity <> d.sensitivity AND NOT s.sensitivity IN labels
      AND s.span_start < branch.span_end AND s.span_end > branch.span_start
  } AS hides;
