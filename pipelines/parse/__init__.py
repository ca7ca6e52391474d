"""Parsing: files to documents. `parse.parse` reads a file in this process, `parse.ParserPool` files in workers."""
