"""What of its parent's environment a worker is given: where things are and how they run, and no keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from pipelines.core.quiet import QUIET

ALLOWED = frozenset(
    "PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TERM LD_LIBRARY_PATH DYLD_LIBRARY_PATH SOURCE_DATE_EPOCH"
    " PYTHONHASHSEED PYTHONUTF8 PYTHONWARNINGS PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX PYTHONFAULTHANDLER"
    " XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR FONTCONFIG_PATH FONTCONFIG_FILE"
    " HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE FASTEMBED_CACHE_PATH PADDLE_PDX_CACHE_HOME TESSDATA_PREFIX"
    " CUDA_VISIBLE_DEVICES RAYON_NUM_THREADS TOKENIZERS_PARALLELISM SSL_CERT_FILE SSL_CERT_DIR".split()
)
FAMILIES = ("LC_", "OMP_", "OPENBLAS_", "MKL_", "NUMEXPR_", "VECLIB_")
"""Beginnings of further names that are allowed."""


def worker_environment(parent: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a worker; its modules are those of this process."""
    given = os.environ if parent is None else parent
    kept = {name: value for name, value in given.items() if name in ALLOWED or name.startswith(FAMILIES)}
    return {**kept, **QUIET, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
