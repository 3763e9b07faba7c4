// The relation graph as the store reads it for one reader; docs/graph-scheme.md says what stands in
// it. One relationship is one place that states an edge.
//
// A piece of evidence is seen where its document, every child in its range and every section that
// shares text with those are. `clearance` of relationships is for people who explore: here the labels
// in force are joined at each read. The documents and sections of a read are looked at once.

// name: read_edges
// mode: read
// summary: Gives edges in order, and the pieces of their evidence that the reader sees.
// param everywhere: BOOLEAN - look at all edges
// param start_ids: LIST<STRING> - look at these edges
// param start_nodes: LIST<STRING> - look at edges of these nodes
// param start_doc_ids: LIST<STRING> - look at edges that these documents state
// param kinds: LIST<STRING>
// param provenances: LIST<STRING>
// param nodes: LIST<STRING>
// param doc_ids: LIST<STRING>
// param models: LIST<STRING>
// param verdicts: LIST<STRING>
// param mixed: BOOLEAN - edges without a verdict pass `verdicts`
// param trusted: BOOLEAN
// param after: LIST<STRING> | NULL - kind, source, target and provenance
// param look: INTEGER - edges at most
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: edges, pieces
CALL () {
  WITH $everywhere AS everywhere WHERE everywhere
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->(:Ragspine)
  RETURN r
  UNION
  UNWIND $start_ids AS edge_id
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {edge_id: edge_id}]->(:Ragspine)
  RETURN r
  UNION
  UNWIND $start_nodes AS id
  MATCH (:Ragspine {id: id})-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
  RETURN r
  UNION
  UNWIND $start_doc_ids AS doc_id
  MATCH (:Ragspine)-[x:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: doc_id}]->(:Ragspine)
  WITH DISTINCT x.edge_id AS edge_id
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {edge_id: edge_id}]->(:Ragspine)
  RETURN r
}
WITH r, startNode(r).id AS source, endNode(r).id AS target
WHERE (size($kinds) = 0 OR r.kind IN $kinds)
  AND (size($provenances) = 0 OR r.provenance IN $provenances)
  AND (size($nodes) = 0 OR source IN $nodes OR target IN $nodes)
WITH r.kind AS kind, source, target, r.provenance AS provenance, collect(r) AS places
WHERE ($after IS NULL OR [kind, source, target, provenance] > $after)
  AND (size($doc_ids) = 0 OR any(r IN places WHERE r.doc_id IN $doc_ids))
  AND (size($models) = 0 OR any(r IN places WHERE r.model IN $models))
WITH kind, source, target, provenance, places, COLLECT {
  MATCH (l:Ragspine:VerdictEntry)
  WHERE l.edge_hash = places[0].edge_hash
  RETURN l {.edge_hash, .document_hash, .verdict, .reviewer, .note, .at} ORDER BY l.no
} AS log
WITH kind, source, target, provenance, places, log[-1] AS entry, size(log) AS entries
WHERE (NOT $trusted OR provenance <> 'model' OR entry.verdict = 'verified')
  AND (size($verdicts) = 0 OR CASE provenance
    WHEN 'model' THEN coalesce(entry.verdict, 'unverified') IN $verdicts
    ELSE $mixed
  END)
ORDER BY kind, source, target, provenance LIMIT $look
WITH collect({kind: kind, source: source, target: target, provenance: provenance,
  entry: entry, entries: entries, places: places}) AS edges
WITH edges, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
RETURN [e IN edges | e {.kind, .source, .target, .provenance, .entry, .entries}] AS edges,
  COLLECT {
    UNWIND range(0, size(edges) - 1) AS n
    UNWIND edges[n].places AS piece
    WITH labels, CASE WHEN piece.origin <> 'profile' OR piece.doc_id <> 'company_profile' THEN piece.doc_id END AS doc_id,
      collect([n, piece]) AS pieces
    OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
    WHERE d.changed <= $state AND d.sensitivity IN labels
      AND ($collections IS NULL OR d.collection IN $collections)
    WITH labels, d, pieces WHERE doc_id IS NULL OR d IS NOT NULL
    WITH labels, d, pieces, COLLECT {
      MATCH (s:Ragspine:Section)
      WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
      RETURN [s.span_start, s.span_end, s.sensitivity]
    } AS strict
    UNWIND pieces AS pair
    WITH labels, d, strict, pair[1].chunk_first AS first, pair[1].chunk_last AS last,
      CASE WHEN pair[1].chunk_first IS NULL THEN pair[1].span_start END AS span_start,
      CASE WHEN pair[1].chunk_first IS NULL THEN pair[1].span_end END AS span_end,
      collect(pair) AS pieces
    CALL (d, first, last) {
      MATCH (c:Ragspine:Child)
      WHERE d.first_key + first <= c.hit_key <= d.first_key + last
        AND c.hit_key < d.first_key + d.children
      RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
        collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts,
        max(c.span_end) AS ends
    }
    WITH labels, d, first, last, pieces, children, level,
      [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
        WHERE s[0] < coalesce(ends, span_end) AND s[1] > coalesce(starts, span_start) | s[2]]
      AS found
    WHERE children = coalesce(last - first + 1, 0) AND level <= $clearance
      AND all(label IN found WHERE label IN labels)
    UNWIND pieces AS pair
    WITH d, found, pair[0] AS n, pair[1] AS piece
    WHERE coalesce(piece.floor, 0) <= $clearance
    RETURN [n, piece {.doc_id, .chunk_first, .chunk_last, .span_start, .span_end, .locator, .quote,
      .source_name, .target_name, .count, .weight, .model, .prompt, .stale, .floor, .is_judged},
      d.collection, [l IN [d.sensitivity] WHERE l IS NOT NULL] + found]
  } AS pieces;

