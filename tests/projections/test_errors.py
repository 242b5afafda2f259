"""What a database's error says of what was to be stored: nothing."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from projections.database import reading, writing


@pytest.mark.parametrize("transaction", [reading, writing])
def test_an_error_names_the_statement_and_not_its_values(engine, transaction):
    wrong = text("INSERT INTO nowhere (word) VALUES (:word)")

    with pytest.raises(DBAPIError, match="INSERT INTO nowhere") as error, transaction(engine) as to:
        to.execute(wrong, {"word": "Rosebud"})

    assert "Rosebud" not in str(error.value) + repr(error.value)
