import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.decode import decode

TEXTS = {
    "ja": "これは日本語の文書です。酸素濃縮器の保守手順を説明します。フィルターは三か月ごとに交換してください。",
    "zh": "本文件说明制氧机的维护步骤。每三个月更换一次过滤器，并检查压力传感器。",
    "zht": "本文件說明製氧機的維護步驟。每三個月更換一次過濾器，並檢查壓力感測器。",
    "ko": "이 문서는 산소 발생기의 유지 보수 절차를 설명합니다. 필터를 교환하십시오.",
    "de": "Die Prüfung der Überdruckventile erfolgt jährlich. Größe und Maße siehe Anhang.",
    "fr": "L’étalonnage du capteur est réalisé à 25 °C. Où trouver la référence ?",
    "ru": "Техническое обслуживание концентратора проводится каждые три месяца.",
    "pl": "Zażółć gęślą jaźń. Wymiana filtra powietrza co trzy miesiące, sprawdź ciśnienie.",
    "hu": "A szűrőt háromhavonta kell cserélni, és a nyomást ellenőrizni kell.",
    "tr": "Filtre üç ayda bir değiştirilmeli, basınç ölçülmelidir. Şişe boş.",
    "zh-row": "料号;名称;数量;库位",
    "zh-word": "阀门",
    "ru-word": "Клапан",
    "el": "Η συντήρηση του φίλτρου γίνεται κάθε τρεις μήνες, ελέγξτε την πίεση.",
}
CASES = [
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("ja", "iso2022_jp"),
    ("ja", "utf-16"),
    ("zh", "gb18030"),
    ("zht", "big5"),
    ("ko", "euc_kr"),
    ("de", "cp1252"),
    ("de", "latin-1"),
    ("de", "utf-16-le"),
    ("fr", "cp1252"),
    ("ru", "cp1251"),
    ("ru", "koi8_r"),
    ("pl", "cp1250"),
    ("pl", "iso8859_2"),
    ("el", "cp1253"),
    ("hu", "cp1250"),
    ("hu", "iso8859_2"),
    ("tr", "cp1254"),
    ("ru", "iso8859_5"),
    ("zh-row", "gb18030"),
    ("zh-word", "gb18030"),
    ("ru-word", "cp866"),
    ("ru", "utf-8"),
    ("de", "utf-16-be"),
]


@pytest.mark.parametrize(("language", "encoding"), CASES)
@pytest.mark.parametrize("before", ["", "Part No. 45 / FILTER replacement, see page 12.\n" * 5])
def test_the_encoding_is_detected_without_a_declaration(language: str, encoding: str, before: str) -> None:
    text = before + TEXTS[language]
    assert decode(text.encode(encoding)).text == text


def test_a_declared_encoding_is_used_if_it_fits() -> None:
    assert decode("Größe".encode("cp1252"), "ISO-8859-1").text == "Größe"
    assert decode("Größe".encode(), "ISO-8859-1").text == "Größe"


def test_an_unknown_encoding_is_ignored() -> None:
    assert decode("Größe und Maße".encode("cp1252"), "klingon-8").text == "Größe und Maße"


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    data = ("Überdruckventil geprüft. " * 400).encode() + b"\xff end"
    decoded = decode(data)
    assert decoded.encoding == "utf-8"
    assert decoded.damaged == 1


@pytest.mark.parametrize(
    ("language", "encoding"), [("ja", "cp932"), ("zh", "gb18030"), ("ko", "euc_kr"), ("ru", "koi8_r")]
)
def test_a_broken_byte_and_a_cut_sample_do_not_change_the_encoding(language: str, encoding: str) -> None:
    line = f"{TEXTS[language]}\n".encode(encoding)
    decoded = decode(line * 20 + b"\x80\xff \n" + line * 1500)
    assert decoded.text.count(TEXTS[language]) == 1520


@given(st.text())
def test_utf_8_is_decoded_without_loss(text: str) -> None:
    data = text.encode("utf-8", "replace")
    if not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) and b"\0" not in data and b"\x1b" not in data:
        assert decode(data).text == data.decode()


@given(st.binary())
def test_any_bytes_are_decoded(data: bytes) -> None:
    assert isinstance(decode(data).text, str)
