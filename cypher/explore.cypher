// What people ask of the graph; docs/graph-scheme.md says what stands in it.
//
// Each query is for one reader: `clearance` is the highest level that may be seen, `collections` the
// collections, null for all. One relationship is one place that states an edge, so edges are counted
// by `edge_id`. Edges of a model are followed when a person has verified them; `unverified` lets
// those without a verdict be followed too, rejected ones never are.

// name: neighbourhood
// mode: read
// summary: Shows the edges around an entity, those that are stated in most places first.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param entity: STRING - its id or its name
// param unverified: BOOLEAN = false - follow edges that no person has verified too
// param limit: INTEGER = 100 - edges at most
// returns: source, source_name, kind, target, target_name, provenance, verified, weight, places
MATCH (e:Ragspine:Entity)-[r]-(other:Ragspine)
WHERE (e.id = $entity OR e.name = $entity) AND e <> other
  AND (r.verified IS NULL OR r.verified = 'verified' OR ($unverified AND r.verified = 'unverified'))
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IS NULL OR r.collection IN $collections)
  AND e.clearance <= $clearance
  AND ($collections IS NULL OR e.collection IS NULL OR e.collection IN $collections)
  AND other.clearance <= $clearance
  AND ($collections IS NULL OR other.collection IS NULL OR other.collection IN $collections)
WITH DISTINCT r, startNode(r) AS s, endNode(r) AS t
WITH r.edge_id AS edge_id, s, t, r.kind AS kind, r.provenance AS provenance,
  r.verified AS verified, max(r.weight) AS weight, count(r) AS places
RETURN s.id AS source, coalesce(s.name, s.title, s.heading, '') AS source_name, kind,
  t.id AS target, coalesce(t.name, t.title, t.heading, '') AS target_name,
  provenance, verified, weight, places
ORDER BY places DESC, kind, source, target, provenance
LIMIT $limit;

// name: path
// mode: read
// summary: Shows the shortest paths between two nodes, edges walked in either direction.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param source: STRING - id of a node, or name of an entity
// param target: STRING - likewise
// param unverified: BOOLEAN = false - follow edges that no person has verified too
// param limit: INTEGER = 5 - paths at most
// returns: nodes, hops
MATCH (a:Ragspine)
WHERE a.id = $source OR (a:Entity AND a.name = $source)
WITH a
MATCH (b:Ragspine)
WHERE (b.id = $target OR (b:Entity AND b.name = $target)) AND a <> b
WITH a, b
MATCH p = allShortestPaths((a)-[:ENTITY_PARENT_OF|DERIVES|COMPETES_WITH|MENTIONS|CO_OCCURS_WITH|REFERS_TO|RULE_RELATION|MODEL_RELATION*..6]-(b))
WHERE all(r IN relationships(p) WHERE
      (r.verified IS NULL OR r.verified = 'verified'
        OR ($unverified AND r.verified = 'unverified'))
      AND r.clearance <= $clearance
      AND ($collections IS NULL OR r.collection IS NULL OR r.collection IN $collections)
      AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
        WHERE r.before_clearances[i] <= $clearance
          AND ($collections IS NULL OR r.before_collections[i] IN $collections)))
  AND all(n IN nodes(p) WHERE
      n.clearance <= $clearance
      AND ($collections IS NULL OR n.collection IS NULL OR n.collection IN $collections))
WITH DISTINCT [n IN nodes(p) | n.id] AS nodes, length(p) AS hops
RETURN nodes, hops
ORDER BY hops, nodes
LIMIT $limit;

// name: mentions
// mode: read
// summary: Shows where an entity is mentioned, with the words.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param entity: STRING - its id or its name
// param limit: INTEGER = 100 - places at most
// returns: entity, doc_id, locator, part, written, quote, provenance
MATCH (p:Ragspine)-[r:MENTIONS]->(e:Ragspine:Entity)
WHERE (e.id = $entity OR e.name = $entity)
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND e.clearance <= $clearance
  AND ($collections IS NULL OR e.collection IS NULL OR e.collection IN $collections)
  AND p.clearance <= $clearance
  AND ($collections IS NULL OR p.collection IN $collections)
RETURN e.id AS entity, r.doc_id AS doc_id, r.locator AS locator, p.id AS part,
  r.target_name AS written, r.quote AS quote, r.provenance AS provenance
ORDER BY entity, doc_id, part, locator, written, provenance, quote
LIMIT $limit;

