"""Growing columns, one value a row: numbers, and strings that are compared for equality."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)

_FIRST_CAPACITY: Final = 64
_NOTHING: Final = 0  # the code of None
_CLEARED: Final = -1  # the code of a string that was taken out


class Column(Generic[Scalar]):
    """Numbers of one type; doubles its capacity, so that appending costs a constant."""

    def __init__(self, dtype: type[Scalar]) -> None:
        self._data: NDArray[Scalar] = np.zeros(_FIRST_CAPACITY, dtype=dtype)
        self._rows = 0

    def append(self, value: float) -> None:
        if self._rows == len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._data[self._rows] = value
        self._rows += 1

    @property
    def values(self) -> NDArray[Scalar]:
        """The rows so far, as a view that a later append may leave behind."""
        return self._data[: self._rows]


class TextColumn:
    """Strings, of which each is kept once, and only for as long as a row has it."""

    def __init__(self) -> None:
        self._column = Column(np.int32)
        self._codes: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._holders: dict[int, int] = {}
        self._next_code = _NOTHING + 1

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

    def absent(self) -> BoolArray:
        """The rows whose value is None."""
        return np.equal(self._column.values, _NOTHING)

    def any_of(self, texts: Iterable[str]) -> BoolArray:
        """The rows whose string is one of these."""
        found = np.zeros(len(self._column.values), dtype=np.bool_)
        for text in texts:
            code = self._codes.get(text)
            if code is not None:
                found |= self._column.values == code
        return found

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
