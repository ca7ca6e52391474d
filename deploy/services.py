"""The services around Strata: a Prefect server with its page, and Neo4j with its Browser.

    python deploy/services.py start|stop|status|env

`start` starts both, waits until they answer and prints their addresses; running services are left unchanged. `env`
prints shell commands that export the addresses: `eval "$(python deploy/services.py env)"`.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # also when this file is loaded by its path

from deploy.neo4j import server as neo4j
from deploy.prefect import server as prefect


def start(config: neo4j.Config, port: int, home: Path) -> None:
    """Start both. Raises `Neo4jError`, `PrefectError`; Prefect's server keeps running if Neo4j cannot be started."""
    print("Starting Prefect's server (about 10 s) ...", flush=True)
    running = prefect.start(port, home)
    print(f"Prefect  {running.page}", flush=True)
    neo4j.show(neo4j.start(config))


def environment(config: neo4j.Config, home: Path) -> dict[str, str]:
    """Return the environment variables with the addresses of the running services."""
    variables = {}
    if (served := prefect.find(home)) is not None:
        variables["PREFECT_API_URL"] = served.api
    if (graph := neo4j.find(config)) is not None:
        variables |= {"NEO4J_URI": graph.bolt, "NEO4J_USERNAME": graph.user, "NEO4J_PASSWORD": graph.password or ""}
        variables["STRATA_STORE__NEO4J_BROWSER"] = f"{graph.http}/browser/"
    return variables


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("start", "stop", "status", "env"))
    parser.add_argument("--prefect-port", type=int, default=4200)
    parser.add_argument("--bolt-port", type=int, default=7687)
    parser.add_argument("--http-port", type=int, default=7474)
    parser.add_argument("--prefect-home", type=Path, default=prefect.HOME)
    parser.add_argument("--neo4j-home", type=Path, default=neo4j.Config().home)
    args = parser.parse_args()
    config = neo4j.Config(bolt_port=args.bolt_port, http_port=args.http_port, home=args.neo4j_home)
    try:
        if args.command == "start":
            start(config, args.prefect_port, args.prefect_home)
        elif args.command == "stop":
            print("Prefect's server has ended." if prefect.stop(args.prefect_home) else "No Prefect server ran.")
            print("Neo4j has ended." if neo4j.stop(config) else "No Neo4j ran.")
        elif args.command == "env":
            for name, value in environment(config, args.prefect_home).items():
                print(f"export {name}={shlex.quote(value)}")
        else:
            for name, value in environment(config, args.prefect_home).items():
                print(f"{name:28} {'(set)' if name == 'NEO4J_PASSWORD' and value else value}")
    except (neo4j.Neo4jError, prefect.PrefectError) as error:
        print(error, file=sys.stderr)
        return 3 if isinstance(error, neo4j.Unavailable) else 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
