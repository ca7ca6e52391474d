"""The forms by which names are recognized, and the words that are none."""

from __future__ import annotations

import re

from pipelines.lang.characters import CJK, HAN, LATIN_CAPITAL
from pipelines.lang.words import FUNCTION_WORDS

# A run of words with capitals, small words of names between them, a number at the end: "Bank of England", "Apollo 11".
_LETTER = rf"[^\W{CJK}]"
_INITIALS = rf"[{LATIN_CAPITAL}]\.(?:[{LATIN_CAPITAL}]\.)*(?=[ ,])"
_WORD = rf"(?:{_INITIALS}|[{LATIN_CAPITAL}]{_LETTER}*(?:['’.&-]{_LETTER}+)*)"
_JOINT = r"(?:(?:of|the|de|del|della|di|da|du|des|la|le|van|von|der|den|bin|al|ibn|y)\s+){1,2}|&\s+"
CAPITALIZED = re.compile(rf"(?<![A-Za-z0-9]){_WORD}(?:\s(?:{_JOINT})?{_WORD}|\s(?=\d{{1,4}}\b)\d{{1,4}}(?![\w.,%°]))*")

# "ISO 9001:2015", "EN ISO 13485", "GB/T 19001-2016", "MIL-STD-810G".
_BODIES = "ISO|IEC|EN|DIN|ASTM|ANSI|IEEE|AAMI|ASME|JIS|BS|UL|RFC|NFPA|NIST|VDE|ETSI|ITU|CISPR|YY|HG|JB"
STANDARD = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_BODIES}|GB)(?:/[A-Z]{{1,4}})?[ -]){{1,3}}[A-Z]?\d+(?:[-.]\d+)*(?:[:—-]\d{{4}})?"
    r"|(?<![A-Za-z])MIL-[A-Z]+-\d+[A-Z]*"
)

# Letters and digits together: "P-101A", "DS-2041", "LM7805". The look-ahead is bounded, or long lines take for ever.
CODE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z-/]{0,12}\d)[A-Z][A-Za-z]{0,7}(?:[-/]?[A-Z0-9]+[a-z]?)+(?:[-/.][A-Z0-9]+)*"
    r"(?![A-Za-z0-9])"
)

# 《title》, a body by its last characters, “quoted”.
_KINDS_OF_BODIES = "股份有限公司|有限公司|公司|集团|大学|学院|研究院|研究所|委员会|银行|医院|事业部|车间|管理局"
CHINESE = re.compile(
    r"《(?P<work>[^《》\n]{2,40})》"
    rf"|(?P<body>[{HAN}]{{2,14}}?(?:[(（][{HAN}]{{2,4}}[)）])?(?:{_KINDS_OF_BODIES}))"
    r"|[「“](?P<quoted>[^「」“”\n]{2,16})[」”]"
)
CHINESE_LEAD = re.compile(r"^.*[的了在是和与及或对从被将由到请向把给让经于该此本各其为]")
CHINESE_BODY = re.compile(rf"(?!有限|股份)[{HAN}]{{2}}.*(?:{_KINDS_OF_BODIES})$")

ORGANIZATION = re.compile(
    r"\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Company|Co|University|Institute|College|School|Council|Committee"
    r"|Association|Agency|Ministry|Department|Society|Foundation|Bank|Group|Laboratory|Laboratories|Hospital)\b"
)
# The legal form with which the name of a company ends.
COMPANY = re.compile(
    r"(?i:\b(?:inc|ltd|llc|llp|plc|corp|gmbh|kg|ag|se|oy|ab|s\.p\.a|s\.?r\.?l|pty|co)\.?$)|\b(?:B\.?V|N\.?V|S\.A)\.?$"
)
SHORT_FOR = re.compile(r"\s?[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")
POSSESSIVE = re.compile(r"['’]s?$")

OPENING = " \"“'(*#-–●○•▪◦·"
"""What may stand before the first word of a sentence."""
BEGINS = ("|", "•", "●", "○", "▪")
"""Marks behind which a cell or a list item begins."""

CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday"
    " thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
NOT_NAMING = FUNCTION_WORDS | frozenset(
    "dear hello hi cc bcc from to date subject re fw fwd regards sincerely page".split()
)
INITIALISMS = frozenset(["US", "WHO", "IT"])
"""Names that read like function words."""
SHORTEST = 3
"""Letters that some word of a name has, unless it is all letters ("EU")."""
