"""Writes language data of libraries into `pipelines/lang/data`, so that only the data is needed at run time.

    pip install wordfreq==3.1.1 babel==2.18.0 faker==40.54.0 PyICU==2.10.2 simplemma==2.0.0 textblob==0.20.1 \
        && python deploy/language_data.py

- `common_words/CODE.txt`: the commonest words, the commonest first, of wordfreq (Robyn Speer, Exquisite Corpus, 2022;
  the data under CC BY-SA 4.0), which joins eight kinds of sources (subtitles, news, books, the web, encyclopedias);
- `number_words/CODE.txt`: numbers in words in all genders and cases, by the rules of Unicode CLDR 42 in ICU 72
  (Unicode licence), each line a number and its forms;
- `unit_names/CODE.toml`: what units are called, by what they measure, of Unicode CLDR 47 through babel;
- `names/CODE.txt`: first names, or in Chinese and Japanese surnames, of faker (MIT licence);
- `verbs/CODE.txt`: forms of verbs, of words that are among the commonest of wordfreq: by the lemmas of simplemma (MIT
  licence), and in English by the tags of textblob's lexicon (MIT licence).
"""

from __future__ import annotations

import importlib
import importlib.resources
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import icu
from babel import Locale
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory
from wordfreq import available_languages, top_n_list

DATA = Path(__file__).parent.parent / "pipelines" / "lang" / "data"
COMMONEST = 3000
"""Common words a language; `pipelines.retrieve.question_terms.GENERAL` says what was tried."""
CODES = sorted(path.stem for path in DATA.glob("??.toml"))
WITHOUT_STOP_WORDS = ("ta",)
"""Languages without a list of stop words, which the commonest words would count as words with a meaning."""
OTHER_NAMES = {"no": "nb"}
"""Languages that the libraries call otherwise."""
LEMMAS_OF, FREQUENCIES_OF = {"hr": "hbs"}, {"hr": "sh"}
"""The same for simplemma and wordfreq."""
MEASURED = {
    "area": "area", "digital": "data", "duration": "time", "energy": "energy", "force": "force",
    "frequency": "frequency", "length": "length", "mass": "mass", "power": "power", "pressure": "pressure",
    "speed": "speed", "temperature": "temperature", "torque": "torque", "volume": "volume",
}  # fmt: skip
"""CLDR's categories of units as kinds of values; further ones by unit below, the rest measures nothing asked for."""
SINGLE = {
    "electric-ampere": "current", "electric-milliampere": "current", "electric-ohm": "resistance",
    "electric-volt": "voltage", "concentr-percent": "share", "concentr-permille": "share",
    "concentr-permillion": "share",
}  # fmt: skip
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "CNY", "JPY", "INR", "RUB")
"""Those of most documents in languages of other countries; a country's own are in `units.toml`."""
UNLIKELY = (
    "-person", "-point", "-cup", "-drop", "-pinch", "-dram", "-jigger", "-stone", "-grain", "-carat", "-solar",
    "-dalton", "-earth", "-light", "-quarter", "-spoon", "-decade", "-night", "-jp", "-imperial", "beaufort", "-knot",
    "-fathom", "-furlong", "scandinavian", "dunam", "astronomical", "parsec", "acre-foot", "bushel", "therm-us",
    "force-kilowatt-hour-per", "temperature-generic",
)  # fmt: skip
"""Parts of the names of units that are ordinary words, or that no document of engineering or office work uses."""
PLACES = {"en": ("en", "en_GB"), "pt": ("pt", "pt_PT")}
"""Countries of a language that call units otherwise."""
PEOPLE = {
    "bg": ("bg_BG",), "cs": ("cs_CZ",), "da": ("da_DK",), "de": ("de_DE", "de_AT", "de_CH"), "el": ("el_GR",),
    "en": ("en_US", "en_GB", "en_IN", "en_KE", "en_NG", "ha_NG", "ig_NG", "sw", "tw_GH", "yo_NG", "zu_ZA"),
    "es": ("es_ES",), "et": ("et_EE",), "fi": ("fi_FI",), "fr": ("fr_FR",), "hr": ("hr_HR",), "hu": ("hu_HU",),
    "id": ("id_ID",), "it": ("it_IT",), "ja": ("ja_JP",), "lt": ("lt_LT",), "lv": ("lv_LV",), "nl": ("nl_NL",),
    "no": ("no_NO",), "pl": ("pl_PL",), "pt": ("pt_PT", "pt_BR"), "ro": ("ro_RO",), "ru": ("ru_RU",), "sk": ("sk_SK",),
    "sl": ("sl_SI",), "sv": ("sv_SE",), "tr": ("tr_TR",), "uk": ("uk_UA",), "zh": ("zh_CN",),
}  # fmt: skip
ROMANIZED = ("ja_JP", "zh_CN")
"""Places whose first names are in English texts in Latin letters."""
SURNAME_FIRST = ("zh", "ja")
SPELLED = (*range(101), *range(200, 1001, 100), 1_000_000)
"""Numbers that documents write in words."""
NOT_SPELLED = ("ordinal", "year", "days", "financial")
"""Parts of the names of ICU's rules for ordinals, years, days of a month and cheques."""
READ_WORDS = 30_000
"""Words of a language among which its verbs are looked for: further ones are rare, in technical documents too."""
SHORTEST_VERB = 3
BARE = "en"
"""A verb without this ending is a noun as often, in Dutch ("test", "print")."""


