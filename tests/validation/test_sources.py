"""How sources are rated: the most specific pattern, and the weakest link."""

from __future__ import annotations

import pytest

from domain.ids import MEMORY, encode_id
from domain.validation.sources import Sources

RATED = Sources(
    default="unrated",
    trusted=("https://lab.example/*", "gauge", "rumour:checked"),
    unrated=("https://lab.example/drafts/*",),
    quarantine=("rumour:*", "https://lab.example/drafts/old", "gauge-*"),
)
SOME_MEMORY = encode_id(MEMORY, 7)


@pytest.mark.parametrize(
    ("names", "tier"),
    [
        (["https://lab.example/a"], "trusted"),
        (["https://lab.example/"], "trusted"),
        (["https://lab.example/drafts/new"], "unrated"),
        (["https://lab.example/drafts/old"], "quarantine"),
        (["https://lab.example/drafts/older"], "unrated"),
        (["rumour:1"], "quarantine"),
        (["rumour:checked"], "trusted"),
        (["rumour"], "unrated"),
        (["gauge"], "trusted"),
        (["gauge-2"], "quarantine"),
        (["Gauge"], "unrated"),
        ([" gauge "], "trusted"),
        ([], "unrated"),
        # As trusted as the least trusted of them.
        (["gauge", "rumour:1"], "quarantine"),
        (["gauge", "somebody"], "unrated"),
        # Where a memory stands is no source of its own.
        (["gauge", SOME_MEMORY], "trusted"),
        ([SOME_MEMORY], "unrated"),
    ],
)
def test_evidence_has_the_tier_of_its_sources(names, tier) -> None:
    assert RATED.tier(names) == tier


def test_a_pattern_in_several_lists_counts_in_the_least_trusting() -> None:
    for star in ("", "*"):
        pattern = (f"lab{star}",)
        both = Sources(trusted=pattern, unrated=pattern)
        all_three = Sources(trusted=pattern, unrated=pattern, quarantine=pattern)
        assert both.tier(["lab"]) == "unrated"
        assert all_three.tier(["lab"]) == "quarantine"


def test_a_whole_name_is_more_specific_than_its_beginning() -> None:
    assert Sources(trusted=("lab",), quarantine=("lab*",)).tier(["lab"]) == "trusted"
    assert Sources(trusted=("lab*",), quarantine=("lab",)).tier(["lab"]) == "quarantine"


def test_a_star_alone_rates_every_source() -> None:
    assert Sources(quarantine=("*",), trusted=("lab",)).tier(["x"]) == "quarantine"
    assert Sources(quarantine=("*",), trusted=("lab",)).tier(["lab"]) == "trusted"


def test_a_memory_is_rated_where_a_pattern_names_it() -> None:
    named = Sources(default="trusted", quarantine=(SOME_MEMORY,))

    assert named.tier(["lab", SOME_MEMORY]) == "quarantine"
    assert named.tier(["lab", encode_id(MEMORY, 8)]) == "trusted"


def test_only_the_sources_that_are_named_are_let_in_where_others_are_in_quarantine() -> None:
    listed = Sources(default="quarantine", trusted=("lab",))

    assert listed.tier(["lab"]) == "trusted"
    assert listed.tier(["lab", SOME_MEMORY]) == "trusted"
    assert listed.tier(["lab", "blog"]) == "quarantine"
    assert listed.tier([]) == "quarantine"
