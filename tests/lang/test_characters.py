from pipelines.lang.characters import CJK_CHARACTER, CJK_RUN, UNSPACED_CHARACTER


def test_chinese_japanese_and_korean_are_matched_by_characters_but_korean_sets_blanks() -> None:
    assert all(CJK_CHARACTER.match(one) for one in "泵ポん펌")
    assert all(UNSPACED_CHARACTER.match(one) for one in "泵ポん")
    assert not UNSPACED_CHARACTER.match("펌")
    assert not any(CJK_CHARACTER.match(one) for one in "aß9。Ж")


def test_a_run_ends_at_another_script() -> None:
    assert CJK_RUN.findall("PT-300压力变送器 2泵") == ["压力变送器", "泵"]
