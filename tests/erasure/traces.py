"""Looking for words in raw bytes, in every form in which a program may have written them."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from projections.lexical.analyzer import analyze
from tests.walking import entries

INFLATED_MAX: Final = 1 << 20
DEFLATED_MAX: Final = 1 << 18
# The first byte of a zlib stream names its window; a gzip stream has a number of its own.
_DEFLATED: Final = re.compile(rb"(?=[\x08\x18\x28\x38\x48\x58\x68\x78].|\x1f\x8b)", re.DOTALL)


def forms_of(words: Iterable[str]) -> set[str]:
    """The words as they are, composed, decomposed, in other cases, and as the index folds them."""
    forms: set[str] = set()
    for word in words:
        for one in {word, *analyze(word)}:
            for way in ("NFC", "NFD", "NFKC"):
                spelt = unicodedata.normalize(way, one)
                forms |= {spelt, spelt.lower(), spelt.upper(), spelt.casefold()}
    return {form for form in forms if len(form) > 5}


def encodings_of(word: str) -> dict[str, bytes]:
    """The bytes of a word by the name of its encoding."""
    escaped = json.dumps(word)[1:-1]
    found = {
        "utf-8": word.encode(),
        "utf-16-le": word.encode("utf-16-le"),
        "utf-16-be": word.encode("utf-16-be"),
        "utf-32-le": word.encode("utf-32-le"),
        "json": escaped.encode(),
        "json in capitals": re.sub(r"\\u....", lambda one: one[0].upper(), escaped)
        .replace("\\U", "\\u")
        .encode(),
        "percent": quote(word).encode(),
        "hex": word.encode().hex().encode(),
        "hex in capitals": word.encode().hex().upper().encode(),
    }
    for shift in range(3):
        # What stands before shifts the letters; those at the edges depend on the neighbours.
        letters = base64.b64encode(bytes(shift) + word.encode())
        whole = letters[-(-shift * 8 // 6) : -4 if letters.endswith(b"=") else None]
        found[f"base64 after {shift}"] = whole
        found[f"base64 for addresses after {shift}"] = whole.replace(b"+", b"-").replace(b"/", b"_")
    return {name: encoded for name, encoded in found.items() if len(encoded) > 5}


def inflated(data: bytes) -> Iterator[bytes]:
    """What the zlib and gzip streams among the bytes inflate to, as far as they go."""
    for match in _DEFLATED.finditer(data):
        start = match.start()
        head = int.from_bytes(data[start : start + 2], "big")
        if head != 0x1F8B and head % 31:
            continue
        try:
            stream = memoryview(data)[start : start + DEFLATED_MAX]
            yield zlib.decompressobj(47).decompress(stream, INFLATED_MAX)
        except zlib.error:
            continue


class Words:
    """Words to look for."""

    def __init__(self, *words: str) -> None:
        self._encoded = {
            (form, name): encoded
            for form in forms_of(words)
            for name, encoded in encodings_of(form).items()
        }

    def __len__(self) -> int:
        """How many different byte strings are looked for."""
        return len(set(self._encoded.values()))

    def found_in(self, data: bytes, *, inflate: bool = True) -> set[tuple[str, str]]:
        """The forms that stand in the bytes, and how they are encoded there."""
        found = {key for key, encoded in self._encoded.items() if encoded in data}
        for text in inflated(data) if inflate else ():
            found |= {
                (form, f"{name}, deflated")
                for (form, name), encoded in self._encoded.items()
                if encoded in text
            }
        return found

    def found_under(self, folder: Path, *, inflate: bool = True) -> dict[str, set[tuple[str, str]]]:
        """The same for the names and bytes of all files of a folder, by file."""
        found: dict[str, set[tuple[str, str]]] = {}
        for path, data in entries(folder):
            name = str(path.relative_to(folder))
            traces = self.found_in(name.encode())
            if data is not None:
                traces |= self.found_in(data, inflate=inflate)
            if traces:
                found[name] = traces
        return found
