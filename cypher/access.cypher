// Keys of the service. A secret is kept as its SHA-256 alone; no reader's query touches these nodes.

// name: find_key
// mode: read
// summary: Gives a key by its public id.
// param key_id: STRING
// returns: kept
MATCH (k:Ragspine:AccessKey {id: 'access_key:' + $key_id})
  USING INDEX SEEK k:Ragspine(id)
RETURN properties(k) AS kept;

// name: read_keys
// mode: read
// summary: Gives all keys, oldest first.
// returns: kept
MATCH (k:Ragspine:AccessKey)
RETURN properties(k) AS kept
ORDER BY k.created_at, k.key_id;

// name: add_key
// mode: write
// summary: Keeps a new key.
// param key_id: STRING
// param properties: MAP
// returns: nothing
CREATE (k:Ragspine:AccessKey {id: 'access_key:' + $key_id})
SET k += $properties;

// name: revoke_key
// mode: write
// summary: Refuses a key from now on; no row when there is none to revoke.
// param key_id: STRING
// param at: STRING - ISO 8601, UTC
// returns: key_id
MATCH (k:Ragspine:AccessKey {id: 'access_key:' + $key_id})
  USING INDEX SEEK k:Ragspine(id)
WHERE k.revoked_at = ''
SET k.revoked_at = $at
RETURN k.key_id AS key_id;
