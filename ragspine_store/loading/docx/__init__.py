"""Word documents."""

from ragspine_store.loading.docx.loader import DocxLoader

__all__ = ["DocxLoader"]
