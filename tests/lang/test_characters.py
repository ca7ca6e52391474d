from pipelines.lang.characters import CJK_CHARACTER, CJK_RUN, UNSPACED_CHARACTER


def test_cjk_characters_include_hangul_and_unspaced_characters_do_not() -> None:
    assert all(CJK_CHARACTER.match(one) for one in "泵ポん펌")
    assert all(UNSPACED_CHARACTER.match(one) for one in "泵ポん")
    assert not UNSPACED_CHARACTER.match("펌")
    assert not any(CJK_CHARACTER.match(one) for one in "aß9。Ж")


def test_a_cjk_run_ends_at_another_script() -> None:
    assert CJK_RUN.findall("PT-300压力变送器 2泵") == ["压力变送器", "泵"]
