// What is held of the edges that models proposed, and where edges come from.
//
// Each query is for one reader, as in explore.cypher; here rejected edges are shown too.

// name: edges_by_provenance
// mode: read
// summary: Counts edges by kind, by where they come from and by the verdict on them.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: kind, provenance, verified, edges, places
MATCH (a:Ragspine)-[r]->(b:Ragspine)
WHERE r.edge_id IS NOT NULL AND a <> b
  AND none(i IN range(0, size(coalesce(r.before_clearances, [])) - 1)
    WHERE r.before_clearances[i] <= $clearance
      AND ($collections IS NULL OR r.before_collections[i] IN $collections))
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
RETURN r.kind AS kind, r.provenance AS provenance, r.verified AS verified,
  count(DISTINCT r.edge_id) AS edges, count(r) AS places
ORDER BY kind, provenance, verified;

// name: unverified_edges
// mode: read
// summary: Lists edges of models that wait for a verdict, document by document.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param document: STRING | NULL = null - stated in one document; null for all
// param limit: INTEGER = 100 - places at most
// returns: doc_id, locator, source, kind, target, quote, model, edge_id
MATCH (a:Ragspine:Entity)-[r:MODEL_RELATION]->(b:Ragspine:Entity)
WHERE r.verified = 'unverified'
  AND ($document IS NULL OR r.doc_id = $document)
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
RETURN r.doc_id AS doc_id, r.locator AS locator, a.id AS source, r.kind AS kind, b.id AS target,
  r.quote AS quote, r.model AS model, r.edge_id AS edge_id
ORDER BY doc_id, locator, source, kind, target, quote, model
LIMIT $limit;

// name: unverified_by_document
// mode: read
// summary: Counts edges of models that wait for a verdict, by document.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// returns: doc_id, edges, places, stale
MATCH (a:Ragspine:Entity)-[r:MODEL_RELATION]->(b:Ragspine:Entity)
WHERE r.verified = 'unverified'
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
RETURN r.doc_id AS doc_id, count(DISTINCT r.edge_id) AS edges, count(r) AS places,
  sum(CASE WHEN r.stale THEN 1 ELSE 0 END) AS stale
ORDER BY edges DESC, doc_id;

// name: verdicts_since
// mode: read
// summary: Lists edges on which a person decided since a time, the newest first.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param since: STRING - ISO 8601 in UTC, such as 2026-01-31
// param limit: INTEGER = 100 - edges at most
// returns: reviewed_at, reviewer, verified, source, kind, target, note, edge_id
MATCH (a:Ragspine:Entity)-[r:MODEL_RELATION]->(b:Ragspine:Entity)
WHERE r.reviewed_at >= $since
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
RETURN DISTINCT r.reviewed_at AS reviewed_at, r.reviewer AS reviewer, r.verified AS verified,
  a.id AS source, r.kind AS kind, b.id AS target, r.note AS note, r.edge_id AS edge_id
ORDER BY reviewed_at DESC, source, kind, target
LIMIT $limit;

// name: stale_edges
// mode: read
// summary: Lists edges of models of which some words are gone from their document.
// param clearance: INTEGER
// param collections: LIST<STRING> | NULL
// param limit: INTEGER = 100 - places at most
// returns: doc_id, locator, source, kind, target, verified, quote, edge_id
MATCH (a:Ragspine:Entity)-[r:MODEL_RELATION]->(b:Ragspine:Entity)
WHERE r.stale
  AND r.clearance <= $clearance
  AND ($collections IS NULL OR r.collection IN $collections)
  AND a.clearance <= $clearance
  AND ($collections IS NULL OR a.collection IS NULL OR a.collection IN $collections)
  AND b.clearance <= $clearance
  AND ($collections IS NULL OR b.collection IS NULL OR b.collection IN $collections)
RETURN r.doc_id AS doc_id, r.locator AS locator, a.id AS source, r.kind AS kind, b.id AS target,
  r.verified AS verified, r.quote AS quote, r.edge_id AS edge_id
ORDER BY doc_id, locator, source, kind, target, quote
LIMIT $limit;
