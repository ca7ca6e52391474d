"""PyMuPDF, and its layout model.

PyMuPDF creates a layout model when it is imported, which costs every process that reads a PDF file 0.8 processor
seconds, also for pages that need none. Here it is imported without, and `layout_model` creates one without the parts
that are not used.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from pipelines.core.libraries import one_thread, session

_LAYOUT = "pymupdf.layout"

if "pymupdf" in sys.modules:
    import pymupdf
else:
    sys.modules[_LAYOUT] = None  # type: ignore[assignment]  # so that its import fails, which PyMuPDF allows
    try:
        import pymupdf
    finally:
        del sys.modules[_LAYOUT]

__all__ = ["FAULTS", "layout_model", "pymupdf"]

FAULTS = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError)
"""Errors of the library for a file, or a page, that it cannot read."""


@cache
def layout_model(with_image: bool) -> Any:
    """Return the layout model, which does not segment complex drawings and does not extract the cells of tables.

    `with_image` makes it use an image of the page besides its lines: 0.17 processor seconds per page instead of 0.04.

    Segmentation is quadratic in the number of lines: a circuit diagram takes 9.4 seconds, and 0.5 without; 18,560
    strokes take five minutes. Pages of text and tables are not affected. The cells of tables, which are not used here,
    and memory allocation for each page took more than half of the model's time: 64 of 97 processor seconds for 377
    pages, which are reduced to 28 (`benchmarks/parse_cost.py`). What is not used is not loaded either: the model of
    cells, and without `with_image` that of the image.
    """
    # On import, the library creates a model unless `_get_layout` is set.
    made, pymupdf._get_layout = pymupdf._get_layout, pymupdf.message
    try:
        import pymupdf.layout.pymupdf_util_rf as features
        from pymupdf.layout.onnx import BoxRFDGNN
    finally:
        pymupdf._get_layout = made
    BoxRFDGNN.TableGridExtractorV2 = lambda *_, **__: None
    # The library lists the attributes of its class of features for each line of a page.
    names = [name for name in dir(pymupdf.features.fz_feature_stats) if not name.startswith("_")]
    features.dir = lambda _: names
    with one_thread():
        parts = {} if with_image else {"imf_model_path": ""}
        model = BoxRFDGNN.BoxRFDGNN(use_sort=True, feature_set_name="imf+rf" if with_image else "rf", **parts)
    if with_image:
        model.feature_extractor = type(model.feature_extractor)(session(model.imf_model_path))
    return model
