"""Folder sync: what a store keeps of folders and is not in them any more.

A document whose file is gone is deleted, unless the same bytes stand under a new path: then it is
moved there, and keeps its labels. A folder that cannot be read, or is empty where documents were,
looks like one that is not mounted: nothing is deleted then. Where something else stands in a
file's place, such as a link, the document stays and the report names it.
"""

from ragspine_store.folder_sync.applying import move_documents, remove_gone
from ragspine_store.folder_sync.plan import SyncPlan
from ragspine_store.folder_sync.planning import plan_sync

__all__ = ["SyncPlan", "move_documents", "plan_sync", "remove_gone"]
