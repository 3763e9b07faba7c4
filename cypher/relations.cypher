// The relation graph as the store reads it for one reader; docs/graph-scheme.md says what stands in
// it. One relationship is one place that states an edge.
//
// A piece of evidence is seen where its document, every child in its range and every section that
// shares text with those are. `clearance` of relationships is for people who explore: here the labels
// in force are joined at each read. The documents and sections of a read are looked at once.

// name: read_edges
// mode: read
// summary: Gives the evidence that the reader sees of the first edges in order, and how far it looked;
//     one row holds no evidence.
// param wanted: MAP - where edges are looked for: `everywhere`, by `start_ids`, `start_nodes` or
//     `start_doc_ids`; which of them count: `kinds`, `provenances`, `nodes`, `doc_ids`, `models`,
//     `verdicts` and, whether edges without a verdict pass those, `mixed`, those `after` a key; and
//     how many, `look`. One map, since the server plans anew for lists of other lengths
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: looked, end, source, target, entry, entries, piece, collection, labels
CALL () {
  WITH $wanted.everywhere AS everywhere WHERE everywhere
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]->(:Ragspine)
  RETURN r
  UNION
  UNWIND $wanted.start_ids AS edge_id
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {edge_id: edge_id}]->(:Ragspine)
  RETURN r
  UNION
  UNWIND $wanted.start_nodes AS id
  MATCH (:Ragspine {id: id})-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION]-()
  RETURN r
  UNION
  UNWIND $wanted.start_doc_ids AS doc_id
  MATCH (:Ragspine)-[x:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {doc_id: doc_id}]->(:Ragspine)
  WITH DISTINCT x.edge_id AS edge_id
  MATCH (:Ragspine)-[r:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|RULE_RELATION|MODEL_RELATION {edge_id: edge_id}]->(:Ragspine)
  RETURN r
}
WITH r, startNode(r).id AS source, endNode(r).id AS target
WHERE (size($wanted.kinds) = 0 OR r.kind IN $wanted.kinds)
  AND (size($wanted.provenances) = 0 OR r.provenance IN $wanted.provenances)
  AND (size($wanted.nodes) = 0 OR source IN $wanted.nodes OR target IN $wanted.nodes)
WITH r.kind AS kind, source, target, r.provenance AS provenance, collect(r) AS places
WHERE ($wanted.after IS NULL OR [kind, source, target, provenance] > $wanted.after)
  AND (size($wanted.doc_ids) = 0 OR any(r IN places WHERE r.doc_id IN $wanted.doc_ids))
  AND (size($wanted.models) = 0 OR any(r IN places WHERE r.model IN $wanted.models))
WITH kind, source, target, provenance, places, places[0].edge_hash AS edge_hash
WITH kind, source, target, provenance, places, COLLECT {
  MATCH (l:Ragspine:VerdictEntry)
  USING INDEX SEEK l:Ragspine(edge_hash)
  WHERE l.edge_hash = edge_hash
  RETURN l {.edge_hash, .document_hash, .verdict, .reviewer, .note, .at} ORDER BY l.no
} AS log
WITH kind, source, target, provenance, places, log[-1] AS entry, size(log) AS entries
WHERE size($wanted.verdicts) = 0 OR CASE provenance
    WHEN 'model' THEN coalesce(entry.verdict, 'unverified') IN $wanted.verdicts
    ELSE $wanted.mixed
  END
ORDER BY kind, source, target, provenance LIMIT $wanted.look
WITH collect({places: places, entry: entry, entries: entries,
  key: [kind, source, target, provenance]}) AS edges
WITH edges + [{places: [null]}] AS edges, size(edges) AS looked, edges[-1].key AS end
UNWIND edges AS edge
UNWIND edge.places AS piece
WITH looked, end, CASE
    WHEN piece.origin <> 'profile' OR piece.doc_id <> 'company_profile' THEN piece.doc_id
  END AS doc_id, piece.chunk_first AS first,
  piece.chunk_last AS last, CASE WHEN piece.chunk_first IS NULL THEN piece.span_start END AS span_start,
  CASE WHEN piece.chunk_first IS NULL THEN piece.span_end END AS span_end,
  collect([piece, edge.entry, edge.entries]) AS pieces
WITH looked, end, doc_id, collect({first: first, last: last, start: span_start, end: span_end,
  pieces: pieces}) AS places
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.changed <= $state AND d.sensitivity IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1]
  AND ($collections IS NULL OR d.collection IN $collections)
