"""Everything the graph package raises on purpose.

    GraphError
    ├── ConfigError            a setting, a configuration file or a profile is wrong
    └── RequestError           an argument of a call is out of range

What the store raises stands in `ragspine_store.errors`, under a base of its own. A message says
what was given, what was expected and what to do. It never contains document text or a secret.
"""


class GraphError(Exception):
    """Base of every error the graph package raises on purpose."""


class ConfigError(GraphError, ValueError):
    """A setting, a configuration file or a profile is wrong."""


class RequestError(GraphError, ValueError):
    """An argument of a call is out of range."""
