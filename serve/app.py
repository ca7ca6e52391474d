"""The application: guard, API, explorer and error handlers, and the process that runs it (`uvicorn`)."""

from __future__ import annotations

import errno
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from types import MappingProxyType
from urllib.parse import parse_qs, urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from pipelines.core.errors import SettingsError, StrataError
from serve.access import COOKIE, KeyRing
from serve.api import api_router
from serve.asking import Asking
from serve.changes import changes_router
from serve.explorer import explorer_router
from serve.guard import Guard, reply
from serve.jobs import Jobs
from serve.language import LANGUAGE_COOKIE, languages
from serve.library import open_library
from serve.pictures import PagePictures
from serve.printed import PrintedPages
from serve.problems import RESPONSES, Problem, problem, problem_of
from serve.render import STATIC, render
from serve.services import Services
from serve.settings import ServeSettings, is_loopback_host

_YEAR_S = 365 * 24 * 60 * 60
_API_HINTS = {404: "GET /api/openapi.json describes the API", 405: "allowed here: {allowed}"}
DESCRIPTION = "Documents with their provenance, search, cited answers, and the three-layer graph of a knowledge base."


@contextmanager
def open_services(settings: ServeSettings) -> Iterator[Services]:
    """Open the knowledge bases of a server and its services. Raises the errors of `KnowledgeBase.open`."""
    with (
        open_library(settings) as library,
        PagePictures(settings.limits) as pictures,
        PrintedPages(pictures) as printed,
        Jobs() as jobs,
    ):
        asking = Asking(settings.limits)
        yield Services(library, pictures, printed, asking, settings.limits, jobs if settings.changes else None)


def create_app(settings: ServeSettings, services: Services) -> FastAPI:
    """Return the application of a server. Raises `SettingsError` for unsafe settings (`ServeSettings.check`)."""
    settings.check()
    keys = KeyRing(settings.keys)
    agents = _Agents(services) if find_spec("mcp") else None
    app = FastAPI(
        title="Strata",
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=agents.running if agents else None,
    )
    app.add_middleware(Guard, settings=settings, keys=keys)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.include_router(api_router(services), responses=RESPONSES)
    app.include_router(changes_router(services), responses=RESPONSES)
    app.include_router(explorer_router(services))
    if agents:
        app.router.routes.extend(agents.routes)
    _add_login(app, settings, keys)
    _add_language(app)
    _add_handlers(app)
    return app


class _Agents:
    """The MCP server at /mcp, if its extra is installed."""

    def __init__(self, services: Services) -> None:
        from serve.mcp_server import http_routes, mcp_server

        self._server = mcp_server(services)
        self.routes = http_routes(self._server)

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Run the session manager during the lifetime of the application."""
        async with self._server.session_manager.run():
            yield


def _add_login(app: FastAPI, settings: ServeSettings, keys: KeyRing) -> None:
    @app.get("/login", include_in_schema=False)
    def show_login() -> HTMLResponse:
        return HTMLResponse(render("login.html", wrong=False))

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        sent = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=4)
        if (key := keys.of(sent.get("key", [""])[0])) is None:
            return HTMLResponse(render("login.html", wrong=True), 401)
        done = RedirectResponse("/", 303)
        secure = request.url.scheme == "https" and not is_loopback_host(settings.host)
        done.set_cookie(COOKIE, keys.session(key), httponly=True, samesite="strict", secure=secure)
        return done


def _add_language(app: FastAPI) -> None:
    @app.post("/language", include_in_schema=False)
    async def choose_language(request: Request) -> Response:
        """Store the chosen language in a cookie, and return to the previous page."""
        sent = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=4)
        came = urlsplit(request.headers.get("referer", ""))
        here = came.netloc == request.headers.get("host") and came.path != "/language"
        done = RedirectResponse(f"/{came.path.lstrip('/')}?{came.query}" if here else "/", 303)
        if (language := sent.get("to", [""])[0]) in languages():
            done.set_cookie(LANGUAGE_COOKIE, language, httponly=True, samesite="lax", max_age=_YEAR_S)
        return done


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(StrataError)
    async def strata_error(request: Request, error: StrataError) -> Response:
        return _problem_response(request, problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
        sends_json = "json" in request.headers.get("content-type", "json")
        hint = "" if sends_json else "send JSON, with the header Content-Type: application/json"
        return _problem_response(request, problem(422, "; ".join(lines), hint))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        headers = error.headers or {}
        hint = _API_HINTS.get(error.status_code, "").format(allowed=headers.get("Allow", ""))
        known = problem(error.status_code, str(error.detail), hint if _is_of_api(request) else "")
        return _problem_response(request, known, headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        return _problem_response(request, problem_of(None))


def _problem_response(
    request: Request, problem: Problem, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """Return a problem as JSON for the API, and as a page otherwise."""
    if _is_of_api(request):
        return reply(problem, headers)
    return HTMLResponse(render("problem.html", told=problem), problem.status, headers)


def _is_of_api(request: Request) -> bool:
    return request.url.path.startswith(("/api", "/mcp"))


def run(settings: ServeSettings, services: Services, ready: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Requests are not logged, because their addresses may contain questions. Raises `SettingsError`, also if the address
    cannot be listened on.

    Args:
        settings: the server's settings; port 0 selects a free port.
        services: the services of the routes.
        ready: called with the server's address when it accepts requests.
    """
    config = uvicorn.Config(
        create_app(settings, services),
        host=settings.host,
        port=settings.port,
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )
    with _listening_at(settings) as listening:
        listening.listen(config.backlog)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _listening_at(settings: ServeSettings) -> socket.socket:
    """Return a socket bound to the address of a server. Raises `SettingsError`, for example if the port is in use."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    bound = socket.socket(family)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
    except OSError as error:
        bound.close()
        place = f"{settings.host}, port {settings.port}"
        hint = "--port 0 selects a free port" if error.errno == errno.EADDRINUSE else "--host and --port name another"
        raise SettingsError(f"cannot listen on {place}: {error.strerror}", hint=hint) from error
    return bound
