"""All seeded faults, by the part of the product that they are in."""

from __future__ import annotations

from typing import Final

from tests.mutants.assessing import ASSESSING
from tests.mutants.bundling import BUNDLING
from tests.mutants.capturing import CAPTURING
from tests.mutants.choosing import CHOOSING
from tests.mutants.claiming import CLAIMING
from tests.mutants.consolidating import CONSOLIDATING
from tests.mutants.deciding import DECIDING
from tests.mutants.exporting import EXPORTING
from tests.mutants.extracting import EXTRACTING
from tests.mutants.fault import Fault
from tests.mutants.folding import FOLDING
from tests.mutants.following import FOLLOWING
from tests.mutants.generations import GENERATIONS
from tests.mutants.indexing import INDEXING
from tests.mutants.judging import JUDGING
from tests.mutants.looking import LOOKING
from tests.mutants.matching import MATCHING
from tests.mutants.missing import MISSING
from tests.mutants.operating import OPERATING
from tests.mutants.paging import PAGING
from tests.mutants.postgres import POSTGRES
from tests.mutants.reading import READING
from tests.mutants.recalling import RECALLING
from tests.mutants.redacting import REDACTING
from tests.mutants.replaying import REPLAYING
from tests.mutants.resolving import RESOLVING
from tests.mutants.restoring import RESTORING
from tests.mutants.sealing import SEALING
from tests.mutants.tangling import TANGLING
from tests.mutants.tracing import TRACING
from tests.mutants.waking import WAKING
from tests.mutants.windowing import WINDOWING
from tests.mutants.writing import WRITING

AREAS: Final[dict[str, tuple[Fault, ...]]] = {
    "decide": DECIDING,
    "evolve": FOLDING,
    "engine": WRITING,
    "catch-up": FOLLOWING,
    "recall": (*RECALLING, *PAGING, *MISSING, *REPLAYING),
    "index": INDEXING,
    "trace": TRACING,
    "sealing": SEALING,
    "postgres": POSTGRES,
    "exports": EXPORTING,
    "operating": OPERATING,
    "waking": WAKING,
    "generations": GENERATIONS,
    "restoring": RESTORING,
    "resolver": (*RESOLVING, *CHOOSING),
    "reading": READING,
    "consolidating": CONSOLIDATING,
    "tangling": TANGLING,
    "judging": JUDGING,
    "claims": (*CLAIMING, *ASSESSING),
    "looking": LOOKING,
    "matching": MATCHING,
    "windows": WINDOWING,
    "capturing": CAPTURING,
    "redacting": REDACTING,
    "bundling": BUNDLING,
    "extracting": EXTRACTING,
}
"""Numbers of an area begin with its own hundred, so that one more moves none of the others."""

FAULTS: Final = tuple(fault for faults in AREAS.values() for fault in faults)
