"""How the doorbell is doing, for those who know nothing of Redis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DoorbellState:
    """How often Redis failed, with what (the name of an error), and whether it does now."""

    away: bool
    errors: int
    last_error: str | None
