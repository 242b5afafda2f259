"""The golden files: the bytes of every event type, as they are stored for good.

`python -m tests.format.golden` writes those that are not there yet. A file that is there is never
written again: where a test says that it differs, the program is wrong, not the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from commands.sealing import Sealed
from domain.canonical import JsonObject
from domain.envelope import unpack_state
from tests.format.examples import EXAMPLES, KEYS, public_id, seal

FOLDER = Path(__file__).resolve().parents[1] / "golden"


def path_of(name: str, v: int) -> Path:
    return FOLDER / f"{name.replace(' ', '-')}.v{v}.json"


def example(name: str) -> tuple[Sealed, JsonObject]:
    """The example of a name, sealed, and what its golden file says."""
    prefix, event = EXAMPLES[name]
    made = seal(event, public_id(prefix))
    head, body, *_ = unpack_state(made.state)
    said = {
        "key": None if made.key is None else KEYS[made.key].hex(),
        "head": json.loads(head),
        "payload": event.sealed(),
        "body": body.hex(),
        "hash": made.hash.hex(),
        "state": made.state.hex(),
    }
    return made, said


def write_missing() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (_, event) in EXAMPLES.items():
        path = path_of(name, event.V)
        if not path.exists():
            _, said = example(name)
            text = json.dumps(said, ensure_ascii=False, indent=1)
            path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_missing()
