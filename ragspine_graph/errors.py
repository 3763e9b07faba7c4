"""Everything the graph package raises on purpose.

    GraphError
    ├── ConfigError            a setting, a configuration file or a profile is wrong
    ├── FactError              a file of facts is wrong
    ├── QuestionsError         a file of questions to evaluate with is wrong
    ├── RequestError           an argument of a call is out of range
    ├── NotEmbeddedError       a store lacks vectors of a model that it is searched with
    ├── QuestionRefusedError   a question names an external party
    └── ProviderError          a model gave no answer
        └── BudgetSpentError   no budget is left to ask it

What the store raises stands in `ragspine_store.errors`, under a base of its own. A message says
what was given, what was expected and what to do. It never contains document text or a secret.
"""


class GraphError(Exception):
    """Base of every error the graph package raises on purpose."""


class ConfigError(GraphError, ValueError):
    """A setting, a configuration file or a profile is wrong."""


class FactError(GraphError, ValueError):
    """A file of facts is wrong."""


class QuestionsError(GraphError, ValueError):
    """A file of questions to evaluate with is wrong."""


class RequestError(GraphError, ValueError):
    """An argument of a call is out of range."""


class NotEmbeddedError(GraphError):
    """A store lacks vectors of a model that it is searched with."""


class ProviderError(GraphError):
    """A model, of language or of vectors, gave no answer.

    Attributes:
        is_final: no other call would fare better: the key, the model or the address is wrong.
        is_about_text: the server refused this very text; another may fare better.
    """

    def __init__(
        self, message: str, *, is_final: bool = False, is_about_text: bool = False
    ) -> None:
        super().__init__(message)
        self.is_final = is_final
        self.is_about_text = is_about_text


class BudgetSpentError(ProviderError):
    """No budget is left to ask a language model."""

    def __init__(self, message: str) -> None:
        super().__init__(message, is_final=True)


class QuestionRefusedError(GraphError):
    """A question names an external party of the profile, where no result can say so.

    Attributes:
        rule: short name of the rule that refused it.
        name: the listed party as the profile shows it.
    """

    def __init__(self, rule: str, name: str) -> None:
        super().__init__(
            f"refused by the rule {rule}: the question names {name!r}, which the profile lists as "
            "external; expected a question about the company itself"
        )
        self.rule = rule
        self.name = name
