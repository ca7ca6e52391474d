"""How the paragraphs of a document look: size and weight, own, of the style, or by default (ECMA-376 1, 17.7.2)."""

from __future__ import annotations

from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.office.docx.styles import Styles, as_int
from pipelines.parse.office.ooxml import Element, is_on, qualified, value

_RUN, _TEXT = qualified("w:r"), qualified("w:t")
_BOLD = f"{qualified('w:rPr')}/{qualified('w:b')}"
_RUNNING = frozenset({qualified("w:body"), qualified("w:sdtContent")})


class Looks(Lookalikes):
    """Collects the paragraphs of the running text, as long as no style says that any of them is a heading."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._styles = styles

    def see(self, paragraph: Element, style: str, text: str, position: int) -> None:
        """Take in a paragraph of the body that became the piece at `position`."""
        parent = paragraph.getparent()
        if not self.told and parent is not None and parent.tag in _RUNNING:
            self.add(position, text, self._look(paragraph, style))

    def _look(self, paragraph: Element, style: str) -> Look:
        runs = [run for run in paragraph.iter(_RUN) if any((text.text or "").strip() for text in run.iter(_TEXT))]
        size = max((self._size(run, style) for run in runs), default=0)
        return Look(size / 2, bool(runs) and all(self._is_bold(run, style) for run in runs))

    def _is_bold(self, run: Element, style: str) -> bool:
        if run.find(_BOLD) is not None:
            return is_on(run, "w:rPr/w:b")
        own = value(run, "w:rPr/w:rStyle")
        return bool(own and self._styles.is_bold(own)) or self._styles.is_bold(style)

    def _size(self, run: Element, style: str) -> int:
        """The size of a run in half points."""
        own = as_int(value(run, "w:rPr/w:sz")) or self._styles.size(value(run, "w:rPr/w:rStyle") or "")
        return own or self._styles.size(style) or self._styles.usual_size
