// Labels of sections and children: read, derived in Python, written where they changed.

// name: read_parts
// mode: read
// summary: Gives the labels of a document, its sections and its children, and where they stand.
// param doc_id: STRING
// returns: document, sections, children
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
RETURN d {.sensitivity, .title, .heading, .span_end, .own_label, .root_label, .is_erased, .chunker,
    .first_key, .children} AS document,
  COLLECT {
    MATCH (s:Ragspine:Section)
      USING INDEX SEEK s:Ragspine(doc_id, no)
    WHERE s.doc_id = d.doc_id AND s.no IS NOT NULL
    RETURN s {.no, .parent, .heading, .span_start, .span_end, .own_label, .sensitivity, .is_erased}
    ORDER BY s.no
  } AS sections,
  COLLECT {
    MATCH (c:Ragspine:Child)
      USING INDEX SEEK c:Ragspine(hit_key)
    WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    RETURN c {.hit_key, .seq, .section, .lead_in_start, .lead_in_end,
      span_start: coalesce(c.span_start, c.para_start),
      span_end: coalesce(c.span_end, c.para_end + 1), .sensitivity, .clearance,
      own_label: coalesce(c.own_label, ''), is_erased: coalesce(c.is_erased, false),
      is_indexed: c:RagspineSearchable} ORDER BY c.hit_key
  } AS children;

// name: write_section_labels
// mode: write
// summary: Writes labels of sections.
// param rows: LIST<MAP> - `id` and `properties`
// returns: nothing
UNWIND $rows AS row
MATCH (s:Ragspine {id: row.id})
  USING INDEX SEEK s:Ragspine(id)
SET s += row.properties;

// name: write_child_labels
// mode: write
// summary: Writes labels of children; those that nobody may find any more lose their tokens.
// param rows: LIST<MAP> - `key`, `properties`, and `hide`, whether it may not be found
// returns: nothing
UNWIND $rows AS row
MATCH (c:Ragspine {hit_key: row.key})
  USING INDEX SEEK c:Ragspine(hit_key)
SET c += row.properties
FOREACH (_ IN CASE WHEN row.hide THEN [1] ELSE [] END | REMOVE c:RagspineSearchable, c.tok, c.lead);

// name: read_texts_of_children
// mode: read
// summary: Gives the texts of children to make tokens of.
// param keys: LIST<INTEGER>
// returns: key, text
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key IN $keys
RETURN c.hit_key AS key, c.text AS text;

// name: index_children
// mode: write
// summary: Makes children searchable by their tokens.
// param rows: LIST<MAP> - `key` and `properties`
// returns: nothing
UNWIND $rows AS row
MATCH (c:Ragspine {hit_key: row.key})
  USING INDEX SEEK c:Ragspine(hit_key)
SET c:RagspineSearchable, c += row.properties;

// name: erase_children
// mode: write
// summary: Takes the text of children and marks them as erased.
// param keys: LIST<INTEGER>
// returns: nothing
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key IN $keys
SET c.text = '', c.heading = '', c.is_erased = true
REMOVE c:RagspineSearchable, c.tok, c.lead;

// name: erase_window_texts
// mode: write
// summary: Takes the windows of a document that are kept as text.
// param doc_id: STRING
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
MATCH (c:Ragspine:Child)
  USING INDEX SEEK c:Ragspine(hit_key)
WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children AND c.window_text <> ''
SET c.parent_locator = ''
REMOVE c.window_text;

// name: hide_title
// mode: write
// summary: Calls a document by its id, and whatever was called by its title likewise.
// param doc_id: STRING
// returns: nothing
MATCH (d:Ragspine:Document {id: 'document:' + $doc_id})
  USING INDEX SEEK d:Ragspine(id)
CALL (d) {
  MATCH (c:Ragspine:Child)
    USING INDEX SEEK c:Ragspine(hit_key)
  WHERE c.hit_key >= d.first_key AND c.hit_key < d.first_key + d.children
    AND c.section = 0 AND c.heading = d.title
  SET c.heading = $doc_id
}
SET d.title = $doc_id, d.heading = $doc_id, d.fingerprint = '';

// name: has_children
// mode: read
// summary: Tells whether any child is kept.
// returns: is_there
RETURN EXISTS { MATCH (:Ragspine:Child) } AS is_there;

// name: documents_to_index
// mode: read
// summary: Gives all documents that have searchable children, by id.
// returns: doc_id
MATCH (d:Ragspine:Document)
WHERE d.children > 0
RETURN d.doc_id AS doc_id
ORDER BY doc_id;

// name: record_lowering
// mode: write
// summary: Notes that a label was lowered; what it is of, by its keyed hash alone.
// param properties: MAP
// returns: nothing
CREATE (l:Ragspine:LoweredLabel)
SET l = $properties;
