"""HTML, read as a browser shows it."""

from ragspine_store.loading.html.loader import HtmlLoader

__all__ = ["HtmlLoader"]
