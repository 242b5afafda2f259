"""Writes the committed OpenAPI document: `python -m ops.http.write_openapi`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from ops.http.app import api_document

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "api" / "openapi.json"


def as_text(api: JsonObject) -> str:
    """The document as it is committed."""
    return json.dumps(api, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Write the document of this tree."""
    DOCUMENT.parent.mkdir(parents=True, exist_ok=True)
    DOCUMENT.write_text(as_text(api_document()), encoding="utf-8")


if __name__ == "__main__":
    main()
