"""PDFs."""

from ragspine_store.loading.pdf.loader import PdfLoader

__all__ = ["PdfLoader"]