@dataclass(frozen=True)
class VerbForms:
    """How verbs are told from other words in the lemmas of simplemma, which have no parts of speech.

    A lemma is a verb if it ends with `infinitive`, if at least `forms` words have it, as verbs have many more forms
    than nouns, and if one of them ends with `past`. Of its forms, those with the ending `finite` are verbs, except
    those with the ending `noun`: participles and verbal nouns, which are parts of terms ("aria compressa"), and forms
    of the first person that many nouns have too.
    """

    infinitive: str
    forms: int
    noun: str = "-"
    past: str = ""
    finite: str = ""


ROMANCE = "o|[ai]d[oa]s?"
"""Endings of the first person and of participles in Spanish and Portuguese."""
VERBS = {
    "bg": VerbForms("", 36, "н|н[еаои]|нето|ния|ната|ните|ният|щ[аио]?"),
    "ca": VerbForms("ar|er|ir|re", 30, "ts?|des|da|nts?"),
    "cs": VerbForms("t|ci", 5, "ním?|ních|tí", past="l"),
    "de": VerbForms("en|ern|eln", 8, finite="t|en|ern|eln"),
    "el": VerbForms("ω|ώ|μαι", 15),
    "es": VerbForms("[aeií]r", 30, ROMANCE),
    "fr": VerbForms("er|[iï]r|re", 20, "ée?s?|[iu]e?s|(?<!i)[iu]|(is|rt)(e|s|es)?|[in]tes?|[in]ts"),
    "hr": VerbForms("ti|ći", 15, "nj[eau]|njem|njima"),
    "it": VerbForms("[aei]re|rre", 30, "o|[aiu]t[aie]|tt[ai]|st?[ai]"),
    "lt": VerbForms("tis?", 25),
    "lv": VerbForms("t|ties", 15, "šan(a|as|ās|u|ai)"),
    "nl": VerbForms("en", 5, finite="t"),
    "pl": VerbForms("ć", 30, "(ni|ci)(e|a|u|em)|[nt](y|ej|ego|ych|ym)|n[ae]|nymi|[ae]ń|ąc([aye]|ej|ych|ego|ym)"),
    "pt": VerbForms("[aeioô]r", 30, ROMANCE),
    "ro": VerbForms("", 20, "tă?|ți|să?"),
    "ru": VerbForms("ть|ться|ти|тись|чь", 8, "[иы]й|[ая]я|[оеыи]е|[ое]го|[ое]й|[ую]ю|[иы]м|[иы]х|ом|[иы]ми", "л|лся"),
    "sk": VerbForms("ť", 8),
    "sl": VerbForms("ti|či", 5, "nj[eau]|njem"),
    "sv": VerbForms("a", 8, past="de|te", finite="[aeå]r|[ae]s|ades?"),
    "uk": VerbForms("ти|тися", 10, "[иі]й|их|ими?|ого|ому|ою|на|ні"),
}  # fmt: skip
"""By inspection of the forms found; Danish, Norwegian, Finnish, Hungarian and Turkish nouns cannot be told so."""
JOINERS = "\u200c\u200d"
"""Between the letters of a word in Persian and in the scripts of India."""
WITHIN_NAMES = str.maketrans("", "", " -.׳״")
"""Signs in the names and abbreviations of units, in Hebrew too ("ק״ג")."""
INVISIBLE = str.maketrans("", "", "\u00ad\u200b")


