"""The running text of AsciiDoc as HTML: marks of emphasis go, links stay links, attributes are put in."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

_INSIDE = r"(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+"
_PLACE = r"""[^\s()"'<>|\[\]\u0080-\U0010ffff]"""
"""A character of an address. What may stand before a macro is none, so that no text is looked through twice."""
_ADDRESS = rf"(?:{_PLACE}|\([^\s()\[\]]*+\))*+"
_SPAN = r"(?<![\w{0}]){1}(?=\S)(?P<{2}>[^{0}]*+)(?<=\S){1}(?![\w{0}])"
_PATTERN = re.compile(
    "|".join(
        (
            r"\\(?P<escaped>[*_`#<\[{(+^~])",
            r"\+\+\+(?P<raw>[^+]*+)\+\+\+|\$\$(?P<dollars>[^$]*+)\$\$",
            r"\"`(?P<double>[^`]*+)`\"|'`(?P<single>[^`]*+)`'",
            r"``(?P<codes>[^`]*+)``|`(?P<code>[^`]*+)`",
            r"(?P<term>\(\(\([^()]*+\)\)\))|\(\((?P<indexed>[^()]*+)\)\)",
            r"\[\[(?P<entry>\[[^\[\],]*+)[^\[\]]*+\]\]\]|(?P<anchor>\[\[[^\[\]]*+\]\])",
            r"(?<!<)<<(?P<id>[^<>,]*+)(?:,(?P<label>(?:[^<>]|<(?!<)|>(?!>))*+))?>>(?!>)",
            rf"footnote(?:ref)?:[\w-]*+\[(?P<note>{_INSIDE})\]",
            rf"(?<!{_PLACE})(?<!\))(?P<macro>[a-z][a-z0-9]*+):(?!//)(?P<target>{_ADDRESS})\[(?P<inside>{_INSIDE})\]",
            rf"(?<!{_PLACE})(?<!\))(?P<url>(?:https?|ftp|irc)://{_ADDRESS})(?:\[(?P<shown>{_INSIDE})\])?",
            r"\[[^\[\]]*+\]#(?P<role>[^#]*+)#",
            r"\*\*(?P<strong>[^*]*+)\*\*|__(?P<emphasis>[^_]*+)__|##(?P<mark>[^#]*+)##",
            _SPAN.format("*", r"\*", "bold"),
            _SPAN.format("_", "_", "italic"),
            _SPAN.format("#", "#", "marked"),
            _SPAN.format("+", r"\+", "plain"),
            r"\^(?P<sup>[^\s^]++)\^|~(?P<sub>[^\s~]++)~",
            r"\{(?P<name>\w[\w-]*+)\}",
            r"(?P<break>(?<= )\+$)",
        )
    ),
    re.MULTILINE,
)
_LINKS = ("<<", "link:", "xref:", "http://", "https://")
_QUOTES = {"double": ("“", "”"), "single": ("‘", "’")}
_SIGNS = {
    "nbsp": "\u00a0", "sp": " ", "empty": "", "blank": "", "plus": "+", "vbar": "|", "amp": "&", "lt": "<", "gt": ">",
    "asterisk": "*", "backslash": "\\", "caret": "^", "tilde": "~", "startsb": "[", "endsb": "]", "apos": "'",
    "quot": '"', "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "zwsp": "", "wj": "",
    "brvbar": "¦", "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "backtick": "`",
}  # fmt: skip
"""Attributes that every document has (AsciiDoc Language, "Character Replacement Attributes Reference")."""
_LONGEST_VALUE = 2_000
"""Characters of an attribute that are put in: sentences, an address; those that hold others would grow without end."""


class AsciiDocText:
    """Turns text to HTML; knows the attributes told so far, and the headings that anchors stand before."""

    def __init__(self) -> None:
        self._attributes = dict(_SIGNS)
        self.titles: dict[str, str] = {}

    def define(self, name: str, value: str) -> None:
        """Take in `:name: value`; a name with `!` is one no longer."""
        if "!" in name:
            self._attributes.pop(name.strip("!"), None)
        else:
            self._attributes[name.lower()] = self.filled(value)[:_LONGEST_VALUE]

    def filled(self, text: str) -> str:
        """Return `text` with the attributes that are known put in."""
        return re.sub(r"\{(\w[\w-]*+)\}", lambda found: self._attributes.get(found[1].lower(), found[0]), text)

    def html(self, text: str) -> str:
        """Return running text as HTML."""
        parts: list[str] = []
        end = 0
        for found in _PATTERN.finditer(text):
            parts += [plain(text[end : found.start()]), self._one(found)]
            end = found.end()
        return "".join((*parts, plain(text[end:])))

    def _one(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if found["macro"]:
            return self._macro(found["macro"], found["target"], found["inside"], found[0])
        if found["url"]:
            return self.link(found["url"], found["shown"] or "")
        if found["id"] is not None:
            return self.crossed(found["id"], found["label"] or "")
        written = _AS_WRITTEN.get(kind)
        return self._marked(kind, found[kind]) if written is None else written(self, found[kind])

    def _marked(self, kind: str, inside: str) -> str:
        """Return words between marks; what is little stays so, quotes are those of a printer."""
        tags = (f"<{kind}>", f"</{kind}>") if kind in ("sup", "sub") else _QUOTES.get(kind, ("", ""))
        return tags[0] + self.html(inside) + tags[1]

    def code(self, inside: str) -> str:
        """Return code as it is written; a link may be all of it."""
        if inside.startswith(_LINKS):
            return self.html(inside)
        return plain(self.filled(inside.strip("+") or inside))

    def crossed(self, place: str, label: str) -> str:
        """Return a link to a place of this document by its anchor, of another by its address."""
        place = place.strip().lstrip("#")
        return self.link(place if "." in place else f"#{place}", label or self.titles.get(place, place))

    def _macro(self, name: str, target: str, inside: str, written: str) -> str:
        made = _MACROS.get(name)
        return plain(written) if made is None else made(self, target, inside)

    def link(self, target: str, inside: str) -> str:
        """Return a link that shows what is `inside`, else its address without the mark that ends its sentence."""
        rest = ""
        if not inside:
            bare = target.rstrip(".,;:!?")
            target, rest = bare, target[len(bare) :]
        # What follows a comma are attributes, where one has a value: `[text,window=_blank]`, and `^` a new window.
        shown = inside.partition(",")[0] if "=" in inside.partition(",")[2] else inside
        shown = self.html(shown.strip().strip('"').removesuffix("^")) or plain(target.lstrip("#"))
        return f'<a href="{escape(self.filled(target))}">{shown}</a>{rest}'


def picture(target: str, inside: str) -> str:
    """Return the element of a picture: the first of its attributes says what it shows."""
    said = inside.partition(",")[0].strip().strip('"')
    return f'<img src="{escape(target)}" alt="{"" if "=" in said else escape(said)}">'


def plain(text: str) -> str:
    """Return text without any mark for HTML; entities are what they stand for."""
    return escape(unescape(text), quote=False)


_AS_WRITTEN: dict[str, Callable[[AsciiDocText, str], str]] = {
    **dict.fromkeys(("term", "anchor"), lambda text, inside: ""),
    **dict.fromkeys(("escaped", "raw", "dollars"), lambda text, inside: plain(inside)),
    **dict.fromkeys(("code", "codes"), lambda text, inside: text.code(inside)),
    "name": lambda text, inside: plain(text.filled(f"{{{inside}}}")),
    "break": lambda text, inside: "<br>",
    "entry": lambda text, inside: f"{plain(inside)}]",
    "note": lambda text, inside: f" ({text.html(inside)})" if inside else "",
}
"""What is not text with marks in it, by the names of the groups of `_PATTERN`."""
_MACROS: dict[str, Callable[[AsciiDocText, str, str], str]] = {
    **dict.fromkeys(("link", "mailto"), lambda text, target, inside: text.link(target, inside)),
    **dict.fromkeys(("kbd", "btn", "pass", "indexterm2"), lambda text, target, inside: plain(inside)),
    **dict.fromkeys(("indexterm", "anchor", "icon", "bibitem"), lambda text, target, inside: ""),
    **dict.fromkeys(
        ("stem", "latexmath", "asciimath"), lambda text, target, inside: f'<math alttext="{escape(inside)}"></math>'
    ),
    "image": lambda text, target, inside: picture(target, inside),
    "menu": lambda text, target, inside: text.html(" > ".join(filter(None, (target, inside)))),
    "xref": lambda text, target, inside: text.crossed(target, inside),
}
"""What a macro is in HTML, of its address and the text between its brackets."""
