"""Regenerates the binary example documents from the readable sources in ``content``."""
