"""What is counted of a running Memoranda, in Prometheus' text format. Never content, never names.

Labels are of closed sets: operations, outcome codes, projections. Workspaces, actors and ids are
no labels: they would tell whoever scrapes who is here, and grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from domain.canonical import Json, JsonObject
from domain.contract import INPUTS
from domain.errors import MemorandaError

OK: Final = "ok"
_BATCHES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand at the moment of a scrape.

    `lag` counts the events that each projection has not handled, `parked` the events that each
    has put aside, `waiting` the commands in the engine's queue.
    """

    position: int
    lag: dict[str, int]
    parked: dict[str, int]
    waiting: int


class _Gauges(Collector):
    """Asks how things stand when it is scraped, so that nothing has to be kept up to date."""

    def __init__(self, standing: Callable[[], Standing]) -> None:
        self._standing = standing

    def describe(self) -> Iterable[Metric]:
        """Nothing: registering must not ask a store that is not open yet."""
        return []

    def collect(self) -> Iterable[Metric]:
        """One gauge each."""
        now = self._standing()
        yield GaugeMetricFamily("memoranda_position", "Last position of the log.", now.position)
        yield GaugeMetricFamily(
            "memoranda_queue_depth", "Commands that wait for the engine.", now.waiting
        )
        for name, said, values in (
            ("memoranda_projection_lag_events", "Events not handled yet.", now.lag),
            ("memoranda_projection_parked_events", "Events put aside.", now.parked),
        ):
            family = GaugeMetricFamily(name, said, labels=("projection",))
            for projection, value in values.items():
                family.add_metric((projection,), value)
            yield family


class Metrics:
    """The counters of one Memoranda. Safe to use from any thread."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._commands = Counter(
            "memoranda_operations", "Operations of the contract, by outcome: ok or an error code.",
            ("operation", "outcome"), registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "memoranda_operation_seconds", "How long an operation took.",
            ("operation",), buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._batches = Histogram(
            "memoranda_append_events", "Events that one append wrote.",
            buckets=_BATCHES, registry=self._registry,
        )  # fmt: skip
        self._recalls = Counter(
            "memoranda_recalls", "Answered recalls, by how they ended.",
            ("outcome",), registry=self._registry,
        )  # fmt: skip

    def follow(self, standing: Callable[[], Standing]) -> None:
        """Ask this for the gauges."""
        self._registry.register(_Gauges(standing))

    def appended(self, events: int) -> None:
        """An append wrote that many events."""
        self._batches.observe(events)

    def answered(self, operation: str, outcome: str = OK) -> None:
        """An operation ended: `ok`, or with an error code; other names count as `unknown`."""
        named = operation if operation in INPUTS else "unknown"
        self._commands.labels(named, outcome).inc()

    def decided(self, operation: str, verdict: object) -> None:
        """One command of many was carried out, or refused."""
        self.answered(operation, verdict.code.value if isinstance(verdict, MemorandaError) else OK)

    def refused(self, envelope: Json, refusal: MemorandaError) -> None:
        """An envelope was refused before it was an operation."""
        named = envelope.get("operation") if isinstance(envelope, dict) else None
        self.answered(named if isinstance(named, str) else "", refusal.code.value)

    def recalled(self, result: JsonObject) -> None:
        """A recall was answered: `complete`, or each way in which it is not, once."""
        outcomes = set(map(str, result["completeness"]["outcomes"]))
        for outcome in outcomes or {"complete"}:
            self._recalls.labels(outcome).inc()

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """Count an operation and how long it takes; a refusal under its code."""
        start = perf_counter()
        try:
            yield
        except MemorandaError as refusal:
            self.answered(operation, refusal.code.value)
            raise
        else:
            self.answered(operation)
        finally:
            self._seconds.labels(operation).observe(perf_counter() - start)

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)