// name: read_references
// mode: read
// summary: Gives references by source, those that the reader sees, and where the next look begins.
// param source: STRING - id of the first node that they may stand in
// param look: INTEGER - looked at at most
// param nodes: LIST<STRING> | NULL - that start or may end at one of these nodes; null for any
// param doc_ids: LIST<STRING> | NULL - that stand in one of these documents; null for any
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: next_source, pieces
CALL () {
  WITH $nodes AS nodes, $doc_ids AS doc_ids WHERE nodes IS NULL AND doc_ids IS NULL
  MATCH (f:RagspineDerived:Reference)
  RETURN f
  UNION
  WITH $nodes AS nodes WHERE nodes IS NULL
  UNWIND $doc_ids AS doc_id
  MATCH (f:RagspineDerived:Reference {doc_id: doc_id})
  RETURN f
  UNION
  UNWIND $nodes AS node
  MATCH (:Ragspine {id: node})-[:HAS_REFERENCE]->(f:Reference)
  RETURN f
  UNION
  UNWIND $nodes AS node
  MATCH (m:RagspineDerived:Address {node: node})
  MATCH (f:RagspineDerived:Reference {doc_id: m.doc_id})
  WHERE f.title = '' AND f.address = m.address
  RETURN f
  UNION
  UNWIND $nodes AS node
  MATCH (m:RagspineDerived:Address {node: node})
  MATCH (t:RagspineDerived:Title {doc_id: m.doc_id})
  MATCH (f:RagspineDerived:Reference {title: t.title})
  WHERE f.address = m.address
  RETURN f
  UNION
  UNWIND $nodes AS node
  MATCH (d:Ragspine:Document {id: node})
  MATCH (t:RagspineDerived:Title {doc_id: d.doc_id})
  MATCH (f:RagspineDerived:Reference {title: t.title})
  WHERE f.address = ''
  RETURN f
}
WITH f WHERE f.source >= $source AND ($doc_ids IS NULL OR f.doc_id IN $doc_ids)
WITH f ORDER BY f.source LIMIT $look + 1
WITH collect(f) AS looked
WITH looked, looked[$look].source AS next_source,
  ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
RETURN next_source, COLLECT {
    UNWIND looked AS piece
    WITH labels, piece WHERE next_source IS NULL OR piece.source < next_source
    WITH labels, piece.doc_id AS doc_id, collect(piece) AS pieces
    MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
    WHERE d.changed <= $state AND d.sensitivity IN labels
      AND ($collections IS NULL OR d.collection IN $collections)
    WITH labels, d, pieces, COLLECT {
      MATCH (s:Ragspine:Section)
      WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
      RETURN [s.span_start, s.span_end, s.sensitivity]
    } AS strict
    UNWIND pieces AS piece
    WITH labels, d, strict, piece.chunk_first AS first, piece.chunk_last AS last,
      CASE WHEN piece.chunk_first IS NULL THEN piece.span_start END AS span_start,
      CASE WHEN piece.chunk_first IS NULL THEN piece.span_end END AS span_end,
      collect(piece) AS pieces
    CALL (d, first, last) {
      MATCH (c:Ragspine:Child)
      WHERE d.first_key + first <= c.hit_key <= d.first_key + last
        AND c.hit_key < d.first_key + d.children
      RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
        collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts,
        max(c.span_end) AS ends
    }
    WITH labels, d, first, last, pieces, children, level,
      [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
        WHERE s[0] < coalesce(ends, span_end) AND s[1] > coalesce(starts, span_start) | s[2]]
      AS found
    WHERE children = coalesce(last - first + 1, 0) AND level <= $clearance
      AND all(label IN found WHERE label IN labels)
    UNWIND pieces AS piece
    RETURN [piece {.doc_id, .chunk_first, .chunk_last, .span_start, .span_end, .locator, .quote,
      .source_name, .target_name, .count, .weight, .model, .prompt, .source, .title, .address},
      d.collection, [d.sensitivity] + found]
  } AS pieces;

