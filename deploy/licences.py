"""The licences in a bill of materials: the number of components per licence, and the components without a known one.

python deploy/licences.py dist/sbom.cdx.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any


def licences(component: dict[str, Any]) -> list[str]:
    """Return the licences of a component of CycloneDX 1.6: an expression, or ids and names."""
    entries = component.get("licenses", ())
    return [str(one.get("expression") or _name(one.get("license", {}))) for one in entries]


def _name(licence: dict[str, Any]) -> str:
    return str(licence.get("id") or licence.get("name") or "").strip().partition("\n")[0][:60]


def main() -> None:
    """Print the count of each licence, then the components without one."""
    components = json.loads(Path(sys.argv[1]).read_text("utf-8"))["components"]
    known = {component["name"]: " and ".join(filter(None, licences(component))) for component in components}
    for licence, count in Counter(filter(None, known.values())).most_common():
        print(f"{count:4} {licence}")
    without = sorted(name for name, licence in known.items() if not licence)
    print(f"{len(components)} components; to be looked up by hand: {', '.join(without) or 'none'}")


if __name__ == "__main__":
    main()
