"""Parents and children as other systems exchange them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class ParentChunk(BaseModel):
    """A parent window, as a document store keeps it."""

    id: str = Field(description="Id of the parent: {doc_id}#s{n}")
    doc_id: str = Field(description="Id of the document it comes from")
    title: str = Field(description="Heading of the chapter, section or article", repr=False)
    content: str = Field(description="The whole text, 800 to 1500 tokens", repr=False)
    child_ids: list[str] = Field(default_factory=list, description="Ids of its children")
    metadata: dict[str, Any] = Field(default_factory=dict, repr=False)


class ChildChunk(BaseModel):
    """A child, as a vector store keeps it."""

    id: str = Field(description="Id of the child: {doc_id}#c{n}")
    parent_id: str = Field(description="Id of the parent it belongs to (ParentChunk.id)")
    doc_id: str = Field(description="Id of the document it comes from")
    content: str = Field(description="A short text to search, 100 to 250 tokens", repr=False)
    embedding: list[float] | None = Field(default=None, description="Its vector", repr=False)
    metadata: dict[str, Any] = Field(default_factory=dict, repr=False)
