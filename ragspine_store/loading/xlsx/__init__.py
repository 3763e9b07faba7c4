"""Excel workbooks, as their sheets show them."""

from ragspine_store.loading.xlsx.loader import XlsxLoader

__all__ = ["XlsxLoader"]
