"""Growing columns, one value a row: numbers, and strings that are compared for equality.

A column may begin with rows that were made elsewhere (`Frozen` arrays of a segment).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)

ALL: Final = slice(None)
"""In the place of some rows."""

_FIRST_CAPACITY: Final = 64
_NOTHING: Final = 0  # the code of None
_CLEARED: Final = -1  # the code of a string that was taken out


class Column(Generic[Scalar]):
    """Numbers of one type; doubles its capacity, so that appending costs a constant."""

    def __init__(self, dtype: type[Scalar], begin: Sequence[NDArray[Scalar]] = ()) -> None:
        spare = np.zeros(_FIRST_CAPACITY, dtype=dtype)
        self._data: NDArray[Scalar] = np.concatenate([*begin, spare])
        self._rows = len(self._data) - _FIRST_CAPACITY

    def append(self, value: float) -> None:
        if self._rows == len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._data[self._rows] = value
        self._rows += 1

    @property
    def values(self) -> NDArray[Scalar]:
        """The rows so far, as a view that a later append may leave behind."""
        return self._data[: self._rows]


class FrozenTexts(NamedTuple):
    """Strings of rows: `texts[code - 1]` where the code is positive, None where it is 0.

    -1 stands for one that was taken out. No text is without a row.
    """

    codes: NDArray[np.int32]
    texts: list[str]


class TextColumn:
    """Strings, of which each is kept once, and only for as long as a row has it."""

    def __init__(self, begin: Sequence[FrozenTexts] = ()) -> None:
        self._codes: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._holders: dict[int, int] = {}
        self._next_code = _NOTHING + 1
        self._column = Column(np.int32, [self._taken_over(one) for one in begin])

    def frozen(self) -> FrozenTexts:
        """A copy of all rows, with codes of its own."""
        held = sorted(self._texts)
        # One place more than there are codes: the last one is that of -1.
        renamed = np.full(self._next_code + 1, _CLEARED, dtype=np.int32)
        renamed[_NOTHING] = _NOTHING
        renamed[held] = np.arange(1, len(held) + 1, dtype=np.int32)
        return FrozenTexts(renamed[self._column.values], [self._texts[code] for code in held])

    def append(self, text: str | None) -> None:
        self._column.append(_NOTHING if text is None else self._hold(text))

    def clear(self, row: int) -> None:
        """Take the string out of a row; it is gone when no other row has it."""
        code = int(self._column.values[row])
        self._column.values[row] = _CLEARED
        if code in {_NOTHING, _CLEARED}:
            return
        self._holders[code] -= 1
        if self._holders[code] == 0:
            del self._holders[code]
            del self._codes[self._texts.pop(code)]

    @property
    def codes(self) -> NDArray[np.int32]:
        """A number for the string of each row; the same number for equal strings."""
        return self._column.values

    def holds(self, text: str) -> bool:
        """Whether any row has a string; may be asked while others append."""
        return text in self._codes

    def text(self, row: int) -> str | None:
        """The string of a row; None also where it was taken out."""
        return self._texts.get(int(self._column.values[row]))

    def absent(self, rows: Rows | slice = ALL) -> BoolArray:
        """Of some rows those whose value is None."""
        return np.equal(self._column.values[rows], _NOTHING)

    def any_of(self, texts: Iterable[str], rows: Rows | slice = ALL) -> BoolArray:
        """Of some rows those whose string is one of these."""
        codes = self._column.values[rows]
        found = np.zeros(len(codes), dtype=np.bool_)
        for text in texts:
            code = self._codes.get(text)
            if code is not None:
                found |= codes == code
        return found

    def _taken_over(self, frozen: FrozenTexts) -> NDArray[np.int32]:
        """The codes of this column for the rows of another one."""
        positive = np.maximum(frozen.codes, _NOTHING)
        holders = np.bincount(positive, minlength=len(frozen.texts) + 1)
        renamed = [_NOTHING, *(self._hold(text) for text in frozen.texts), _CLEARED]
        for code, count in zip(renamed[1:-1], holders[1:], strict=True):
            self._holders[code] += int(count) - 1
        return np.array(renamed, dtype=np.int32)[frozen.codes]

    def _hold(self, text: str) -> int:
        code = self._codes.get(text)
        if code is None:
            code = self._next_code  # never one that a cleared string had
            self._next_code += 1
            self._codes[text] = code
            self._texts[code] = text
            self._holders[code] = 0
        self._holders[code] += 1
        return code
