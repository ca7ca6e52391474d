"""Conversion of one file by LibreOffice, which is started only here.

The files are untrusted: LibreOffice runs with a new profile that disables macros and external links, and with a limit
of processor time.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path

from pipelines.core.errors import Encrypted, Malformed, TooLarge, Unsupported
from pipelines.parse.limits import OUT_OF_TIME, within_seconds
from pipelines.parse.settings import UNPROTECTED_HINT

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
    """Return the path of the LibreOffice executable, None if it is not on the PATH."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


def convert(path: Path, target: str, folder: Path, uri: str, cpu_s: float = math.inf, options: str = "") -> Path:
    """Convert a file and return the path of the result, in `folder`.

    Args:
        path: the file; LibreOffice recognizes its format by its suffix.
        target: suffix of the result, without a dot ("pdf", "docx").
        folder: an empty folder.
        uri: the id in errors.
        cpu_s: limit of processor time in seconds.
        options: the export filter and its options, as written after the colon of `--convert-to`.

    Raises:
        Unsupported: LibreOffice is not installed.
        TooLarge: the conversion took more than `cpu_s`.
        Encrypted: the file is protected by a password.
        Malformed: the file cannot be converted.
    """
    found = program()
    if found is None:
        raise Unsupported(MISSING, ids=(uri,), hint="install LibreOffice (soffice)")
    # The separate profile also keeps the call independent of a running LibreOffice.
    command = [found, f"-env:UserInstallation={_profile(folder).as_uri()}", "--headless", "--norestore"]
    command += ["--convert-to", f"{target}:{options}" if options else target, "--outdir", str(folder), str(path)]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(within_seconds(command, cpu_s), capture_output=True, check=False, env=environment)
    if done.returncode in OUT_OF_TIME:
        raise TooLarge(f"LibreOffice took over {cpu_s:g} processor seconds", ids=(uri,))
    converted = folder / f"{path.stem}.{target}"
    # After a failure, a file may be there that is written in part.
    if converted.exists() and not done.returncode:
        return converted
    output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    if "password" in output.lower():
        raise Encrypted("the document is protected by a password", ids=(uri,), hint=UNPROTECTED_HINT)
    # The last line has the reason, without the temporary folders; at most two lines of a terminal.
    reason = output.rpartition("\n")[2].replace(f"{path.parent}/", "").replace(f"{folder}/", "")[-200:]
    reason = reason or (f"it ended with exit status {done.returncode}" if done.returncode else "no reason given")
    raise Malformed(f"LibreOffice cannot convert it: {reason}", ids=(uri,))


def _profile(folder: Path) -> Path:
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    items = "".join(_ITEM.format(name=name, value=value) for name, value in _SECURITY.items())
    (profile / "user" / "registrymodifications.xcu").write_text(_REGISTRY.format(items=items), "utf-8")
    return profile
