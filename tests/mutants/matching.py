"""Faults in the matching of takeaways."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_WORDING: Final = "domain/bundles/wording.py"
_CLASSING: Final = "domain/bundles/classing.py"
_TERMS: Final = "domain/bundles/terms.py"
_ALIGNMENT: Final = "domain/bundles/alignment.py"
_COMPARING: Final = "domain/bundles/comparing.py"
_MATCHING: Final = "domain/bundles/matching.py"
_WORD_FORMS: Final = "domain/bundles/word_forms.py"
_OF_WORDING: Final = "tests/bundles/test_wording.py"
_OF_COMPARING: Final = "tests/bundles/test_comparing.py"
_OF_MATCHING: Final = "tests/bundles/test_matching.py"
_LAWS: Final = "tests/bundles/test_matching_laws.py"

MATCHING: Final = (
    Fault(
        3001,
        _WORDING,
        'unicodedata.normalize("NFC", text).translate',
        'unicodedata.normalize("NFKC", text).translate',
        "`x²` is `x2`.",
        (_OF_WORDING,),
    ),
    Fault(
        3002,
        _WORDING,
        "    for written, letter in _TURKISH:\n        folded = folded.replace(written, letter)\n",
        "",
        "A Turkish rule in capitals is another one.",
        (_OF_WORDING,),
    ),
    Fault(
        3003,
        _WORDING,
        r"(?:(?<=[^\s./\\])\.|\u3002)$",
        r"(?:\.|\u3002)+$",
        "`git add .` is `git add`.",
        (_OF_WORDING,),
    ),
    Fault(
        3004,
        _WORDING,
        r'return f"{_key(wording.rule)}\n{_key(wording.scope)}"',
        r'return f"{_key(wording.rule)} {_key(wording.scope)}"',
        "Where the rule ends and its scope begins does not matter.",
        (_OF_WORDING,),
    ),
    Fault(
        3005,
        _ALIGNMENT,
        "if one.left(NAMING) and other.left(NAMING):",
        "if False:",
        "Another name elsewhere in the rule is asked about.",
        (_OF_COMPARING,),
    ),
    Fault(
        3006,
        _ALIGNMENT,
        "_takes_a_place(here, there, NAMING)\n",
        "False\n",
        "A name in the place of a word is asked about.",
        (_OF_COMPARING,),
    ),
    Fault(
        3007,
        _COMPARING,
        "_TURNING: Final = frozenset({Kind.NAME, Kind.NEGATION, Kind.PERMISSION})",
        "_TURNING: Final = frozenset({Kind.NAME, Kind.PERMISSION})",
        "`Never` more or less is a clear match.",
        (_OF_COMPARING,),
    ),
    Fault(
        3008,
        _COMPARING,
        "_TURNING: Final = frozenset({Kind.NAME, Kind.NEGATION, Kind.PERMISSION})",
        "_TURNING: Final = frozenset({Kind.NEGATION, Kind.PERMISSION})",
        "A name more is a clear match.",
        (_OF_COMPARING,),
    ),
    Fault(
        3009,
        _COMPARING,
        "return within(one, other) and begins_alike",
        "return begins_alike",
        "Tests before lint are lint before tests.",
        (_OF_COMPARING,),
    ),
    Fault(
        3010,
        _COMPARING,
        "within(one, other) and begins_alike(one, other) and not",
        "within(one, other) and not",
        "What holds for slow tests takes the place of what holds for all.",
        (_LAWS,),
    ),
    Fault(
        3011,
        _COMPARING,
        "if score < thresholds.grey or _disjoint(here, there) or",
        "if score < thresholds.grey or",
        "A rule of the canteen is asked about for the engine room.",
        (_OF_COMPARING,),
    ),
    Fault(
        3012,
        _COMPARING,
        "    if not turned and score >= thresholds.clear",
        "    if not turned",
        "A rule of two words is replaced by a longer one that holds for less.",
        (_LAWS,),
    ),
    Fault(
        3013,
        _COMPARING,
        "any(side.respelled or side.left(_TURNING)",
        "any(side.left(_TURNING)",
        "An identifier with a hyphen is the one without.",
        (_OF_COMPARING,),
    ),
    Fault(
        3014,
        _MATCHING,
        'one.verdict == "grey" and best.score - one.score >= thresholds.margin',
        'one.verdict == "grey"',
        "A negation of what is known is no rival.",
        (_OF_MATCHING,),
    ),
    Fault(
        3015,
        _MATCHING,
        'one.verdict == "grey" and best.score',
        "best.score",
        "Of two clear matches the better one is taken.",
        (_OF_MATCHING,),
    ),
    Fault(
        3016,
        _MATCHING,
        "return _RANKS.index(one.verdict), -one.score, name",
        'return _RANKS.index(one.verdict), -one.score, ""',
        "Which of two restated claims is cited depends on the index.",
        (_OF_MATCHING,),
    ),
    Fault(
        3017,
        _CLASSING,
        "elif form in UNITS and (previous[-1:].isdigit() or previous in BEFORE_UNITS):",
        "elif form in UNITS and previous in BEFORE_UNITS:",
        "Minutes for seconds are asked about.",
        (_OF_COMPARING,),
    ),
    Fault(
        3018,
        _CLASSING,
        "    return context.capitals\n",
        "    return Kind.WORD\n",
        "A name within a sentence is a word.",
        (_OF_COMPARING,),
    ),
    Fault(
        3019,
        _TERMS,
        "if named or sign.isnumeric() or (counts and place == 0):",
        "if named:",
        "Three and five are signs like others in Chinese.",
        (_OF_COMPARING,),
    ),
    Fault(
        3020,
        _WORD_FORMS,
        'elif word.endswith("s") and not word.endswith(_NO_PLURAL) and',
        'elif word.endswith("x") and',
        "A plural is another word.",
        (_OF_COMPARING, _LAWS),
    ),
    Fault(
        3021,
        _COMPARING,
        " and not is_reworded(one, other)",
        "",
        "What the gateway lacks takes the place of what it is.",
        (_OF_COMPARING,),
    ),
)
