"""After an application_delete no object of the process holds the words any more."""

from __future__ import annotations

import gc
import threading

from tests.circumstances import context
from tests.erasure.world import WIDE
from tests.inputs import envelope

LETTERS = [ord(letter) - 1 for letter in "jxqzywarble"]
"""Of a word that no constant of this test holds."""


def word() -> str:
    return "".join(chr(letter + 1) for letter in LETTERS[1:]) * 2


def send(memoranda, operation, key, **changes):
    body = envelope(operation, envelope_changes={"idempotency_key": key}, **changes)
    return memoranda.execute(context(), body)["result"]["result"]


def tell(memoranda) -> str:
    """Say the word in a memory, a question and a rationale, on a thread of its own."""
    properties = {"slot": word(), word(): [word()]}
    value = {"text": f"the {word()}", "properties": properties}
    said = {"format": "text_and_properties", "value": value}
    references = [{"source_id": word(), "locator": None, "observed_at": None}]
    memory = send(
        memoranda, "remember", "a",
        content=said, tags=[word()], identity_key=word(), kind=word(), provenance=references,
    )["record"]["id"]  # fmt: skip
    other = send(memoranda, "remember", "b")["record"]["id"]
    target = {"kind": "memory", "id": memory}
    send(memoranda, "update", "c", target=target, patch={"content": said, "add_tags": ["x"]})
    found = send(memoranda, "recall", "-", objective=f"a {word()}", limits=WIDE)
    assert [item["record"]["id"] for item in found["items"]] == [memory]
    send(memoranda, "trace", "-", target=target)
    send(memoranda, "consolidate", "d", memory_ids=[memory, other], reason=word())
    return memory


def held() -> list[object]:
    """Strings and bytes with the word, wherever the collector reaches an object that holds one."""
    gc.collect()
    letters = word()[:11]
    sealed = letters.encode()
    return [
        text
        for holder in gc.get_objects()
        for text in gc.get_referents(holder)
        if text is not letters and text is not sealed
        if (isinstance(text, str) and letters in text)
        or (isinstance(text, (bytes, bytearray)) and sealed in text)
    ]


def test_nothing_in_memory_holds_the_word_of_an_erased_memory(talk):
    told = []
    teller = threading.Thread(target=lambda: told.append(tell(talk.memoranda)))
    teller.start()
    teller.join()
    assert held(), "a positive control: the index and the caches hold it before"

    answer = talk.forget(told[0])

    assert answer["erasure"]["completed"] is True
    assert held() == []
