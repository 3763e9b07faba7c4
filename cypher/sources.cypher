// Where documents came from, as an ingest and a sync compare it, and their moves.

// name: find_origin
// mode: read
// summary: Gives what a document was made of.
// param doc_id: STRING
// returns: content_hash, inputs_hash, is_stated
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
RETURN d.content_hash AS content_hash,
  CASE WHEN d.fingerprint = '' THEN '' ELSE d.inputs_hash END AS inputs_hash,
  d.is_stated AS is_stated;

// name: documents_below
// mode: read
// summary: Gives the documents whose files lay below a folder, by id.
// param below: STRING - the folder with a separator at its end
// returns: doc_id, source_path, content_hash, sensitivity, labels
MATCH (d:Ragspine:Document)
  USING INDEX SEEK d:Ragspine(source_path)
WHERE d.source_path STARTS WITH $below
WITH d, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] AS levels
RETURN d.doc_id AS doc_id, d.source_path AS source_path, d.content_hash AS content_hash,
  d.sensitivity AS sensitivity,
  [label IN [d.own_label] WHERE label <> '']
  + COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.own_label <> ''
    RETURN DISTINCT s.own_label
  }
  + COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
      AND (c.own_label <> '' OR c.sensitivity <> levels[c.clearance])
    UNWIND [c.own_label, CASE WHEN c.sensitivity <> levels[c.clearance] THEN c.sensitivity END]
      AS label
    WITH label WHERE label <> ''
    RETURN DISTINCT label
  } AS labels
ORDER BY doc_id;

// name: documents_of
// mode: read
// summary: Gives the documents made of files with one of these hashes, by id.
// param contents: LIST<STRING> - hashes of the bytes of files
// returns: doc_id, source_path, content_hash, sensitivity, labels
MATCH (d:Ragspine:Document)
  USING INDEX SEEK d:Ragspine(content_hash)
WHERE d.content_hash IN $contents
WITH d, ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] AS levels
RETURN d.doc_id AS doc_id, d.source_path AS source_path, d.content_hash AS content_hash,
  d.sensitivity AS sensitivity,
  [label IN [d.own_label] WHERE label <> '']
  + COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL AND s.own_label <> ''
    RETURN DISTINCT s.own_label
  }
  + COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
      AND (c.own_label <> '' OR c.sensitivity <> levels[c.clearance])
    UNWIND [c.own_label, CASE WHEN c.sensitivity <> levels[c.clearance] THEN c.sensitivity END]
      AS label
    WITH label WHERE label <> ''
    RETURN DISTINCT label
  } AS labels
ORDER BY doc_id;

// name: move_document
// mode: write
// summary: Gives a document and all that is named after it another id.
// param old: STRING
// param new: STRING
// param source_path: STRING
// param new_source_path: STRING
// param state: INTEGER
// returns: moved
MATCH (d:Ragspine:Document {id: 'document:' + $old, source_path: $source_path})
  USING INDEX SEEK d:Ragspine(id)
WITH d, size($old) AS after
CALL (d, after) {
  MATCH (d)-[:HAS_TEXT]->(t:Ragspine)
  SET t.doc_id = $new, t.id = 'text:' + $new + substring(t.id, size('text:') + after)
}
CALL (d, after) {
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
  SET c.doc_id = $new, c.id = 'child:' + $new + substring(c.id, size('child:') + after),
    c.source_locator = $new + substring(c.source_locator, after),
    c.parent_id = CASE c.parent_id WHEN '' THEN '' ELSE $new + substring(c.parent_id, after) END,
    c.parent_locator = CASE c.parent_locator
      WHEN '' THEN '' ELSE $new + substring(c.parent_locator, after) END,
    c.heading = CASE c.heading WHEN $old THEN $new ELSE c.heading END
}
CALL (d, after) {
  MATCH (s:Ragspine:Section)
    USING INDEX SEEK s:Ragspine(doc_id, no)
  WHERE s.doc_id = $old AND s.no IS NOT NULL
  SET s.doc_id = $new, s.id = 'section:' + $new + substring(s.id, size('section:') + after),
    s.locator = CASE s.locator WHEN '' THEN '' ELSE $new + substring(s.locator, after) END
}
CALL (d, after) {
  MATCH (b:Ragspine:Branch)
    USING INDEX SEEK b:Ragspine(doc_id, no)
  WHERE b.doc_id = $old AND b.no IS NOT NULL
  SET b.doc_id = $new, b.id = 'branch:' + $new + substring(b.id, size('branch:') + after)
}
SET d.doc_id = $new, d.id = 'document:' + $new, d.source_path = $new_source_path,
  d.inputs_hash = '', d.changed = $state,
  d.title = CASE d.title WHEN $old THEN $new ELSE d.title END,
  d.heading = CASE d.heading WHEN $old THEN $new ELSE d.heading END
RETURN count(d) AS moved;