def write_lines(folder: str, code: str, lines: Iterable[str], suffix: str = "txt") -> None:
    path = DATA / folder / f"{code}.{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def common_words(code: str) -> None:
    name = OTHER_NAMES.get(code, code)
    if name in available_languages("small") and code not in WITHOUT_STOP_WORDS:
        write_lines("common_words", code, filter(is_word, top_n_list(name, COMMONEST, "small")))


def is_word(text: str) -> bool:
    """Whether a text has only letters, with the vowel signs and tones that Hindi, Thai and others write beside them."""
    return text[:1].isalpha() and all(
        letter.isalpha() or letter in JOINERS or unicodedata.category(letter) in ("Mn", "Mc") for letter in text
    )


def unit_names(code: str) -> None:
    found: dict[str, set[str]] = {}
    for place in PLACES.get(code, (OTHER_NAMES.get(code, code),)):
        for unit, lengths in Locale.parse(place)._data["unit_patterns"].items():
            kind = SINGLE.get(unit) or MEASURED.get(unit.partition("-")[0])
            if kind and not any(part in unit for part in UNLIKELY):
                found.setdefault(kind, set()).update(filter(None, names_of(lengths)))
        found.setdefault("money", set()).update(currencies(Locale.parse(place)))
        found.setdefault("speed", set()).update(rotations(Locale.parse(place)._data["unit_patterns"]))
    lines = (f"{kind} = [{listed(found[kind])}]" for kind in sorted(found))
    write_lines("unit_names", code, lines, "toml")


def currencies(locale: Locale) -> Iterator[str]:
    """Yield what amounts of `CURRENCIES` are called; CLDR leaves out plural forms that equal the name."""
    for code in CURRENCIES:
        names = [locale.currencies.get(code, ""), *locale._data["currency_names_plural"].get(code, {}).values()]
        yield from (name.lower() for name in names if is_word(name.translate(WITHIN_NAMES)))


