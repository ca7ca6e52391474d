"""Tests of converting OMML equations to LaTeX."""

from __future__ import annotations

import pytest
from lxml import etree

from pipelines.parse.office.equations import to_latex

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def latex(content: str) -> str:
    content = content.replace('val="', 'm:val="')
    return "".join(to_latex(etree.fromstring(f'<m:oMath xmlns:m="{M}">{content}</m:oMath>')).split())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"<m:f><m:num>{r('a')}</m:num><m:den>{r('b')}</m:den></m:f>", r"\frac{a}{b}"),
        (f"<m:sSub><m:e>{r('x')}</m:e><m:sub>{r('i')}</m:sub></m:sSub>", "x_{i}"),
        (f"<m:rad><m:deg>{r('3')}</m:deg><m:e>{r('x')}</m:e></m:rad>", r"\sqrt[3]{x}"),
        (f'<m:rad><m:radPr><m:degHide val="1"/></m:radPr><m:deg/><m:e>{r("x")}</m:e></m:rad>', r"\sqrt{x}"),
        (
            f'<m:nary><m:naryPr><m:chr val="∑"/></m:naryPr><m:sub>{r("n=1")}</m:sub><m:sup>{r("∞")}</m:sup>'
            f"<m:e>{r('x')}</m:e>"
            "</m:nary>",
            r"\sum_{n=1}^{\infty}x",
        ),
        (f"<m:d><m:e>{r('x')}</m:e></m:d>", r"\left(x\right)"),
        (f'<m:d><m:dPr><m:begChr val="{{"/><m:endChr val=""/></m:dPr><m:e>{r("x")}</m:e></m:d>', r"\left\{x\right."),
        (f"<m:func><m:fName>{r('sin')}</m:fName><m:e>{r('α')}</m:e></m:func>", r"\sin\alpha"),
        (f"<m:func><m:fName>{r('argmax')}</m:fName><m:e>{r('x')}</m:e></m:func>", r"\operatorname{argmax}x"),
        (
            f"<m:m><m:mr><m:e>{r('a')}</m:e><m:e>{r('b')}</m:e></m:mr><m:mr><m:e>{r('c')}</m:e><m:e>{r('d')}</m:e></m:mr></m:m>",
            r"\begin{matrix}a&b\\c&d\end{matrix}",
        ),
        (f'<m:acc><m:accPr><m:chr val="&#x20d7;"/></m:accPr><m:e>{r("v")}</m:e></m:acc>', r"\vec{v}"),
        (f'<m:bar><m:barPr><m:pos val="top"/></m:barPr><m:e>{r("x")}</m:e></m:bar>', r"\overline{x}"),
        (f"<m:eqArr><m:e>{r('a')}</m:e></m:eqArr>", "a"),
        (r("𝑥≤5%"), r"x\leq5\%"),
    ],
)
def test_an_element_is_converted_to_latex(content: str, expected: str) -> None:
    assert latex(content) == expected
