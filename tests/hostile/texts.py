"""Long repetitive texts that slow down scanning code; each has `SIZE` characters."""

from __future__ import annotations

import os

from tests.hostile.case import EMPTY, LARGE, READ, Family

SIZE = int(os.environ.get("HOSTILE_SIZE", "40000"))
"""Characters of a text; `make trust` uses a million."""

family = Family()

PUMPS = {
    "dots": ".",
    "dots-and-blanks": ". ",
    "newline-blank": "\n ",
    "blank-lines": "\n\n",
    "tabs": "\t ",
    "one-word": "a",
    "words": "a ",
    "capitals": "A ",
    "initials": "A.B. ",
    "numbers": "1 ",
    "digits": "1",
    "versions": "1.1.",
    "sections": "1.1 a\n",
    "open-brackets": "(",
    "closing-brackets": ")]}",
    "quotes": "\"'",
    "open-quotes": "“„«",
    "pipes": "| ",
    "table-rows": "a | b\n",
    "dashes": "-",
    "items": "- a\n",
    "nested-items": "  - a\n",
    "colons": "a: ",
    "slashes": "a/",
    "addresses": "http://",
    "mail-addresses": "a@",
    "file-names": "a.b-",
    "see-section": "see section ",
    "standards": "ISO IEC EN ",
    "units": "1 m ",
    "ranges": "1-",
    "dates": "2024-",
    "chinese": "压",
    "chinese-marks": "《",
    "japanese": "ア。",
    "thai": "ก",
    "arabic": "ا ",
    "combining": "e\u0301\u0300",
    "only-combining": "\u0301",
    "emoji": "👩‍👩‍👧",
    "zero-width": "\u200b",
    "soft-hyphens": "a\u00ad",
    "bidi": "\u202e\u2066",
    "hyphens-at-line-ends": "a-\n",
    "stars": "*",
    "backslashes": "\\",
    "dollars": "$x",
    "ampersands": "&amp;",
    "percent": "%20",
    "the-same-sentence": "The pump stops. ",
    "same-title": "Pump K-80\n\n",
    "names": "Karl Maier ",
    "codes": "K80-250 ",
    "parentheses-deep": "(a ",
    "footnotes": "[1] ",
    "questions": "Who? ",
}


def pumped(pump: str) -> bytes:
    return ("Trap. " + pump * (SIZE // len(pump)) + " end").encode()


for _name, _pump in PUMPS.items():
    family.file(f"trap-{_name}.txt", READ, LARGE, EMPTY)(lambda pump=_pump: pumped(pump))  # type: ignore[misc]

for _name in ("dots", "words", "pipes", "stars", "open-brackets", "addresses"):
    family.file(f"trap-{_name}.md", READ, LARGE, EMPTY)(lambda pump=PUMPS[_name]: pumped(pump))  # type: ignore[misc]
    family.file(f"trap-{_name}.html", READ, LARGE, EMPTY)(  # type: ignore[misc]
        lambda pump=PUMPS[_name]: b"<html><body><p>" + pumped(pump) + b"</p></body></html>"
    )
