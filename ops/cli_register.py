"""Which of these modules' functions are commands, and under which names."""

from __future__ import annotations

import typer

from ops import (
    cli_assessments,
    cli_claims,
    cli_evidence,
    cli_operations,
    cli_questions,
    cli_slots,
)
from ops.cli_arguments import flattened
from ops.cli_bundle import bundle_app
from ops.cli_consolidate import consolidate_app
from ops.cli_doctor import doctor
from ops.cli_evaluate import evaluate
from ops.cli_policy import policy_app
from ops.cli_revert import revert
from ops.cli_settings import settings
from ops.cli_stats import stats


def add_commands(app: typer.Typer) -> None:
    """Add the seven operations, the log, what is set, what looks at a store, and the cases."""
    for operation in (
        cli_operations.remember,
        cli_operations.relate,
        cli_questions.recall,
        cli_operations.update,
        revert,
        cli_operations.forget,
    ):
        app.command()(flattened(operation))
    app.add_typer(consolidate_app, name="consolidate")
    app.command("why-not")(flattened(cli_questions.why_not))
    app.command()(flattened(cli_questions.replay))
    app.command()(flattened(cli_slots.slot))
    app.command()(flattened(cli_slots.slots))
    app.command()(flattened(cli_questions.trace))
    app.command()(flattened(cli_questions.log))
    for about in (
        cli_claims.claims,
        cli_claims.claim,
        cli_claims.assess,
        cli_claims.approve,
        cli_assessments.assessment,
        cli_assessments.reassess,
        cli_assessments.derive,
        cli_evidence.graph,
        cli_evidence.review,
    ):
        app.command()(flattened(about))
    app.add_typer(bundle_app, name="bundle")
    app.command()(flattened(settings))
    app.add_typer(policy_app, name="policy")
    app.command()(flattened(doctor))
    app.command()(flattened(stats))
    app.command()(flattened(evaluate))
