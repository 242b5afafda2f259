"""The policies that every workspace has. A name keeps its definition for ever."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from domain.validation.definition import Definition
from domain.validation.sources import Sources

TWO_INDEPENDENT: Final = "two-independent-current-sources/v1"
"""Two supports of different origins that hold when it is decided; nothing against it."""

SINGLE_TRUSTED: Final = "single-trusted-source/v1"
"""One trusted support that holds; nothing against it.

It rates no source of its own: whoever writes sources into the workspace is trusted, unless a policy
of your own rates them.
"""

REVIEWER_APPROVAL: Final = "reviewer-approval/v1"
"""One support, and the approval of somebody who wrote neither; nothing against it."""

SHIPPED: Final = MappingProxyType(
    {
        TWO_INDEPENDENT: Definition(independent_supports=2, require_current=True),
        SINGLE_TRUSTED: Definition(
            independent_supports=1,
            require_current=True,
            sources=Sources(default="trusted"),
            trusted_only=True,
        ),
        REVIEWER_APPROVAL: Definition(independent_supports=1, approvals=1),
    }
)