// name: read_rejections
// mode: read
// summary: Gives the rejections that the reader sees.
// param doc_ids: LIST<STRING> | NULL - that stand in one of these documents; null for any
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: piece, collection, labels
CALL () {
  WITH $doc_ids AS doc_ids WHERE doc_ids IS NULL
  MATCH (j:RagspineDerived:Rejection)
  RETURN j
  UNION
  UNWIND $doc_ids AS doc_id
  MATCH (j:RagspineDerived:Rejection {doc_id: doc_id})
  RETURN j
}
WITH ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels, j.doc_id AS doc_id,
  collect(j) AS pieces
MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.changed <= $state AND d.sensitivity IN labels
  AND ($collections IS NULL OR d.collection IN $collections)
WITH labels, d, pieces, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
  RETURN [s.span_start, s.span_end, s.sensitivity]
} AS strict
UNWIND pieces AS piece
WITH labels, d, strict, piece.chunk_first AS first, piece.chunk_last AS last,
  CASE WHEN piece.chunk_first IS NULL THEN piece.span_start END AS span_start,
  CASE WHEN piece.chunk_first IS NULL THEN piece.span_end END AS span_end,
  collect(piece) AS pieces
CALL (d, first, last) {
  MATCH (c:Ragspine:Child)
  WHERE d.first_key + first <= c.hit_key <= d.first_key + last
    AND c.hit_key < d.first_key + d.children
  RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
    collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts,
    max(c.span_end) AS ends
}
WITH labels, d, first, last, pieces, children, level,
  [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
    WHERE s[0] < coalesce(ends, span_end) AND s[1] > coalesce(starts, span_start) | s[2]]
  AS found
WHERE children = coalesce(last - first + 1, 0) AND level <= $clearance
  AND all(label IN found WHERE label IN labels)
UNWIND pieces AS piece
RETURN piece {.*} AS piece, d.collection AS collection, [d.sensitivity] + found AS labels;

// name: resolve_references
// mode: read
// summary: Gives for each place that is asked for the first part that the reader sees there.
// param asked: LIST<MAP> - `n`, `title` or '' for the document itself, `collection` and `doc_id` of
//     the reference, `address` or '' for the document as a whole
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: n, node
WITH ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
UNWIND $asked AS asked
CALL (labels, asked) {
  WITH asked WHERE asked.title = ''
  MATCH (d:Ragspine:Document {id: 'document:' + asked.doc_id})
  WHERE d.changed <= $state
  RETURN d
  UNION ALL
  WITH asked, labels WHERE asked.title <> ''
  CALL (asked, labels) {
    MATCH (t:RagspineDerived:Title {title: asked.title})
    MATCH (d:Ragspine:Document {id: 'document:' + t.doc_id})
    WHERE d.changed <= $state AND d.sensitivity IN labels
      AND ($collections IS NULL OR d.collection IN $collections)
    RETURN d ORDER BY d.collection <> asked.collection, d.doc_id LIMIT 1
  }
  RETURN d
}
WITH labels, d, collect(asked) AS asked
WITH labels, d, asked, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND NOT s.sensitivity IN labels
  RETURN [s.span_start, s.span_end, s.id]
} AS closed
UNWIND asked AS one
CALL (labels, d, closed, one) {
  WITH d, one WHERE one.address = ''
  RETURN d.id AS node
  UNION ALL
  WITH labels, d, closed, one WHERE one.address <> ''
  CALL (labels, d, closed, one) {
    MATCH (m:RagspineDerived:Address {doc_id: d.doc_id, address: one.address})
    MATCH (t:Ragspine {id: m.node})
    WHERE t.clearance <= $clearance AND t.sensitivity IN labels AND d.root_label IN labels
      AND none(s IN closed WHERE s[2] = t.id OR CASE
        WHEN t:Child THEN s[0] < t.span_end AND s[1] > t.span_start
        ELSE s[0] <= t.span_start AND s[1] > t.span_start
      END)
    RETURN t ORDER BY m.position LIMIT 1
  }
  RETURN t.id AS node
}
RETURN one.n AS n, node;

