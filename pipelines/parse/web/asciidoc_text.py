"""Inline text of AsciiDoc as HTML: emphasis marks are removed, links kept, attributes substituted."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

_INSIDE = r"(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+"
_PLACE = r"""[^\s()"'<>|\[\]\u0080-\U0010ffff]"""
"""A character of an address. Characters allowed before a macro are excluded, so that no text is scanned twice."""
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
"""Predefined attributes (AsciiDoc Language, "Character Replacement Attributes Reference")."""
_LONGEST_VALUE = 2_000
"""Maximum characters of an attribute's value: sentences, an address; nested attributes could grow without end."""


class AsciiDocText:
    """Converts text to HTML with the attributes defined so far; `titles` has the headings by anchor."""

    def __init__(self) -> None:
        self._attributes = dict(_SIGNS)
        self.titles: dict[str, str] = {}

    def define(self, name: str, value: str) -> None:
        """Set an attribute from `:name: value`; a name with `!` removes it."""
        if "!" in name:
            self._attributes.pop(name.strip("!"), None)
        else:
            self._attributes[name.lower()] = self.substituted(value)[:_LONGEST_VALUE]

    def substituted(self, text: str) -> str:
        """Return `text` with known attributes replaced by their values."""
        return re.sub(r"\{(\w[\w-]*+)\}", lambda found: self._attributes.get(found[1].lower(), found[0]), text)

    def html(self, text: str) -> str:
        """Return running text as HTML."""
        parts: list[str] = []
        end = 0
        for found in _PATTERN.finditer(text):
            parts += [plain(text[end : found.start()]), self._convert(found)]
            end = found.end()
        return "".join((*parts, plain(text[end:])))

    def _convert(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if found["macro"]:
            return self._macro(found["macro"], found["target"], found["inside"], found[0])
        if found["url"]:
            return self.link(found["url"], found["shown"] or "")
        if found["id"] is not None:
            return self.cross_reference(found["id"], found["label"] or "")
        special = _SPECIAL.get(kind)
        return self._formatted(kind, found[kind]) if special is None else special(self, found[kind])

    def _formatted(self, kind: str, inside: str) -> str:
        """Return text between marks: superscript and subscript as elements, quotes as typographic ones."""
        tags = (f"<{kind}>", f"</{kind}>") if kind in ("sup", "sub") else _QUOTES.get(kind, ("", ""))
        return tags[0] + self.html(inside) + tags[1]

    def code(self, inside: str) -> str:
        """Return code as written, or as a link if it is one."""
        if inside.startswith(_LINKS):
            return self.html(inside)
        return plain(self.substituted(inside.strip("+") or inside))

    def cross_reference(self, place: str, label: str) -> str:
        """Return a link to an anchor of this document or to another document."""
        place = place.strip().lstrip("#")
        return self.link(place if "." in place else f"#{place}", label or self.titles.get(place, place))

    def _macro(self, name: str, target: str, inside: str, written: str) -> str:
        macro = _MACROS.get(name)
        return plain(written) if macro is None else macro(self, target, inside)

    def link(self, target: str, inside: str) -> str:
        """Return a link with the text `inside`, or else its address without trailing punctuation."""
        rest = ""
        if not inside:
            bare = target.rstrip(".,;:!?")
            target, rest = bare, target[len(bare) :]
        # Attributes follow a comma if one has a value: `[text,window=_blank]`; `^` stands for a new window.
        shown = inside.partition(",")[0] if "=" in inside.partition(",")[2] else inside
        shown = self.html(shown.strip().strip('"').removesuffix("^")) or plain(target.lstrip("#"))
        return f'<a href="{escape(self.substituted(target))}">{shown}</a>{rest}'


def picture(target: str, inside: str) -> str:
    """Return an `img` element; the first attribute is its alternative text."""
    alt = inside.partition(",")[0].strip().strip('"')
    return f'<img src="{escape(target)}" alt="{"" if "=" in alt else escape(alt)}">'


def plain(text: str) -> str:
    """Return text escaped for HTML; entities in it are resolved first."""
    return escape(unescape(text), quote=False)


_SPECIAL: dict[str, Callable[[AsciiDocText, str], str]] = {
    **dict.fromkeys(("term", "anchor"), lambda text, inside: ""),
    **dict.fromkeys(("escaped", "raw", "dollars"), lambda text, inside: plain(inside)),
    **dict.fromkeys(("code", "codes"), lambda text, inside: text.code(inside)),
    "name": lambda text, inside: plain(text.substituted(f"{{{inside}}}")),
    "break": lambda text, inside: "<br>",
    "entry": lambda text, inside: f"{plain(inside)}]",
    "note": lambda text, inside: f" ({text.html(inside)})" if inside else "",
}
"""Conversions of matches that are not formatted text, by the names of the groups of `_PATTERN`."""
_MACROS: dict[str, Callable[[AsciiDocText, str, str], str]] = {
    **dict.fromkeys(("link", "mailto"), lambda text, target, inside: text.link(target, inside)),
    **dict.fromkeys(("kbd", "btn", "pass", "indexterm2"), lambda text, target, inside: plain(inside)),
    **dict.fromkeys(("indexterm", "anchor", "icon", "bibitem"), lambda text, target, inside: ""),
    **dict.fromkeys(
        ("stem", "latexmath", "asciimath"), lambda text, target, inside: f'<math alttext="{escape(inside)}"></math>'
    ),
    "image": lambda text, target, inside: picture(target, inside),
    "menu": lambda text, target, inside: text.html(" > ".join(filter(None, (target, inside)))),
    "xref": lambda text, target, inside: text.cross_reference(target, inside),
}
"""Conversions of macros from their target and the text in brackets."""