WITH looked, end, d, places WHERE doc_id IS NULL OR d IS NOT NULL
WITH looked, end, d, places, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
  RETURN [s.span_start, s.span_end, s.sensitivity]
} AS strict
UNWIND places AS place
WITH looked, end, d, strict, place, place.first AS first, place.last AS last
CALL (d, first, last) {
  MATCH (c:Ragspine:Child)
  WHERE d.first_key + first <= c.hit_key <= d.first_key + last
    AND c.hit_key < d.first_key + d.children
  RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
    collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts, max(c.span_end) AS ends
}
WITH looked, end, d, place.pieces AS pieces, children, level, coalesce(last - first + 1, 0) AS expected,
  [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
    WHERE s[0] < coalesce(ends, place.end) AND s[1] > coalesce(starts, place.start) | s[2]] AS found
WHERE children = expected AND level <= $clearance
  AND all(label IN found WHERE label IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1])
UNWIND pieces AS known
WITH looked, end, d, found, known[0] AS piece, known[1] AS entry, known[2] AS entries
WHERE coalesce(piece.floor, 0) <= $clearance
RETURN looked, end, startNode(piece).id AS source, endNode(piece).id AS target, entry, entries,
  piece {.edge_id, .kind, .provenance, .doc_id, .chunk_first, .chunk_last, .span_start, .span_end,
    .locator, .quote, .source_name, .target_name, .count, .weight, .model, .prompt, .stale, .floor,
    .is_judged} AS piece,
  d.collection AS collection, [l IN [d.sensitivity] WHERE l IS NOT NULL] + found AS labels;

// name: read_references
// mode: read
// summary: Gives of the first references by source those that the reader sees, and where the next look
//     begins; one row holds no reference.
// param wanted: MAP - the first `source` they may stand in, how many are looked at, `look`, and which
//     alone: those that start or may end at one of `nodes`, those of `doc_ids`; null for any
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: next_source, piece, collection, labels
CALL () {
  WITH $wanted.nodes AS nodes, $wanted.doc_ids AS doc_ids WHERE nodes IS NULL AND doc_ids IS NULL
  MATCH (f:RagspineDerived:Reference)
  RETURN f
  UNION
  WITH CASE WHEN $wanted.nodes IS NULL THEN $wanted.doc_ids ELSE [] END AS doc_ids
  UNWIND doc_ids AS doc_id
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(doc_id)
  WHERE f.doc_id = doc_id
  RETURN f
  UNION
  UNWIND $wanted.nodes AS node
  MATCH (:Ragspine {id: node})-[:HAS_REFERENCE]->(f:Reference)
  RETURN f
  UNION
  UNWIND $wanted.nodes AS node
  MATCH (m:RagspineDerived:Address)
  USING INDEX SEEK m:RagspineDerived(node)
  WHERE m.node = node
  WITH m.doc_id AS doc_id, m.address AS address
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(doc_id, address)
  WHERE f.doc_id = doc_id AND f.address = address AND f.title = ''
  RETURN f
  UNION
  UNWIND $wanted.nodes AS node
  MATCH (m:RagspineDerived:Address)
  USING INDEX SEEK m:RagspineDerived(node)
  WHERE m.node = node
  WITH m.doc_id AS doc_id, m.address AS address
  MATCH (t:RagspineDerived:Title)
  USING INDEX SEEK t:RagspineDerived(doc_id)
  WHERE t.doc_id = doc_id
  WITH t.title AS title, address
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(title)
  WHERE f.title = title AND f.address = address
  RETURN f
  UNION
  UNWIND $wanted.nodes AS node
  MATCH (d:Ragspine:Document {id: node})
  WITH d.doc_id AS doc_id
  MATCH (t:RagspineDerived:Title)
  USING INDEX SEEK t:RagspineDerived(doc_id)
  WHERE t.doc_id = doc_id
  WITH t.title AS title
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(title)
  WHERE f.title = title AND f.address = ''
  RETURN f
}
WITH f WHERE f.source >= $wanted.source AND ($wanted.doc_ids IS NULL OR f.doc_id IN $wanted.doc_ids)
WITH f ORDER BY f.source LIMIT $wanted.look + 1
WITH collect(f) AS looked
WITH looked + [null] AS looked, looked[$wanted.look].source AS next_source
UNWIND looked AS piece
WITH next_source, piece
WHERE piece IS NULL OR next_source IS NULL OR piece.source < next_source
WITH next_source, piece.doc_id AS doc_id, piece.chunk_first AS first,
  piece.chunk_last AS last, CASE WHEN piece.chunk_first IS NULL THEN piece.span_start END AS span_start,
  CASE WHEN piece.chunk_first IS NULL THEN piece.span_end END AS span_end,
  collect(piece) AS pieces
WITH next_source, doc_id, collect({first: first, last: last, start: span_start, end: span_end,
  pieces: pieces}) AS places
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.changed <= $state AND d.sensitivity IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1]
  AND ($collections IS NULL OR d.collection IN $collections)
