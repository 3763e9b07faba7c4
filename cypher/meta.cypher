// Small facts a store keeps about itself, one node for each.

// name: find_meta
// mode: read
// summary: Gives one fact, no row when it is not known.
// param key: STRING - such as `schema`
// returns: value
MATCH (m:Ragspine:StoreMeta {id: 'meta:' + $key})
  USING INDEX SEEK m:Ragspine(id)
RETURN m.value AS value;

// name: set_meta
// mode: write
// summary: Keeps one fact in place of what it was.
// param key: STRING
// param value: STRING
// returns: nothing
MERGE (m:Ragspine:StoreMeta {id: 'meta:' + $key})
SET m.key = $key, m.value = $value;

// name: read_meta
// mode: read
// summary: Gives all facts.
// returns: key, value
MATCH (m:Ragspine:StoreMeta)
WHERE m.key IS NOT NULL
RETURN m.key AS key, m.value AS value;

// name: forget_meta
// mode: write
// summary: Removes one fact if it still is what it was.
// param key: STRING
// param value: STRING
// returns: nothing
MATCH (m:Ragspine:StoreMeta {id: 'meta:' + $key})
  USING INDEX SEEK m:Ragspine(id)
WHERE m.value = $value
DETACH DELETE m;
