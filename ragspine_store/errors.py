"""Everything the store package raises on purpose.

    StoreError
    ├── LoadError              a source file cannot be read as a document
    ├── LabelError             a sensitivity label is unknown, or would be lowered silently
    ├── DocumentIdError        a document id is malformed or already belongs to another file
    │   └── WithheldError      it belongs to a document that its writer may not see
    ├── ChunkingError          chunk sizes that contradict each other
    ├── QueryError             a query that holds nothing searchable, or is too long
    ├── WordsError             the words a store is indexed with are others, or cannot be found
    ├── FilterError            a filter key that does not exist, or values that name nothing
    ├── EmbeddingError         no vectors could be made of a document, which was not written
    ├── VectorError            vectors of another length, or what reckons with them is missing
    ├── RelationError          a relation or verdict that the graph cannot hold
    ├── NamedQueryError        a named query that does not exist, or parameters it does not take
    ├── QueryFileError         a file of named queries is malformed
    ├── CypherError            Cypher that may not be run, or that the engine gave up
    ├── CopyError              one store cannot be copied into another
    ├── SyncError              what a folder holds cannot be known, so nothing of it may be deleted
    ├── NotFoundError          no such document, section or chunk (or none this reader may see)
    ├── StoreLockedError       another process holds the store's write lock
    │   └── TransactionAbortedError  a server gave up a transaction, of which nothing stands
    ├── StoreUnavailableError  a server does not answer, or lets this user do nothing
    └── StoreFormatError       the file is not a store, or was written by a newer version

A message says what was given, what was expected and what to do. It never contains document text.
"""


class StoreError(Exception):
    """Base of every error the store raises on purpose."""


class LoadError(StoreError):
    """A source file cannot be read as a document."""


class LabelError(StoreError, ValueError):
    """A sensitivity label is unknown, or a change would lower one without being asked to."""


class DocumentIdError(StoreError, ValueError):
    """A document id is malformed, or already belongs to another file."""


class WithheldError(DocumentIdError):
    """What stands under an id is not its writer's to see, nor to overwrite; operators only."""


class ChunkingError(StoreError, ValueError):
    """Chunk sizes contradict each other, or a chunker is unknown."""


class QueryError(StoreError, ValueError):
    """A query holds nothing searchable, or is too long."""


class WordsError(StoreError, ValueError):
    """A store is indexed with other words than the settings say, or what finds them is missing."""


class FilterError(StoreError, ValueError):
    """A filter key does not exist, or filter values or collections name nothing."""


class CopyError(StoreError):
    """One store cannot be copied into another, or has changed meanwhile."""


class EmbeddingError(StoreError):
    """No vectors could be made of a document; nothing of it was written."""


class VectorError(StoreError, ValueError):
    """Vectors of another length than a store's, or of none, or NumPy is not installed."""


class RelationError(StoreError, ValueError):
    """A relation or verdict that the graph cannot hold."""


class NamedQueryError(StoreError, ValueError):
    """A named query that does not exist, or parameters that it does not take."""


class QueryFileError(StoreError):
    """A file of named queries is malformed."""


class CypherError(StoreError, ValueError):
    """Cypher that may not be run, or that the engine gave up."""


class SyncError(StoreError):
    """What a folder holds cannot be known, so that nothing of it may be deleted."""


class NotFoundError(StoreError, LookupError):
    """No document, section or chunk of that id is visible to this reader."""


class StoreLockedError(StoreError):
    """Another process holds the write lock of the store."""


class TransactionAbortedError(StoreLockedError):
    """A server gave up a transaction for another's sake; nothing of it stands."""


class StoreUnavailableError(StoreError):
    """A server does not answer, lost the connection, or does not let this user in."""


class StoreFormatError(StoreError):
    """The file is not a store, or was written by a newer version."""