WITH next_source, d, places WHERE doc_id IS NULL OR d IS NOT NULL
WITH next_source, d, places, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
  RETURN [s.span_start, s.span_end, s.sensitivity]
} AS strict
UNWIND places AS place
WITH next_source, d, strict, place, place.first AS first, place.last AS last
CALL (d, first, last) {
  MATCH (c:Ragspine:Child)
  WHERE d.first_key + first <= c.hit_key <= d.first_key + last
    AND c.hit_key < d.first_key + d.children
  RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
    collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts, max(c.span_end) AS ends
}
WITH next_source, d, place.pieces AS pieces, children, level, coalesce(last - first + 1, 0) AS expected,
  [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
    WHERE s[0] < coalesce(ends, place.end) AND s[1] > coalesce(starts, place.start) | s[2]] AS found
WHERE children = expected AND level <= $clearance
  AND all(label IN found WHERE label IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1])
UNWIND CASE pieces WHEN [] THEN [null] ELSE pieces END AS piece
RETURN next_source, piece {.source, .title, .address, .doc_id, .chunk_first, .chunk_last,
    .span_start, .span_end, .locator, .quote, .source_name, .target_name, .count, .weight, .model,
    .prompt} AS piece,
  d.collection AS collection, [l IN [d.sensitivity] WHERE l IS NOT NULL] + found AS labels;

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
  MATCH (j:RagspineDerived:Rejection)
  USING INDEX SEEK j:RagspineDerived(doc_id)
  WHERE j.doc_id = doc_id
  RETURN j
}
WITH j.doc_id AS doc_id, j.chunk_first AS first,
  j.chunk_last AS last, CASE WHEN j.chunk_first IS NULL THEN j.span_start END AS span_start,
  CASE WHEN j.chunk_first IS NULL THEN j.span_end END AS span_end,
  collect(j) AS pieces
WITH doc_id, collect({first: first, last: last, start: span_start, end: span_end,
  pieces: pieces}) AS places
OPTIONAL MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
WHERE d.changed <= $state AND d.sensitivity IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1]
  AND ($collections IS NULL OR d.collection IN $collections)
WITH d, places WHERE doc_id IS NULL OR d IS NOT NULL
WITH d, places, COLLECT {
  MATCH (s:Ragspine:Section)
  WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.sensitivity <> d.sensitivity
  RETURN [s.span_start, s.span_end, s.sensitivity]
} AS strict
UNWIND places AS place
WITH d, strict, place, place.first AS first, place.last AS last
CALL (d, first, last) {
  MATCH (c:Ragspine:Child)
  WHERE d.first_key + first <= c.hit_key <= d.first_key + last
    AND c.hit_key < d.first_key + d.children
  RETURN count(c) AS children, coalesce(max(c.clearance), 0) AS level,
    collect(DISTINCT c.sensitivity) AS found, min(c.span_start) AS starts, max(c.span_end) AS ends
}
WITH d, place.pieces AS pieces, children, level, coalesce(last - first + 1, 0) AS expected,
  [l IN [d.root_label] WHERE l <> d.sensitivity] + found + [s IN strict
    WHERE s[0] < coalesce(ends, place.end) AND s[1] > coalesce(starts, place.start) | s[2]] AS found
WHERE children = expected AND level <= $clearance
  AND all(label IN found WHERE label IN ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1])
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
    WITH asked, labels, asked.title AS title
    MATCH (t:RagspineDerived:Title)
    USING INDEX SEEK t:RagspineDerived(title)
    WHERE t.title = title
    WITH asked, labels, t.doc_id AS doc_id
    MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
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
    WITH labels, d, closed, d.doc_id AS doc_id, one.address AS address
    MATCH (m:RagspineDerived:Address)
    USING INDEX SEEK m:RagspineDerived(doc_id, address)
    WHERE m.doc_id = doc_id AND m.address = address
    WITH labels, d, closed, m.node AS node, m.position AS position
    MATCH (t:Ragspine {id: node})
    WHERE t.clearance <= $clearance AND t.sensitivity IN labels AND d.root_label IN labels
      AND none(s IN closed WHERE s[2] = t.id OR CASE
        WHEN t:Child THEN s[0] < t.span_end AND s[1] > t.span_start
        ELSE s[0] <= t.span_start AND s[1] > t.span_start
      END)
    RETURN t ORDER BY position LIMIT 1
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
  + COLLECT {
    MATCH (m:RagspineDerived:Address)
    USING INDEX SEEK m:RagspineDerived(address)
    WHERE m.address = $name
    RETURN DISTINCT m.node
  }
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

