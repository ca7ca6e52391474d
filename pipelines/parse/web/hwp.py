"""Documents of Hangul, the word processor of Korea (HWP 5, HWPX), by way of Markdown. The only user of unhwp."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, MissingExtra
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.magic import HWPX
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import UNPROTECTED_HINT, ParseSettings
from pipelines.parse.web.markdown import append_markdown


class HwpReader:
    """Reads headings, paragraphs, lists and tables. Version 3 is read by LibreOffice (`LegacyReader`)."""

    formats = (signed("application/x-hwp", ".hwp"), signed(HWPX, ".hwpx"))
    name = "unhwp"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        try:
            import unhwp
        except ImportError as error:
            raise MissingExtra("hwp", "reading documents of Hangul") from error
        builder = DocumentBuilder(source, settings, self.name)
        try:
            text = unhwp.to_markdown(path)
        except unhwp.UnhwpError as error:
            if "encrypt" in str(error).lower() or "password" in str(error).lower():
                raise Encrypted("the document is protected", ids=(source.uri,), hint=UNPROTECTED_HINT) from error
            reason = str(error).replace(f"{path.parent}/", "")  # which may be a temporary folder
            raise Malformed(f"not a readable document of Hangul: {reason}", ids=(source.uri,)) from error
        append_markdown(text, builder)
        return builder.build()
