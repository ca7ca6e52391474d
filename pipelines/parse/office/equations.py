"""Equations of Office documents (OMML, ECMA-376 1, 22.1) as LaTeX: `\\frac{-b \\pm \\sqrt{b^{2}-4ac}}{2a}`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified, value

_GREEK = (
    "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho"
    " σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega ϵ epsilon ϑ vartheta ϕ varphi ϱ varrho ς varsigma ϖ varpi"
    " Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega"
)
_SIGNS = (
    "× times ÷ div ± pm ∓ mp · cdot ⋅ cdot ∗ ast ∘ circ • bullet √ surd ∞ infty ∂ partial ∇ nabla ∆ Delta ≤ leq ≥ geq"
    " ≠ neq ≈ approx ≡ equiv ≅ cong ∼ sim ≃ simeq ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset"
    " ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ¬ neg ∧ wedge ∨ vee ⊕ oplus ⊗ otimes ⊥ perp ∥ parallel"
    " ∠ angle → rightarrow ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow"
    " ↓ downarrow … ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ″ prime\\prime ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph ⟨ langle"
    " ⟩ rangle ∖ setminus ° circ"
)
_T = qualified("m:t")
_CIRCUMFLEX = "\N{COMBINING CIRCUMFLEX ACCENT}"
_BACKSLASH = "\\"
"""Expressions in f-strings must not contain a backslash before Python 3.12."""
_BRACKETS = {"{": r"\{", "}": r"\}", "": ".", "⟨": r"\langle ", "⟩": r"\rangle ", "‖": r"\|", "⌊": r"\lfloor ",
             "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil "}  # fmt: skip


def _table(words: str) -> dict[str, str]:
    pieces = words.split()
    return {sign: f" \\{name} " for sign, name in zip(pieces[::2], pieces[1::2], strict=True)}


_NAMES = {**_table(_GREEK), **_table(_SIGNS), "%": r"\%", "#": r"\#", "&": r"\&", "{": r"\{", "}": r"\}", "−": "-",
          "\u2061": "", "\u2062": "", "\u2063": ",", "\u00a0": " "}  # fmt: skip

FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim liminf limsup max min sup inf"
    " det dim gcd arg deg hom ker Pr".split()
)
OPERATORS = {
    "∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
    "∯": r"\oiint", "∰": r"\oiiint", "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge",
    "⨁": r"\bigoplus", "⨂": r"\bigotimes",
}  # fmt: skip
ACCENTS = {
    "\u0300": r"\grave", "\u0301": r"\acute", "\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar",
    "\u0305": r"\overline", "\u0306": r"\breve", "\u0307": r"\dot", "\u0308": r"\ddot", "\u030c": r"\check",
    "\u20d6": r"\overleftarrow", "\u20d7": r"\vec", "\u20e1": r"\overleftrightarrow", "\u20db": r"\dddot",
}  # fmt: skip
GROUPS = {"⏟": r"\underbrace", "⏞": r"\overbrace", "→": r"\overrightarrow", "←": r"\overleftarrow"}


def latex(text: str) -> str:
    """Return mathematical text in LaTeX: Greek letters and signs as commands, italic and bold letters as plain ones."""
    if text.isascii() and text.isalnum():
        return text
    return "".join(_NAMES[sign] if sign in _NAMES else _sign(sign) for sign in text)


def _sign(sign: str) -> str:
    """Return a character in LaTeX; mathematical alphanumeric symbols (from U+1D400) become plain letters."""
    plain = unicodedata.normalize("NFKC", sign) if "\U0001d400" <= sign <= "\U0001d7ff" else sign
    return _NAMES.get(plain, plain)


def to_latex(element: Element) -> str:
    """Return the LaTeX of an `m:oMath`, or of an `m:oMathPara` with one equation per line."""
    if local(element) == "oMathPara":
        return "\n".join(filter(None, (to_latex(part) for part in element.iterfind("m:oMath", NAMESPACES))))
    return _content(element).strip()


def _content(element: Element | None) -> str:
    if element is None:
        return ""
    return "".join(_convert(child) for child in children(element))


def _convert(element: Element) -> str:
    name = local(element)
    if name.endswith("Pr") or name in ("delText", "instrText"):
        return ""
    if template := _TEMPLATES.get(name):
        return template.format(**{part: _part(element, part) for part in ("e", "sub", "sup", "lim")})
    return _CONVERTERS.get(name, _content)(element)


def _part(element: Element, name: str) -> str:
    return _content(element.find(f"m:{name}", NAMESPACES)).strip()


def _option(element: Element, name: str, default: str) -> str:
    """Return a property such as `naryPr/chr`: `default` if it is absent, empty if it has no value."""
    found = element.find(f"m:{local(element)}Pr/m:{name}", NAMESPACES)
    return default if found is None else found.get(qualified("m:val"), "")


def _run(element: Element) -> str:
    text = "".join(child.text or "" for child in element.iter(_T, qualified("w:t")))
    plain = element.find("m:rPr/m:nor", NAMESPACES) is not None
    return rf"\text{{{text}}}" if plain and text.strip() else latex(text)


def _fraction(element: Element) -> str:
    over, under = _part(element, "num"), _part(element, "den")
    kind = _option(element, "type", "bar")
    if kind == "noBar":
        return rf"\genfrac{{}}{{}}{{0pt}}{{}}{{{over}}}{{{under}}}"
    return f"{over}/{under}" if kind in ("lin", "skw") else rf"\frac{{{over}}}{{{under}}}"


def _root(element: Element) -> str:
    hidden = _option(element, "degHide", "0") in ("1", "on", "true", "")
    degree = "" if hidden else _part(element, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _big_operator(element: Element) -> str:
    sign = OPERATORS.get(_option(element, "chr", "∫"), r"\int")
    under, over = _part(element, "sub"), _part(element, "sup")
    limits = (f"_{{{under}}}" if under else "") + (f"^{{{over}}}" if over else "")
    return f"{sign}{limits or ' '}{_part(element, 'e')}"


def _brackets(element: Element) -> str:
    opening, closing = _option(element, "begChr", "("), _option(element, "endChr", ")")
    divider = latex(_option(element, "sepChr", "|"))
    inside = divider.join(_content(part).strip() for part in element.iterfind("m:e", NAMESPACES))
    return rf"\left{_BRACKETS.get(opening, opening)}{inside}\right{_BRACKETS.get(closing, closing)}"


def _function(element: Element) -> str:
    name, argument = _part(element, "fName"), _part(element, "e")
    head = name.split("_", 1)[0].split("^", 1)[0].strip()
    if head in FUNCTIONS:
        return f"\\{name}{argument}"
    if head.isalpha() and len(head) > 1:
        return rf"\operatorname{{{head}}}{name[len(head) :]}{argument}"
    return name + argument


def _accent(element: Element) -> str:
    return rf"{ACCENTS.get(_option(element, 'chr', _CIRCUMFLEX), _BACKSLASH + 'hat')}{{{_part(element, 'e')}}}"


def _bar(element: Element) -> str:
    command = "overline" if _option(element, "pos", "bot") == "top" else "underline"
    return rf"\{command}{{{_part(element, 'e')}}}"


def _group(element: Element) -> str:
    return rf"{GROUPS.get(_option(element, 'chr', '⏟'), _BACKSLASH + 'underbrace')}{{{_part(element, 'e')}}}"


def _matrix(element: Element) -> str:
    rows = (
        " & ".join(_content(cell).strip() for cell in row.iterfind("m:e", NAMESPACES))
        for row in element.iterfind("m:mr", NAMESPACES)
    )
    return rf"\begin{{matrix}}{(_BACKSLASH * 2).join(rows)}\end{{matrix}}"


def _lines(element: Element) -> str:
    rows = [_content(part).strip() for part in element.iterfind("m:e", NAMESPACES)]
    if len(rows) == 1:
        return rows[0]
    return rf"\begin{{array}}{{c}}{(_BACKSLASH * 2).join(rows)}\end{{array}}"


def _phantom(element: Element) -> str:
    shown = value(element, "m:phantPr/m:show", "m:val") not in ("0", "off", "false")
    return _part(element, "e") if shown else ""


_TEMPLATES = {
    "sSup": "{e}^{{{sup}}}",
    "sSub": "{e}_{{{sub}}}",
    "sSubSup": "{e}_{{{sub}}}^{{{sup}}}",
    "sPre": "{{}}_{{{sub}}}^{{{sup}}}{e}",
    "limLow": "{e}_{{{lim}}}",
    "limUpp": "{e}^{{{lim}}}",
    "borderBox": r"\boxed{{{e}}}",
}
_CONVERTERS: dict[str, Callable[[Element], str]] = {
    "r": _run,
    "f": _fraction,
    "rad": _root,
    "nary": _big_operator,
    "d": _brackets,
    "func": _function,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "m": _matrix,
    "eqArr": _lines,
    "phant": _phantom,
    "del": lambda element: "",
}
