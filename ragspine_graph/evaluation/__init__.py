"""How well a configuration finds what answers a user's own questions."""

from ragspine_graph.evaluation.places import Place, Places, place_of
from ragspine_graph.evaluation.questions import Question, load_questions, parse_questions
from ragspine_graph.evaluation.report import Report, compare, summarise
from ragspine_graph.evaluation.run import EvaluationSettings, Outcome, evaluate

__all__ = [
    "EvaluationSettings",
    "Outcome",
    "Place",
    "Places",
    "Question",
    "Report",
    "compare",
    "evaluate",
    "load_questions",
    "parse_questions",
    "place_of",
    "summarise",
]
