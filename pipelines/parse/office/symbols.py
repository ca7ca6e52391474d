"""Mathematical signs and their LaTeX names."""

from __future__ import annotations

import unicodedata

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
    """Return mathematical text in LaTeX: Greek letters and signs by name, italic and bold letters as plain ones."""
    if text.isascii() and text.isalnum():
        return text
    return "".join(_NAMES[sign] if sign in _NAMES else _sign(sign) for sign in text)


def _sign(sign: str) -> str:
    """Mathematical alphanumerics (U+1D400 and on) are letters in another face."""
    plain = unicodedata.normalize("NFKC", sign) if "\U0001d400" <= sign <= "\U0001d7ff" else sign
    return _NAMES.get(plain, plain)