// name: read_links
// mode: read
// summary: Gives where names and the references of seeds lead: a part, with its first children that
//     the reader sees, and its document.
// param asked: MAP - `names` of documents, `seeds` as `doc_id` and `seq`, how many documents may bear
//     a name, `most_titled`, and how many children are given, `most_children`. One map, since the
//     server plans anew for lists of other lengths
// param state: INTEGER
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: link, document, children
WITH ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL'][..$clearance + 1] AS labels
CALL (labels) {
  UNWIND $asked.names AS name
  MATCH (t:RagspineDerived:Title)
  USING INDEX SEEK t:RagspineDerived(title)
  WHERE t.title = name
  WITH labels, name, t.doc_id AS doc_id
  MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
  WHERE d.changed <= $state AND d.sensitivity IN labels
    AND ($collections IS NULL OR d.collection IN $collections)
  WITH name, collect(DISTINCT d) AS documents
  WHERE size(documents) <= $asked.most_titled
  UNWIND documents AS d
  RETURN {name: name, target: d.id} AS link, d AS target, d
  UNION ALL
  UNWIND $asked.seeds AS seed
  MATCH (own:Ragspine:Document {id: 'document:' + seed.doc_id})
  MATCH (f:RagspineDerived:Reference)
  USING INDEX SEEK f:RagspineDerived(doc_id)
  WHERE f.doc_id = seed.doc_id AND f.chunk_first = seed.seq AND f.chunk_last = seed.seq
  CALL (labels, own, f) {
    WITH own, f WHERE f.title = ''
    RETURN own AS d
    UNION ALL
    WITH labels, own, f WHERE f.title <> ''
    CALL (labels, own, f) {
      WITH labels, own, f.title AS title
      MATCH (t:RagspineDerived:Title)
      USING INDEX SEEK t:RagspineDerived(title)
      WHERE t.title = title
      WITH labels, own, t.doc_id AS doc_id
      MATCH (d:Ragspine:Document {id: 'document:' + doc_id})
      WHERE d.changed <= $state AND d.sensitivity IN labels
        AND ($collections IS NULL OR d.collection IN $collections)
      RETURN d ORDER BY d.collection <> own.collection, d.doc_id LIMIT 1
    }
    RETURN d
  }
  CALL (labels, d, f) {
    WITH d, f WHERE f.address = ''
    RETURN d AS target
    UNION ALL
    WITH labels, d, f WHERE f.address <> ''
    CALL (labels, d, f) {
      WITH labels, d, d.doc_id AS doc_id, f.address AS address, COLLECT {
        MATCH (s:Ragspine:Section)
        WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND NOT s.sensitivity IN labels
        RETURN [s.span_start, s.span_end, s.id]
      } AS closed
      MATCH (m:RagspineDerived:Address)
      USING INDEX SEEK m:RagspineDerived(doc_id, address)
      WHERE m.doc_id = doc_id AND m.address = address
      WITH labels, d, closed, m.node AS node, m.position AS position
      MATCH (t:Ragspine {id: node})
      WHERE t.clearance <= $clearance AND t.sensitivity IN labels AND d.root_label IN labels
        AND none(s IN closed WHERE s[2] = t.id OR CASE
          WHEN t:Child THEN s[0] < t.span_end AND s[1] > t.span_start
          ELSE s[0] <= t.span_start AND s[1] > t.span_start
        END)
      RETURN t ORDER BY position LIMIT 1
    }
    RETURN t AS target
  }
  RETURN {doc_id: seed.doc_id, seq: seed.seq, source: f.source, start: f.span_start, end: f.span_end,
    target: target.id} AS link, target, d
}
RETURN link,
  [d.doc_id, d.title, d.topic, d.entity, d.geography, d.period, d.language, d.collection,
    d.sensitivity, d.valid_as_of, d.version, d.ingested_at, d.offsets, d.pages,
    d.root_label] AS document, COLLECT {
  MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    AND c.clearance <= $clearance AND c.sensitivity IN labels
    AND CASE
      WHEN target:Child THEN c.hit_key = target.hit_key
      WHEN target:Section THEN c.span_start >= target.span_start AND c.span_end <= target.span_end
      ELSE true
    END
  MATCH path = (c)<-[:PARENT_OF*]-(:Document)
  WITH c, reverse(nodes(path)[1..]) AS above
  WHERE all(s IN above WHERE coalesce(s.root_label, s.sensitivity) IN labels)
  WITH c, above ORDER BY c.hit_key LIMIT $asked.most_children
  RETURN [
    [c.hit_key, c.id, c.doc_id, c.seq, c.text, c.source_locator, c.para_start, c.para_end,
      c.sensitivity, c.parent_id, c.heading, c.window_text, c.parent_locator, c.node,
      c.span_start, c.span_end, c.window_start, c.window_end],
    [s IN above[1..] | [s.no, s.heading, s.sensitivity, s.span_start, s.span_end]]
  ]
} AS children;
