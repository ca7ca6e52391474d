"""A fixture of a small picture."""

from __future__ import annotations

import io

import pytest
from PIL import Image


@pytest.fixture
def png() -> bytes:
    """Return a PNG of 3 by 2 pixels."""
    content = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(content, "PNG")
    return content.getvalue()
