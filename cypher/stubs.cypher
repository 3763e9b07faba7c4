// Stubs: all that is kept of a RESTRICTED document by default. Names are keyed hashes.

// name: has_stubs
// mode: read
// summary: Tells whether there is any stub.
// returns: found
RETURN EXISTS { (:Ragspine:Stub) } AS found;

// name: find_stub
// mode: read
// summary: Gives the label of a stub.
// param id_hash: STRING
// returns: sensitivity, is_stated, inputs_hash
MATCH (s:Ragspine:Stub {id: 'stub:' + $id_hash})
  USING INDEX SEEK s:Ragspine(id)
RETURN s.sensitivity AS sensitivity, s.is_stated AS is_stated, s.inputs_hash AS inputs_hash;

// name: find_stub_of_file
// mode: read
// summary: Tells whether a stub of another document is that of a file.
// param source_hash: STRING
// param id_hash: STRING
// returns: found
RETURN EXISTS {
  MATCH (s:Ragspine:Stub)
  WHERE s.source_hash = $source_hash AND s.id_hash <> $id_hash
} AS found;

// name: write_stub
// mode: write
// summary: Writes a stub in place of one that stands there.
// param id_hash: STRING
// param properties: MAP
// param now: STRING
// returns: nothing
MERGE (s:Ragspine:Stub {id: 'stub:' + $id_hash})
SET s.labelled_at = CASE
  WHEN s.sensitivity = $properties.sensitivity THEN s.labelled_at ELSE $now END
SET s += $properties, s.id_hash = $id_hash;

// name: relabel_stub
// mode: write
// summary: Gives a stub the label that a person states.
// param id_hash: STRING
// param sensitivity: STRING
// param now: STRING
// returns: nothing
MATCH (s:Ragspine:Stub {id: 'stub:' + $id_hash})
  USING INDEX SEEK s:Ragspine(id)
SET s.labelled_at = CASE WHEN s.sensitivity = $sensitivity THEN s.labelled_at ELSE $now END
SET s.sensitivity = $sensitivity, s.inputs_hash = '', s.is_stated = true;

// name: set_stub
// mode: write
// summary: Changes properties of a stub.
// param id_hash: STRING
// param properties: MAP
// returns: nothing
MATCH (s:Ragspine:Stub {id: 'stub:' + $id_hash})
  USING INDEX SEEK s:Ragspine(id)
SET s += $properties;

// name: rename_stub
// mode: write
// summary: Names a stub after another place.
// param id_hash: STRING
// param new_hash: STRING
// param properties: MAP
// returns: id_hash
MATCH (s:Ragspine:Stub {id: 'stub:' + $id_hash})
  USING INDEX SEEK s:Ragspine(id)
SET s += $properties, s.id = 'stub:' + $new_hash, s.id_hash = $new_hash
RETURN s.id_hash AS id_hash;

// name: delete_stub
// mode: write
// summary: Removes a stub.
// param id_hash: STRING
// returns: removed
MATCH (s:Ragspine:Stub {id: 'stub:' + $id_hash})
  USING INDEX SEEK s:Ragspine(id)
DETACH DELETE s
RETURN count(*) AS removed;

// name: read_stubs
// mode: read
// summary: Gives all stubs by their hash.
// returns: id_hash, source_hash, content_hash, sensitivity, folder_hashes
MATCH (s:Ragspine:Stub)
RETURN s.id_hash AS id_hash, s.source_hash AS source_hash, s.content_hash AS content_hash,
  s.sensitivity AS sensitivity, s.folder_hashes AS folder_hashes
ORDER BY id_hash;

// name: stubs_of
// mode: read
// summary: Gives the stubs of files with one of these keyed hashes, by their own.
// param contents: LIST<STRING>
// returns: id_hash, source_hash, content_hash, sensitivity
MATCH (s:Ragspine:Stub)
  USING INDEX SEEK s:Ragspine(content_hash)
WHERE s.content_hash IN $contents
RETURN s.id_hash AS id_hash, s.source_hash AS source_hash, s.content_hash AS content_hash,
  s.sensitivity AS sensitivity
ORDER BY id_hash;
