// Lucene keeps the tokens and statistics of what was removed until it merges its files, at a time of
// its own. So an index that may hold something of what was deleted or became RESTRICTED is made
// anew beside the old one. Two indexes may not be defined alike: the second one names another label
// too, which no node has. The first one stands in `schema.cypher`.

// name: make_other_tokens_index
// mode: write
// summary: Makes the second of the two full-text indexes.
// returns: nothing
CREATE FULLTEXT INDEX ragspine_other_tokens IF NOT EXISTS
FOR (n:RagspineSearchable|RagspineNothing) ON EACH [n.tok, n.lead]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};

// name: drop_tokens_index
// mode: write
// summary: Removes the first of the two full-text indexes.
// returns: nothing
DROP INDEX ragspine_tokens IF EXISTS;

// name: drop_other_tokens_index
// mode: write
// summary: Removes the second of the two full-text indexes.
// returns: nothing
DROP INDEX ragspine_other_tokens IF EXISTS;

// name: await_indexes
// mode: read
// summary: Waits until all indexes answer.
// returns: nothing
CALL db.awaitIndexes(600);

// name: use_index
// mode: write
// summary: Lets searches use an index from now on.
// param index: STRING
// returns: nothing
MATCH (changes:Ragspine:StoreMeta {id: 'meta:changes'})
  USING INDEX SEEK changes:Ragspine(id)
SET changes.index = $index;
