"""The application: routes, refusals and the gate around them, put together."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from domain.canonical import JsonObject
from ops.http import (
    bundle_routes,
    claim_routes,
    contract_route,
    evidence_routes,
    health,
    key_routes,
    operator_routes,
    policy_routes,
    proposal_routes,
    read_routes,
    settings_routes,
    slot_routes,
    window_routes,
)
from ops.http.answers import json_response
from ops.http.door import Door
from ops.http.gate import Gate
from ops.http.health import VERSION
from ops.http.hosts import AllowedHosts
from ops.http.openapi import document
from ops.http.problems import HANDLERS
from ops.memoranda import Memoranda
from ops.settings import Settings

ROUTERS: tuple[APIRouter, ...] = (
    contract_route.router,
    read_routes.router,
    claim_routes.router,
    evidence_routes.router,
    bundle_routes.router,
    slot_routes.histories,
    slot_routes.router,
    proposal_routes.router,
    operator_routes.router,
    key_routes.router,
    settings_routes.router,
    policy_routes.router,
    window_routes.router,
    health.router,
)


def create_app(memoranda: Memoranda, settings: Settings) -> FastAPI:
    """The HTTP doors of an open store. Who opened the store closes it."""
    app = _routed()
    app.state.door = Door(memoranda, settings)
    app.add_middleware(Gate, hosts=AllowedHosts(settings), requests_max=settings.requests_max)
    for error, handler in HANDLERS.items():
        app.add_exception_handler(error, handler)
    return app


@asynccontextmanager
async def _sized(app: FastAPI) -> AsyncIterator[None]:
    """Handlers block, each on a thread; as many as the settings say. Jobs end with the server."""
    door: Door = app.state.door
    anyio.to_thread.current_default_thread_limiter().total_tokens = door.settings.workers
    try:
        yield
    finally:
        await anyio.to_thread.run_sync(door.jobs.close)


def _routed() -> FastAPI:
    app = FastAPI(
        title="Memoranda",
        version=VERSION,
        lifespan=_sized,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in ROUTERS:
        app.include_router(router)

    @app.get("/openapi.json", include_in_schema=False, response_class=Response)
    def openapi() -> Response:
        """This document."""
        return json_response(api_document())

    return app


@functools.cache
def api_document() -> JsonObject:
    """The OpenAPI document, without a store behind it; made when it is first asked for."""
    return document(list(_routed().routes), VERSION)
