class Document:
    page_content: str
