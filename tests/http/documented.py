"""Is an answer what its documentation says, and no more?"""

from __future__ import annotations

from pydantic import BaseModel


def undocumented(value):
    """Members of an answer that its model does not name."""
    if isinstance(value, BaseModel):
        below = (undocumented(getattr(value, name)) for name in type(value).model_fields)
        return set(value.model_extra or ()).union(*below)
    if isinstance(value, list):
        return set().union(*map(undocumented, value))
    return set()
