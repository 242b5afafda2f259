"""The columns say what `domain.visibility` says in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.instants import FOREVER
from domain.visibility import ANSWERING, Bounds, Home, Viewer, recallable
from projections.lexical.eligibility import Filters
from projections.lexical.memtable import Memtable
from tests.lexical.builders import basis, document

DAYS = st.integers(1, 5)


def instant(day):
    return None if day is None else f"1970-01-0{day}T00:00:00Z"


@given(
    lifecycle=st.sampled_from(["active", "expired", "superseded", "tombstoned"]),
    visibility=st.sampled_from(["workspace", "private"]),
    owner=st.sampled_from(["actor-1", "actor-2"]),
    valid_from=DAYS,
    valid_until=st.none() | DAYS,
    expires_at=st.none() | DAYS,
    expired=DAYS,
    as_of=DAYS,
)
def test_a_version_is_eligible_exactly_when_the_domain_calls_it_recallable(
    lifecycle, visibility, owner, valid_from, valid_until, expires_at, expired, as_of
):
    day_us = 86_400_000_000
    bounds = Bounds(
        instant(valid_from),
        instant(valid_until),
        instant(expires_at),
        (valid_from - 1) * day_us,
        (expired - 1) * day_us if lifecycle == "expired" else FOREVER,
    )
    home = Home("session-1", visibility, owner)
    now = (as_of - 1) * day_us
    index = Memtable()
    index.add(
        document(
            "m1",
            active=lifecycle in ANSWERING,
            private_owner=owner if visibility == "private" else None,
            valid_from_us=bounds.from_us,
            valid_until_us=None if valid_until is None else bounds.until_us,
            expires_at_us=None if bounds.expires_us == FOREVER else bounds.expires_us,
        )
    )

    (eligible,) = index.eligible(basis(as_of_us=now), Filters())

    assert eligible == (recallable(lifecycle, bounds, now) and home.visible_to(Viewer("actor-1")))
