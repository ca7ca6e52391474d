"""Characters of symbol fonts, which name a place in the font instead of a character."""

from __future__ import annotations

_PRIVATE = 0xF000
_SYMBOL = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
_SYMBOL_SIGNS = {
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥",
    0xB4: "×", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC5: "⊕", 0xC6: "∅",
    0xCE: "∈", 0xD0: "∠", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xDB: "⇔", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫", 0xD2: "®",
    0xD3: "©", 0xD4: "™", 0x40: "≅", 0x5E: "⊥", 0x7E: "∼", 0x22: "∀", 0x24: "∃", 0xC7: "∩", 0xC8: "∪",
}  # fmt: skip
_WINGDINGS = {
    0xFC: "✓", 0xFB: "✗", 0xFE: "☒", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0x78: "☒", 0x71: "❑", 0xE0: "→", 0xDF: "←",
    0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xD8: "➢", 0x6C: "●", 0x6E: "■", 0x76: "❖", 0xA7: "▪", 0x4A: "☺",
    0x4C: "☹", 0x28: "☎", 0x2A: "✉", 0x52: "☒", 0xF3: "⇔",
}  # fmt: skip


def glyph(font: str, code: str) -> str:
    """Return the character at a hexadecimal place of a font, empty where it has none that is known."""
    try:
        place = int(code, 16)
    except ValueError:
        return ""
    if place >= _PRIVATE:
        place -= _PRIVATE
    name = font.lower()
    if name == "symbol":
        return _SYMBOL.get(chr(place)) or _SYMBOL_SIGNS.get(place) or (chr(place) if 0x20 <= place < 0x7F else "")
    if name.startswith("wingdings"):
        return (
            _WINGDINGS.get(place, "")
            if name == "wingdings"
            else {0x52: "☑", 0x50: "✓", 0xA3: "☐", 0x54: "☒"}.get(place, "")
        )
    return chr(place) if 0x20 <= place < 0x110000 and not 0xD800 <= place < 0xE000 else ""
