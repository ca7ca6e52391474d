"""Formats made of text, told by what the text looks like; a file's name only decides between those that look alike."""

from __future__ import annotations

import csv
import json
import re

TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
XHTML = "application/xhtml+xml"
XML = "application/xml"
SVG = "image/svg+xml"
JSON = "application/json"
JSON_LINES = "application/x-ndjson"
MAIL = "message/rfc822"
MAILBOX = "application/mbox"
CSV = "text/csv"
TSV = "text/tab-separated-values"
RST = "text/x-rst"
ORG = "text/x-org"

# Formats that any text could be: here the name is believed.
_SOFT = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".mkd": MARKDOWN,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".rst": RST,
    ".rest": RST,
    ".org": ORG,
}
_HARD = {".json": JSON, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".html": HTML, ".htm": HTML, ".xml": XML}

# What may stand before the first element; atomic, so that a thousand comments are read once.
_PROLOG = r"(?>\s+|<!--.*?-->|<\?[^>]*\?>)*+"
_BEFORE = re.compile(_PROLOG, re.DOTALL)
_HTML_START = re.compile(_PROLOG + r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HTML_TAG = re.compile(
    r"<(?:p|div|table|tr|td|ul|ol|li|dl|dt|dd|h[1-6]|b|i|em|strong|span|font|center|br|hr|img|a|pre|blockquote|section"
    r"|article|nav|header|footer|figure|form|meta|link|title|script|style)\b[^<>]*>",
    re.IGNORECASE,
)
_XHTML = re.compile(r"<html[^<>]+xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml|//DTD XHTML", re.IGNORECASE)
_DOCTYPE = r"(?>(?:<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*)?>)?)"
_XML_START = re.compile(_PROLOG + _DOCTYPE + _PROLOG + r"<([A-Za-z_][\w.:-]*)[\s/>]", re.DOTALL)
_POSTMARK, _FIELD = re.compile(r"From \S.*\d\d:\d\d:\d\d"), re.compile(r"[A-Za-z-]+: ")
_MAIL_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,40}):(?:[ \t]|\r?\n[ \t]|\r?\n)")
_MAIL_NAMES = frozenset(
    "from to cc subject date message-id received return-path delivered-to mime-version content-type reply-to sender"
    " x-mailer in-reply-to references dkim-signature list-id x-mozilla-status".split()
)
_MAIL_PROOF = frozenset("message-id received return-path delivered-to mime-version x-mailer dkim-signature".split())
_MARKDOWN_SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^#{1,6} \S",
        r"^(?:```|~~~)",
        r"!?\[[^\[\]\n]+\]\([^\[)\n]+\)",
        r"^\|?[^\S\n]*:?-{3,}:?[^\S\n]*\|",
        r"(?<!\*)\*\*[^*\s][^*\n]*\*\*",
        r"^\[[^\]\n]+\]:\s+\S",
    )
)
_RST_SIGN = re.compile(r"^\.\. (?:[a-z-]+::|_[^:\n]+:)", re.MULTILINE)


def text_type(sample: str, suffix: str, *, whole: bool) -> str:
    """Return the media type of a text that begins with `sample`; `whole` says that there is no more of it.

    `suffix` is that of the file's name, in lower case with its dot.
    """
    hard = _mail(sample) or _markup(sample, suffix) or _json(sample, suffix, whole)
    if hard:
        return hard
    if suffix in _SOFT:
        return _SOFT[suffix]
    return _looks(sample) if suffix in ("", ".txt", ".text", ".dat", ".tmp") or suffix in _HARD else TEXT


def _mail(sample: str) -> str:
    start = sample.lstrip("\ufeff\r\n")
    first, _, second = start.partition("\n")
    if _POSTMARK.match(first) and _FIELD.match(second):
        return MAILBOX
    head = re.split(r"\r?\n\r?\n", start, maxsplit=1)[0]
    lines = head.splitlines()[:60]
    names = [match.group(1).lower() for line in lines if (match := _MAIL_HEADER.match(line + "\n"))]
    folded = sum(line[:1] in " \t" for line in lines)
    if not names or len(names) + folded < len(lines) or lines[0][:1] in " \t":
        return ""
    known = _MAIL_NAMES.intersection(names)
    return MAIL if len(known) >= 3 or (len(known) >= 2 and known & _MAIL_PROOF) else ""


def _markup(sample: str, suffix: str) -> str:
    start = sample.lstrip("\ufeff \t\r\n")
    if not start.startswith("<"):
        return ""
    if _HTML_START.match(start):
        return XHTML if _XHTML.search(start[:2000]) and start.startswith("<?xml") else HTML
    if suffix in (".md", ".markdown"):
        return ""
    root = _XML_START.match(start)
    begin = _BEFORE.match(start)
    tags = len(_HTML_TAG.findall(start, begin.end() if begin else 0))
    if start.startswith("<?xml") or (root and suffix not in (".html", ".htm") and (tags < 2 or suffix == ".xml")):
        return SVG if root and root.group(1).endswith("svg") else (XML if root else "")
    return HTML if tags >= 2 or (root and suffix in (".html", ".htm")) else ""


def _json(sample: str, suffix: str, whole: bool) -> str:
    start = sample.strip("\ufeff \t\r\n")
    if start[:1] not in ("{", "["):
        return ""
    lines = [line for line in start.split("\n") if line.strip()]
    complete = lines if whole else lines[:-1]
    good = [line[0] in "{[" and _is_json(line) for line in complete[:5]]
    if len(good) > 1 and (all(good) or (suffix in (".jsonl", ".ndjson") and 2 * sum(good) > len(good))):
        return JSON_LINES
    if whole:
        return JSON if suffix == ".json" or _is_json(start) else ""
    return JSON if suffix == ".json" or re.match(r'[\[{]\s*(?:"|[\[{]|-?\d+[,\s])', start) else ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _looks(sample: str) -> str:
    """Files without a telling name: what three or more lines agree on."""
    if sum(sign.search(sample) is not None for sign in _MARKDOWN_SIGNS) >= 2:
        return MARKDOWN
    if _RST_SIGN.search(sample):
        return RST
    for delimiter, media_type in (("\t", TSV), (",", CSV), (";", CSV)):
        if _is_grid(sample, delimiter):
            return media_type
    return TEXT


def _is_grid(sample: str, delimiter: str) -> bool:
    """Whether every line has the same number of short fields, three or more."""
    lines = [line for line in sample.splitlines()[:200] if line.strip()][:-1]
    if len(lines) < 3 or delimiter not in lines[0] or max(map(len, lines)) > 4000:
        return False
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    widths = {len(row) for row in rows}
    fields = [field for row in rows for field in row]
    return len(widths) == 1 and widths.pop() >= 3 and sum(map(len, fields)) < 40 * len(fields)
