"""What was recorded against the same made once more: where do they differ first?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.canonical import Json, JsonObject

IDENTICAL: Final = "identical"
EXCEPT_ERASED: Final = "identical_except_erased"
DIFFERS: Final = "differs"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values differ: a path such as `items[2].score`; None for what is not there."""

    path: str
    recorded: Json
    replayed: Json

    def wire(self) -> JsonObject:
        """As a member of an answer."""
        return {"path": self.path, "recorded": self.recorded, "replayed": self.replayed}


def differences(before: Json, now: Json, path: str = "") -> Iterator[Difference]:
    """Depth first, members in the order of `before`."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*before, *now]):
            inner = f"{path}.{name}" if path else name
            yield from differences(before.get(name), now.get(name), inner)
    elif isinstance(before, list) and isinstance(now, list):
        for at in range(max(len(before), len(now))):
            one = before[at] if at < len(before) else None
            other = now[at] if at < len(now) else None
            yield from differences(one, other, f"{path}[{at}]")
    elif before != now:
        yield Difference(path, before, now)
