"""LibreOffice, converting one file: the one place where it is started.

It reads files of strangers: it gets a profile of its own that runs no macros and follows no link out of the document,
and no more processor seconds than it is given.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path

from pipelines.core.errors import Encrypted, Malformed, TooLarge, Unsupported
from pipelines.parse.limits import OUT_OF_TIME, within_seconds

_PROGRAMS = ("soffice", "libreoffice")
_SECURITY = {"DisableMacrosExecution": "true", "BlockUntrustedRefererLinks": "true", "MacroSecurityLevel": "3"}
"""Settings of org.openoffice.Office.Common/Security/Scripting (LibreOffice, officecfg: Common.xcs)."""
_ITEM = (
    '<item oor:path="/org.openoffice.Office.Common/Security/Scripting">'
    '<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
)
_REGISTRY = (
    '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
    'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{items}</oor:items>'
)
MISSING = "LibreOffice (soffice) is not installed"


def program() -> str | None:
    """Return the path of LibreOffice, None where it is not on the PATH."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


def convert(path: Path, target: str, folder: Path, uri: str, cpu_s: float = math.inf, options: str = "") -> Path:
    """Return the converted file, which is in `folder`.

    Args:
        path: the file; what its name ends in tells LibreOffice what it is.
        target: what the converted file's name ends in ("pdf", "docx").
        folder: an empty folder.
        uri: what errors name.
        cpu_s: processor seconds that it may take.
        options: the export filter and its options, as `--convert-to` takes them after the colon.

    Raises:
        Unsupported: there is no LibreOffice.
        TooLarge: it took longer.
        Encrypted: a password protects the file.
        Malformed: it cannot be converted.
    """
    found = program()
    if found is None:
        raise Unsupported(MISSING, ids=(uri,), hint="install LibreOffice (soffice)")
    # A profile of its own also keeps a LibreOffice that is already running out of it.
    command = [found, f"-env:UserInstallation={_profile(folder).as_uri()}", "--headless", "--norestore"]
    command += ["--convert-to", f"{target}:{options}" if options else target, "--outdir", str(folder), str(path)]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(within_seconds(command, cpu_s), capture_output=True, check=False, env=environment)
    if done.returncode in OUT_OF_TIME:
        raise TooLarge(f"LibreOffice took over {cpu_s:g} processor seconds", ids=(uri,))
    converted = folder / f"{path.stem}.{target}"
    if converted.exists():
        return converted
    told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    if "password" in told.lower():
        raise Encrypted("the document is protected by a password", ids=(uri,))
    # Its last line has the reason; two lines of a terminal are enough of it.
    reason = told.rpartition("\n")[2][-200:] or "no reason given"
    raise Malformed(f"LibreOffice cannot convert it: {reason}", ids=(uri,))


def _profile(folder: Path) -> Path:
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    items = "".join(_ITEM.format(name=name, value=value) for name, value in _SECURITY.items())
    (profile / "user" / "registrymodifications.xcu").write_text(_REGISTRY.format(items=items), "utf-8")
    return profile
