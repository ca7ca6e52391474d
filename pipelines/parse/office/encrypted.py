"""The reader of OOXML files behind a password."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Unsupported
from pipelines.parse.magic import ENCRYPTED_OFFICE, zip_type
from pipelines.parse.office.docx import DocxReader
from pipelines.parse.office.encryption import decrypted
from pipelines.parse.office.pptx import PptxReader
from pipelines.parse.office.xlsx import XlsxReader
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import Reader, signed
from pipelines.parse.settings import ParseSettings


class EncryptedReader:
    """Opens a file with the passwords of the settings and reads what is inside; without one it is `Encrypted`."""

    formats = (signed(ENCRYPTED_OFFICE),)
    name = "encrypted"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        content = decrypted(path, source.uri, settings)
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            opened = Path(folder) / "opened"
            opened.write_bytes(content.getbuffer())
            return _reader(zip_type(opened), source).read(opened, source, settings)


def _reader(media_type: str, source: Source) -> Reader:
    readers: dict[str, Reader] = {
        "wordprocessingml.document": DocxReader(),
        "spreadsheetml.sheet": XlsxReader(),
        "presentationml.presentation": PptxReader(),
    }
    reader = readers.get(media_type.rpartition("officedocument.")[2])
    if reader is None:
        raise Unsupported(f"an encrypted {media_type or 'file of unknown type'}", ids=(source.uri,))
    return reader
