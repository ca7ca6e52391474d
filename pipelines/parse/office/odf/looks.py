"""How the paragraphs of an OpenDocument text look: size and weight, of its spans or of its style."""

from __future__ import annotations

from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.office.odf.names import qualified
from pipelines.parse.office.odf.styles import Styles
from pipelines.parse.office.ooxml import Element, local

_STYLE, _SPAN = qualified("text:style-name"), qualified("text:span")


class Looks(Lookalikes):
    """Collects the paragraphs of the running text, as long as no style says that any of them is a heading."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._styles = styles

    def see(self, paragraph: Element, style: str, text: str, position: int) -> None:
        """Take in a paragraph that became the piece at `position`; one in a frame, a note or a list is passed over."""
        parent = paragraph.getparent()
        if not self.told and parent is not None and local(parent) in ("text", "section"):
            self.add(position, text, self._look(paragraph, style))

    def _look(self, paragraph: Element, style: str) -> Look:
        spans = [span.get(_STYLE, "") for span in paragraph.iter(_SPAN) if (span.text or "").strip()]
        bare = [paragraph.text, *(child.tail for child in paragraph)]
        looks = [self._styles.look(span, style) for span in spans]
        if not spans or any((text or "").strip() for text in bare):
            looks.append(self._styles.look(style))
        return Look(max(look.size for look in looks), all(look.bold for look in looks))
