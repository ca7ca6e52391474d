"""The forms by which names are recognized, and the words that are none."""

from __future__ import annotations

import re

from pipelines.lang.characters import CJK, HAN, LATIN_CAPITAL
from pipelines.lang.organizations import CHINESE_ORGANIZATIONS, STANDARD_BODIES
from pipelines.lang.words import FUNCTION_WORDS

# A run of words with capitals, small words of names between them, a number at the end: "Bank of England", "Apollo 11".
_LETTER = rf"[^\W{CJK}]"
_INITIALS = rf"[{LATIN_CAPITAL}]\.(?:[{LATIN_CAPITAL}]\.)*(?=[ ,])"
_WORD = rf"(?:{_INITIALS}|[{LATIN_CAPITAL}]{_LETTER}*(?:['’.&-]{_LETTER}+)*)"
_JOINT = r"(?:(?:of|the|de|del|della|di|da|du|des|la|le|van|von|der|den|bin|al|ibn|y)\s+){1,2}|&\s+"
CAPITALIZED = re.compile(rf"(?<![A-Za-z0-9]){_WORD}(?:\s(?:{_JOINT})?{_WORD}|\s(?=\d{{1,4}}\b)\d{{1,4}}(?![\w.,%°]))*")

# "ISO 9001:2015", "EN ISO 13485", "GB/T 19001-2016", "MIL-STD-810G".
STANDARD = re.compile(
    rf"(?<![A-Za-z])(?:(?:{STANDARD_BODIES})(?:/[A-Z]{{1,4}})?[ -]){{1,3}}[A-Z]?\d+(?:[-.]\d+)*(?:[:—-]\d{{4}})?"
    r"|(?<![A-Za-z])MIL-[A-Z]+-\d+[A-Z]*"
)

# Letters and digits together: "P-101A", "DS-2041", "LM7805". The look-ahead is bounded, or long lines take for ever.
CODE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z-/]{0,12}\d)[A-Z][A-Za-z]{0,7}(?:[-/]?[A-Z0-9]+[a-z]?)+(?:[-/.][A-Z0-9]+)*"
    r"(?![A-Za-z0-9])"
)

# 《title》, a body by its last characters, “quoted”.
CHINESE = re.compile(
    r"《(?P<work>[^《》\n]{2,40})》"
    rf"|(?P<body>[{HAN}]{{2,14}}?(?:[(（][{HAN}]{{2,4}}[)）])?(?:{CHINESE_ORGANIZATIONS}))"
    r"|[「“](?P<quoted>[^「」“”\n]{2,16})[」”]"
)
CHINESE_LEAD = re.compile(r"^.*[的了在是和与及或对从被将由到请向把给让经于该此本各其为]")
CHINESE_BODY = re.compile(rf"(?!有限|股份)[{HAN}]{{2}}.*(?:{CHINESE_ORGANIZATIONS})$")

SHORT_FOR = re.compile(r"\s?[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")
POSSESSIVE = re.compile(r"['’]s?$")

OPENING = " \"“'(*#-–●○•▪◦·"
"""What may stand before the first word of a sentence."""
BEGINS = ("|", "•", "●", "○", "▪")
"""Marks behind which a cell or a list item begins."""

NOT_NAMING = FUNCTION_WORDS | frozenset(
    "dear hello hi cc bcc from to date subject re fw fwd regards sincerely page".split()
)
INITIALISMS = frozenset(["US", "WHO", "IT"])
"""Names that read like function words."""
SHORTEST = 3
"""Letters that some word of a name has, unless it is all letters ("EU")."""