def rotations(units: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[str]:
    """Yield what revolutions per minute are called, of two parts: "Umdrehungen pro Minute", "ot./min"."""
    for length in ("long", "short"):
        turns, minutes = (units.get(unit, {}).get(length, {}) for unit in ("angle-revolution", "duration-minute"))
        for pattern in (text for form, text in turns.items() if form != "per" and "{0}" in text):
            name = " ".join(pattern.replace("{0}", "").lower().split())
            for per in filter(None, (minutes.get("per"), units["duration-minute"].get("short", {}).get("per"))):
                yield from (per.lower().format(spelling) for spelling in {name, name.replace(".", "")})


def names_of(lengths: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield what a unit is called behind a figure, in all plural forms; abbreviations only where they are long.

    CLDR leaves out the long forms that equal the short ones.
    """
    abbreviated = bool(set(lengths.get("long", ())) - {"per"})
    for length, forms in lengths.items():
        if hasattr(forms, "items"):
            shortest = 2 if length == "long" or (length == "short" and not abbreviated) else 4
            yield from (spelled(pattern, shortest) for form, pattern in forms.items() if form != "per")


def number_words(code: str) -> None:
    rules = icu.RuleBasedNumberFormat(icu.URBNFRuleSetTag.SPELLOUT, icu.Locale(OTHER_NAMES.get(code, code)))
    named = [rules.getRuleSetName(place) for place in range(rules.getNumberOfRuleSetNames())]
    kept = [name for name in named if "spellout" in name and not any(part in name for part in NOT_SPELLED)]
    kept = [name for name in kept if "native" in name] or kept  # the Chinese numerals of Korean are other words too
    forms = {number: set(spellings(rules, kept, number)) for number in SPELLED}
    if not any(letter.isdigit() for letter in "".join(forms[2])):  # the rules of no language
        for number in (100, 1000, 1_000_000):
            forms[number] |= {word for form in forms[number] for one in forms[1] for word in without_one(form, one)}
        write_lines("number_words", code, (f"{number} {'|'.join(sorted(forms[number]))}" for number in SPELLED))


def spellings(rules: icu.RuleBasedNumberFormat, named: Iterable[str], number: int) -> Iterator[str]:
    """Yield the forms of a number, those with a hyphen also with a blank, as many write them."""
    for name in named:
        rules.setDefaultRuleSet(name)
        form = rules.format(number).translate(INVISIBLE).lower()
        yield from (form, form.replace("-", " "))


def without_one(form: str, one: str) -> Iterator[str]:
    """Yield "hundred" for "one hundred": it follows "a" or a figure as often."""
    first, _, word = form.partition(" ")
    if first == one and word.isalpha():
        yield word


def listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in sorted(names))


def spelled(pattern: str, shortest: int) -> str:
    """What a pattern such as "{0} Stunden" calls its unit, empty for a symbol (those stand in `units.toml`).

    One letter with a full stop abbreviates other words as often: in Russian, "г." is a year, a town, a gram.
    """
    name = " ".join(pattern.replace("{0}", "").lower().split())
    letters = name.translate(WITHIN_NAMES)
    long = len(name) >= shortest or not name.isascii()
    return name if long and is_word(letters) and (len(letters) > 1 or "." not in name) else ""


def names(code: str) -> None:
    kind = "last_names" if code in SURNAME_FIRST else "first_names"
    found: set[str] = set()
    for place in PEOPLE.get(code, ()):
        found.update(getattr(importlib.import_module(f"faker.providers.person.{place}").Provider, kind))
    for place in ROMANIZED if code == "en" else ():
        found.update(importlib.import_module(f"faker.providers.person.{place}").Provider.first_romanized_names)
    if found:
        write_lines("names", code, sorted(name for name in found if is_word(name.replace("-", ""))))


def verbs(code: str) -> None:
    if code == "en":
        write_lines("verbs", code, sorted(english_verbs()))
    elif code in VERBS:
        write_lines("verbs", code, sorted(verbs_by_lemma(code, VERBS[code])))


def verbs_by_lemma(code: str, told: VerbForms) -> set[str]:
    lemmas = DefaultDictionaryFactory().get_dictionary(LEMMAS_OF.get(code, code))
    forms = defaultdict(list)
    for form, lemma in lemmas.items():
        forms[lemma].append(form)

    def is_verb(lemma: str) -> bool:
        past = not told.past or any(ends(form, told.past) for form in forms[lemma])
        return len(forms[lemma]) >= told.forms and ends(lemma, told.infinitive) and lemma.islower() and past

    common = [word for word in top_n_list(FREQUENCIES_OF.get(code, code), READ_WORDS) if len(word) >= SHORTEST_VERB]
    verbal = [word for word in common if word in lemmas and is_verb(lemmas[word]) and f"{word}{BARE}" != lemmas[word]]
    return {word for word in verbal if ends(word, told.finite) and not ends(word, told.noun)}


def ends(word: str, endings: str) -> bool:
    return re.search(f"(?:{endings})$", word) is not None


def english_verbs() -> set[str]:
    """Return verbs in the third person, which the lexicon calls so more often than plural nouns ("lasts", "weighs")."""
    lexicon = importlib.resources.files("textblob.en").joinpath("en-lexicon.txt").read_text(encoding="utf-8")
    tagged = (line.split(" ") for line in lexicon.splitlines() if not line.startswith(";") and " " in line)
    return {
        word
        for word, tag, *_ in tagged
        if tag == "VBZ" and len(word) >= SHORTEST_VERB and word.isalpha() and word.islower()
    }


def main() -> None:
    for code in CODES:
        verbs(code)
        common_words(code)
        number_words(code)
        unit_names(code)
        names(code)


if __name__ == "__main__":
    main()
