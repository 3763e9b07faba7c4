// How transactions of a store begin and end. One node counts the changes: whoever writes locks it
// first, so that one writes at a time, and a document says in `changed` with which change it came to
// be as it is.

// name: find_state
// mode: read
// summary: Gives the number of the last change, the name of the full-text index in use, and the words
//   that are indexed.
// returns: state, index, words
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
RETURN changes.number AS state, changes.index AS index, coalesce(changes.words, '') AS words;

// name: lock_store
// mode: write
// summary: Takes the store's write lock, and gives the number that the next change will have.
// returns: state, index, words
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
SET changes.is_locked = true  // the lock comes before the number is read
WITH changes
REMOVE changes.is_locked
RETURN changes.number + 1 AS state, changes.index AS index, coalesce(changes.words, '') AS words;

// name: use_words
// mode: write
// summary: Notes the words that are indexed from now on.
// param words: STRING - as they are described, '' for none
// returns: nothing
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
SET changes.words = $words;

// name: count_change
// mode: write
// summary: Counts a change.
// param state: INTEGER - its number
// returns: nothing
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
SET changes.number = $state;

// name: make_change_counter
// mode: write
// summary: Makes the node that counts changes where there is none.
// returns: nothing
MERGE (changes:Ragspine:StoreMeta {id: 'meta:changes'})
ON CREATE SET changes.number = 0, changes.index = 'ragspine_tokens';
