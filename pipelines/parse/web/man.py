"""Manual pages in troff with the macros man(7) or mdoc(7), converted to HTML line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.walk import Walker

_REQUEST = re.compile(r"\ufeff?\s*[.']")
_TITLE = re.compile(r"^\.(?:TH|Dd)[ \t]", re.MULTILINE)
_SECTION = re.compile(r"^\.(?:SH|Sh)\b", re.MULTILINE)
_ARGUMENT = re.compile(r'"((?:[^"]|"")*+)"?|(\S+)')
_HEADINGS = {"SH": "h1", "Sh": "h1", "SS": "h2", "Ss": "h2"}
_PARAGRAPHS = frozenset("PP LP P Pp HP sp RS RE Bl El".split())
_CODE, _CODE_ENDS = frozenset("nf EX Bd DS".split()), frozenset("fi EE Ed DE".split())
_FONTS = frozenset("B I SM SB R".split())
_MIXED = frozenset("BR BI IR IB RB RI".split())
_SILENT = frozenset(
    "Dd Os Dt TH de if ie el ds nr ad hy na nh in ta ti ft ll ne PD so ig am rm tr fam hw ns rs pc UC AT IX TS TE UE ME"
    " Bk Ek Db Sm Rs Re".split()
)
_LINKS = ("UR", "MT")
_MDOC_MACRO = re.compile(r"[A-Z][a-z]$")
"""A macro of mdoc, which may be called within the arguments of another."""
_CHARACTERS = {
    "em": "—", "en": "–", "bu": "•", "aq": "'", "oq": "‘", "cq": "’", "lq": "“", "rq": "”", "dq": '"', "co": "©",
    "rg": "®", "de": "°", "mu": "×", "<=": "≤", ">=": "≥", "->": "→", "<-": "←", "+-": "±", "ha": "^", "ti": "~",
    "mi": "−", "hy": "-", "rs": "\\", "bv": "|", "ga": "`", "at": "@", "sh": "#", "Do": "$", "tm": "™", "pl": "+",
}  # fmt: skip
_ESCAPE = re.compile(
    r"\\(?:\((?P<two>..)|\[(?P<named>[^\]\n]{1,40})\]|[fFmM](?:\[[^\]\n]{0,40}\]|\(..|.)|s[-+]?(?:\(\d\d|\d\d?|\[[^\]\n]{0,20}\])"
    r"|[*ngk](?:\(..|\[[^\]\n]{0,40}\]|.)|[vhwloXZRNbDLDS]'[^'\n]{0,200}'|\"(?P<comment>.*)|#.*|(?P<sign>.)|$)"
)
_PLAIN = {"e": "\\", "t": "\t", "~": " ", "0": " "} | {sign: sign for sign in " -'`.\\("}
_BRACKETS = {"Op": "[]", "Bq": "[]", "Pq": "()", "Aq": "<>", "Dq": "“”", "Qq": '""', "Sq": "‘’"}
_DEFINED = re.compile(r"\.[ \t]*\.")
"""The end of a macro definition in a page."""
_SIGNS = {"Nd": "–", "Ux": "UNIX", "Oo": "[", "Oc": "]"}
_EXCESS_SPACE = re.compile(r" (?=[,;:)\]]|\.(?!\.))|(?<=[(\[]) | (?=\(\d\w?\))")
"""Spaces that mdoc does not print: before and after punctuation."""
_UNICODE = re.compile(r"u([0-9A-Fa-f]{4,6})$")


class ManReader:
    """Reads a manual page: sections, options as list items, examples as code, tables as their lines."""

    formats = (FileFormat("text/troff", (".man",), sniff=lambda sample: _is_page(sample.text)),)
    name = "man"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        lines = decode(path.read_bytes()).text.replace("\\\n", "").splitlines()
        head = next((_words(line)[1:] for line in lines if line.startswith((".TH", ".Dt"))), [])
        builder.meta("title", _ESCAPE.sub(_character, f"{head[0].lower()}({head[1]})") if len(head) > 1 else "")
        html = "\n".join(_as_html(lines))
        Walker(builder, titled=False, furniture=False).walk(parse_html_text(html, source.uri))
        return builder.build()


def _is_page(text: str) -> bool:
    """Whether a text begins with a request, perhaps a macro definition, and has a title and sections."""
    return bool(_REQUEST.match(text) and _TITLE.search(text) and _SECTION.search(text))


def _as_html(lines: list[str]) -> Iterator[str]:
    """Yield the page in HTML; the text of a heading or tag may be on the line after its request."""
    open_tag, page_name, code, in_definition = "", "", False, False
    for line in lines:
        name, words = _request(line)
        if name == "Nm":  # the name of the page, which is given only the first time
            page_name = page_name or "".join(words[:1])
            words = words if words and words[0][:1].isalnum() else [page_name, *words]
        if in_definition:
            in_definition = not _DEFINED.fullmatch(line.rstrip())
            continue
        in_definition = name in ("de", "am", "ig") and "." not in words
        if name in _CODE_ENDS:
            code = False
            yield "</pre><p>"
        elif name in _CODE:
            code = True
            yield "<p></p><pre>"
        elif code:
            yield _request_html(name, words) if name else _plain(line)
        elif name in _HEADINGS:
            open_tag = "" if words else _HEADINGS[name]
            yield f"<{_HEADINGS[name]}>{_plain(' '.join(words))}</{_HEADINGS[name]}>" if words else ""
        elif name in ("TP", "TQ", "IP", "It"):
            open_tag = "li" if name in ("TP", "TQ") else ""
            yield "" if open_tag else f"<li>{_request_html(name, words[:1] if name == 'IP' else words)} "
        elif name in _PARAGRAPHS:
            yield "<p>"
        elif name == "br":
            yield "<br>"
        else:
            text = _request_html(name, words) if name else _plain(line) or "<p>"
            if open_tag and text:
                text, open_tag = f"<{open_tag}>{text}" + (f"</{open_tag}>" if open_tag != "li" else " "), ""
            yield text


def _request(line: str) -> tuple[str, list[str]]:
    """Return the name of a request, or '' for a line of text, and its arguments."""
    if not line.startswith((".", "'")) or line.startswith("'''"):
        return "", []
    words = _words(line[1:].lstrip())
    return (words[0], words[1:]) if words and not line[1:].startswith('\\"') else ("ig.", [])


def _words(line: str) -> list[str]:
    return [(quoted or plain).replace('""', '"') for quoted, plain in _ARGUMENT.findall(line.partition('\\"')[0])]


def _request_html(name: str, words: list[str]) -> str:
    """Return the HTML of a request: text in fonts, a link, or the output of mdoc macros."""
    if name in _SILENT or name.endswith("."):
        return ""
    if name in _LINKS:
        return f'<a href="{escape(words[0])}">{_plain(words[0])}</a>' if words else ""
    if name in _MIXED:
        return _plain("".join(words))
    if name in _FONTS or not _MDOC_MACRO.match(name):
        return _plain(" ".join(words)) if name in (*_FONTS, "IP") else ""
    brackets = _BRACKETS.get(name, "  ")
    text = _EXCESS_SPACE.sub("", _plain(" ".join(_mdoc([name, *words]))))
    return f"{escape(brackets[0])}{text}{escape(brackets[1])}".strip() + " "


def _mdoc(words: list[str]) -> Iterator[str]:
    """Yield the words without macro names; flags get a hyphen, sections of pages brackets."""
    flag = page = False
    for word in words:
        if word in _SIGNS:
            yield _SIGNS[word]
        elif _MDOC_MACRO.match(word):
            flag, page = word == "Fl", word == "Xr"
        elif page and word.isalnum() and len(word) < 3:  # a section: "1", "3p"
            yield f"({word})"
        else:
            yield f"-{word}" if flag else word
            flag = False


def _plain(text: str) -> str:
    return escape(_ESCAPE.sub(_character, text))


def _character(found: re.Match[str]) -> str:
    named = found["two"] or found["named"] or ""
    if code := _UNICODE.match(named):
        return chr(int(code[1], 16)) if int(code[1], 16) < 0x110000 else ""  # end of Unicode
    return _CHARACTERS.get(named, "") or _PLAIN.get(found["sign"] or "", "")
