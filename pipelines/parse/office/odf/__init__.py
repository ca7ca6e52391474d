"""What ODT, ODS and ODP share (OASIS OpenDocument 1.3)."""
