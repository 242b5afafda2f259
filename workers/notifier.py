"""Wakes the workers for what was appended; beside the commands, never in their way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

from workers.doorbell import Doorbell, Rung
from workers.site import Site

LOG: Final = logging.getLogger("memoranda.worker")


class Notifier:
    """One thread that rings for the parts that grew. All methods may be called from any thread."""

    def __init__(
        self, site: Site, doorbell: Doorbell, on_away: Callable[[], None] = lambda: None
    ) -> None:
        self._site = site
        self._doorbell = doorbell
        self._on_away = on_away
        self._told: dict[int, int] = {}
        self._errors = 0
        self._changed = threading.Condition()
        self._woken = False
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)

    @property
    def errors(self) -> int:
        """How often the log could not be asked which parts grew."""
        return self._errors

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the round at hand; the sweeper of another process sees the rest."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self, position: int) -> None:
        """Something was appended. Costs the caller nothing."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._woken or self._stopping)
                if self._stopping:
                    return
                self._woken = False
            try:
                self._ring()
            except Exception as error:  # noqa: BLE001 - the sweeper sees what is missed here
                self._errors += 1
                LOG.warning("workers are not woken: %s", type(error).__name__)

    def _ring(self) -> None:
        """For each part that grew since it was told of."""
        for part, head in self._site.heads().items():
            if self._told.get(part, 0) >= head:
                continue
            for projection in self._site.catalogue:
                if self._doorbell.ring(projection, part) is Rung.AWAY:
                    self._on_away()
                    return
            self._told[part] = head