// name: mentioned_in
// mode: read
// summary: Lists the entities that a document mentions, the most often mentioned first.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param document: STRING - id of the document, such as rules.md
// param limit: INTEGER = 100 - entities at most
// returns: entity, name, entity_type, places
MATCH (p:Ragspine)-[r:MENTIONS]->(e:Ragspine:Entity)
WHERE p.doc_id = $document
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND e.clearance <= $clearance
  AND ($collections IS NULL OR e.collection IS NULL OR e.collection IN $collections)
  AND p.clearance <= $clearance
  AND ($collections IS NULL OR p.collection IN $collections)
RETURN e.id AS entity, e.name AS name, e.entity_type AS entity_type, count(r) AS places
ORDER BY places DESC, entity
LIMIT $limit;

// name: references_out
// mode: read
// summary: Shows what an article refers to, from anywhere inside it.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param article: STRING - id of a document, section or child, such as rules.md#s2
// param limit: INTEGER = 100 - references at most
// returns: source, target, kind, target_heading, quote, locator
MATCH (a:Ragspine)
WHERE a.id IN ['document:' + $article, 'section:' + $article, 'child:' + $article, $article]
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IN $collections)
MATCH (a)-[:PARENT_OF*0..]->(s:Ragspine)-[r:REFERS_TO]->(t:Ragspine)
WHERE s <> t
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
    WHERE r.before_clearances[i] <= $clearance
      AND ($collections IS NULL OR r.before_collections[i] IN $collections))
  AND s.clearance <= $clearance
  AND ($collections IS NULL OR s.collection IN $collections)
  AND t.clearance <= $clearance
  AND ($collections IS NULL OR t.collection IN $collections)
RETURN DISTINCT s.id AS source, t.id AS target, r.kind AS kind,
  coalesce(t.title, t.heading, '') AS target_heading, r.quote AS quote, r.locator AS locator
ORDER BY source, target, locator, quote
LIMIT $limit;

// name: references_into
// mode: read
// summary: Shows what refers to an article, or to anything inside it.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param article: STRING - id of a document, section or child, such as rules.md#s2
// param limit: INTEGER = 100 - references at most
// returns: source, target, kind, source_heading, quote, locator
MATCH (a:Ragspine)
WHERE a.id IN ['document:' + $article, 'section:' + $article, 'child:' + $article, $article]
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IN $collections)
MATCH (a)-[:PARENT_OF*0..]->(t:Ragspine)<-[r:REFERS_TO]-(s:Ragspine)
WHERE s <> t
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
    WHERE r.before_clearances[i] <= $clearance
      AND ($collections IS NULL OR r.before_collections[i] IN $collections))
  AND s.clearance <= $clearance
  AND ($collections IS NULL OR s.collection IN $collections)
  AND t.clearance <= $clearance
  AND ($collections IS NULL OR t.collection IN $collections)
RETURN DISTINCT s.id AS source, t.id AS target, r.kind AS kind,
  coalesce(s.title, s.heading, '') AS source_heading, r.quote AS quote, r.locator AS locator
ORDER BY source, target, locator, quote
LIMIT $limit;

// name: sections_without_references
// mode: read
// summary: Lists sections that refer to nothing and that nothing refers to, whatever they contain
//     included.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param document: STRING | NULL = null - of one document; null for all
// param limit: INTEGER = 100 - sections at most
// returns: section, doc_id, heading, no
MATCH (s:Ragspine:Section)
WHERE ($document IS NULL OR s.doc_id = $document)
  AND s.clearance <= $clearance
  AND ($collections IS NULL OR s.collection IN $collections)
  AND NOT EXISTS {
    MATCH (s)-[:PARENT_OF*0..]->(p:Ragspine)-[r:REFERS_TO]-(q:Ragspine)
    WHERE p <> q
      AND r.clearance <= $clearance
      AND ($collections IS NULL OR r.collection IN $collections)
      AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
        WHERE r.before_clearances[i] <= $clearance
          AND ($collections IS NULL OR r.before_collections[i] IN $collections))
      AND p.clearance <= $clearance
      AND ($collections IS NULL OR p.collection IN $collections)
      AND q.clearance <= $clearance
      AND ($collections IS NULL OR q.collection IN $collections)
  }
RETURN s.id AS section, s.doc_id AS doc_id, s.heading AS heading, s.no AS no
ORDER BY doc_id, no
LIMIT $limit;

