"""Bytes to documents: a file in this process by `parse.parse`, many files within limits by `parse.ParserPool`."""