// name: read_ends
// mode: read
// summary: Gives the nodes of some ids that the reader sees, and what they are called.
// param ids: LIST<STRING>
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: id, name, collection, labels
UNWIND $ids AS id
MATCH (n:Ragspine {id: id})
WITH ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels, n.doc_id AS doc_id,
  collect(n) AS nodes
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.changed <= $state AND d.sensitivity IN labels
  AND ($collections IS NULL OR d.collection IN $collections)
WITH labels, d, nodes WHERE doc_id IS NULL OR d IS NOT NULL
WITH labels, d, nodes, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
  RETURN [s.span_start, s.span_end, s.sensitivity, s.no]
} AS strict
UNWIND nodes AS n
WITH labels, d, n, CASE
  WHEN n:Section THEN [l IN [d.root_label] WHERE l <> d.sensitivity] + [s IN strict
    WHERE s[0] <= n.span_start AND (s[1] > n.span_start OR s[3] = n.no) | s[2]]
  WHEN n:Child THEN [n.sensitivity] + [l IN [d.root_label] WHERE l <> d.sensitivity]
    + [s IN strict WHERE s[0] < n.span_end AND s[1] > n.span_start | s[2]]
  ELSE []
END AS found
WHERE (d IS NULL OR n:Entity OR n.clearance <= $clearance)
  AND all(label IN found WHERE label IN labels)
RETURN n.id AS id,
  CASE
    WHEN n:Document THEN n.title
    WHEN n:Section THEN n.heading
    WHEN n:Child THEN coalesce(COLLECT {
      MATCH (s:Ragspine)
      WHERE s.id = CASE n.section WHEN 0 THEN d.id ELSE 'section:' + d.doc_id + '#s' + n.section END
        AND s.heading <> ''
      RETURN s.heading
    }[0], d.title) + ' #c' + n.seq
    ELSE coalesce(n.shown, '')
  END AS name,
  coalesce(d.collection, '') AS collection,
  [l IN [d.sensitivity] WHERE l IS NOT NULL] + found AS labels;

// name: find_named_nodes
// mode: read
// summary: Gives the ids of nodes that a name may mean, by itself and as evidence writes them.
// param ids: LIST<STRING> - the ids that the name may be
// param term: STRING - how the ids of terms of that name begin
// param name: STRING
// param folded: STRING - the name as headings are compared
// returns: named, written
RETURN
  COLLECT { MATCH (n:Ragspine) WHERE n.id IN $ids RETURN n.id }
  + COLLECT { MATCH (n:Ragspine) WHERE n.id STARTS WITH $term RETURN n.id }
  + COLLECT { MATCH (m:RagspineDerived:Address {address: $name}) RETURN DISTINCT m.node }
  + COLLECT { MATCH (n:Ragspine) WHERE n.folded = $folded RETURN n.id }
  + COLLECT { MATCH (d:Ragspine:Document) WHERE d.folded_title = $folded RETURN d.id } AS named,
  COLLECT {
    MATCH (n:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->(m:Ragspine)
    WHERE r.source_name = $name OR r.target_name = $name
    UNWIND [CASE r.source_name WHEN $name THEN n.id END, CASE r.target_name WHEN $name THEN m.id END] AS id
    WITH id WHERE id IS NOT NULL
    RETURN DISTINCT id
  } AS written;

// name: read_verdicts
// mode: read
// summary: Gives the whole log of verdicts, and the edges that are in the store.
// returns: entry, edge_id
MATCH (l:Ragspine:VerdictEntry)
WITH l ORDER BY l.no
RETURN l {.no, .edge_hash, .document_hash, .verdict, .reviewer, .note, .at} AS entry,
  coalesce(COLLECT {
    MATCH (:Ragspine)-[r:MODEL_RELATION]->(:Ragspine) WHERE r.edge_hash = l.edge_hash RETURN r.edge_id LIMIT 1
  }[0], '') AS edge_id;

// name: read_relation_states
// mode: read
// summary: Gives with which rules the relations of each document are made.
// returns: doc_id, version, rules
MATCH (d:Ragspine:Document)
WHERE d.sensitivity IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL']
RETURN d.doc_id AS doc_id, d.version AS version, coalesce(d.rules, '') AS rules
ORDER BY doc_id;

// name: find_answer
// mode: read
// summary: Gives a cached answer of a model.
// param id: STRING
// returns: text, input_tokens, output_tokens
MATCH (a:Ragspine:Answer {id: $id})
RETURN a.text AS text, a.input_tokens AS input_tokens, a.output_tokens AS output_tokens;