// name: dangling_references
// mode: read
// summary: Lists references that nothing this reader may see answers to.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param document: STRING | NULL = null - standing in one document; null for all
// param limit: INTEGER = 100 - references at most
// returns: source, doc_id, locator, quote, title, address
MATCH (s:Ragspine)-[:HAS_REFERENCE]->(f:Ragspine:Reference)
WHERE ($document IS NULL OR f.doc_id = $document)
  AND f.clearance <= $clearance
  AND ($collections IS NULL OR f.collection IN $collections)
  AND s.clearance <= $clearance
  AND ($collections IS NULL OR s.collection IN $collections)
  AND NOT EXISTS {
    MATCH (s)-[r:REFERS_TO]->(t:Ragspine)
    WHERE r.reference = f.id
      AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
        WHERE r.before_clearances[i] <= $clearance
          AND ($collections IS NULL OR r.before_collections[i] IN $collections))
      AND t.clearance <= $clearance
      AND ($collections IS NULL OR t.collection IN $collections)
  }
RETURN s.id AS source, f.doc_id AS doc_id, f.locator AS locator, f.quote AS quote,
  f.title AS title, f.address AS address
ORDER BY doc_id, source, locator, quote, address, title
LIMIT $limit;

// name: most_connected
// mode: read
// summary: Lists the entities with the most neighbours.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param unverified: BOOLEAN = false - count edges that no person has verified too
// param limit: INTEGER = 20 - entities at most
// returns: entity, name, entity_type, neighbours, edges
MATCH (e:Ragspine:Entity)-[r]-(other:Ragspine)
WHERE e <> other
  AND (r.verified IS NULL OR r.verified = 'verified' OR ($unverified AND r.verified = 'unverified'))
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IS NULL OR r.collection IN $collections)
  AND e.clearance <= $clearance
  AND ($collections IS NULL OR e.collection IS NULL OR e.collection IN $collections)
  AND other.clearance <= $clearance
  AND ($collections IS NULL OR other.collection IS NULL OR other.collection IN $collections)
RETURN e.id AS entity, e.name AS name, e.entity_type AS entity_type,
  count(DISTINCT other.id) AS neighbours, count(DISTINCT r.edge_id) AS edges
ORDER BY neighbours DESC, edges DESC, entity
LIMIT $limit;

// name: co_occurrences
// mode: read
// summary: Lists entities that stand together, the most strongly joined first.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param entity: STRING | NULL = null - id or name of one of the two; null for all
// param least_weight: FLOAT = 0.0 - weight at least
// param limit: INTEGER = 50 - pairs at most
// returns: source, source_name, kind, target, target_name, weight, places, windows
MATCH (a:Ragspine:Entity)-[r:CO_OCCURS_WITH]->(b:Ragspine:Entity)
WHERE ($entity IS NULL OR a.id = $entity OR a.name = $entity OR b.id = $entity OR b.name = $entity)
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
WITH a, b, r.kind AS kind, max(r.weight) AS weight, count(r) AS places, sum(r.count) AS windows
WHERE weight >= $least_weight
RETURN a.id AS source, a.name AS source_name, kind, b.id AS target, b.name AS target_name,
  weight, places, windows
ORDER BY weight DESC, windows DESC, source, target
LIMIT $limit;

// name: changed_since
// mode: read
// summary: Lists documents that were written since a time, the newest first.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param since: STRING - ISO 8601 in UTC, such as 2026-01-31 or 2026-01-31T09:00:00+00:00
// param limit: INTEGER = 100 - documents at most
// returns: doc_id, title, version, ingested_at
MATCH (d:Ragspine:Document)
WHERE d.ingested_at >= $since
  AND d.clearance <= $clearance
  AND ($collections IS NULL OR d.collection IN $collections)
RETURN d.doc_id AS doc_id, d.title AS title, d.version AS version, d.ingested_at AS ingested_at
ORDER BY ingested_at DESC, doc_id
LIMIT $limit;

// name: only_model
// mode: read
// summary: Lists entities that only edges of a model reach, rejected ones left out.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param limit: INTEGER = 100 - entities at most
// returns: entity, name, entity_type, edges, verified
MATCH (e:Ragspine:Entity)-[r]-(other:Ragspine)
WHERE (r.verified IS NULL OR r.verified <> 'rejected')
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IS NULL OR r.collection IN $collections)
  AND e.clearance <= $clearance
  AND ($collections IS NULL OR e.collection IS NULL OR e.collection IN $collections)
  AND other.clearance <= $clearance
  AND ($collections IS NULL OR other.collection IS NULL OR other.collection IN $collections)
WITH e, collect(DISTINCT r.provenance) AS provenances, count(DISTINCT r.edge_id) AS edges,
  count(DISTINCT CASE WHEN r.verified = 'verified' THEN r.edge_id END) AS verified
WHERE provenances = ['model']
RETURN e.id AS entity, e.name AS name, e.entity_type AS entity_type, edges, verified
ORDER BY edges DESC, entity
LIMIT $limit;
