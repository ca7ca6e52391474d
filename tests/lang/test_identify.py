import subprocess
import sys

import pytest

from pipelines.lang.identify import detect_language, language_of
from tests.conftest import ROOT

DETECT_WITHOUT_WRITING = """
import resource
from pipelines.lang.identify import detect_language
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
print(detect_language("Die Pumpe ist vor dem Öffnen abzuschalten."))
"""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The pump must be switched off before the cover is opened.", "en"),
        ("Die Pumpe ist abzuschalten, bevor der Deckel geöffnet wird.", "de"),
        ("La pompe doit être arrêtée avant d'ouvrir le couvercle.", "fr"),
        ("La bomba debe apagarse antes de abrir la tapa.", "es"),
        ("Pompę należy wyłączyć przed otwarciem pokrywy.", "pl"),
        ("Перед открытием крышки насос необходимо выключить.", "ru"),
        ("Перед відкриттям кришки насос необхідно вимкнути.", "uk"),
        ("يجب إيقاف المضخة قبل فتح الغطاء.", "ar"),
        ("Η αντλία πρέπει να σταματήσει πριν ανοίξει το κάλυμμα.", "el"),
        ("打开盖子前必须关闭泵。", "zh"),
        ("カバーを開ける前にポンプを停止してください。", "ja"),
        ("덮개를 열기 전에 펌프를 꺼야 합니다.", "ko"),
        ("ต้องปิดปั๊มก่อนเปิดฝาครอบ", "th"),
    ],
)
def test_the_language_of_a_sentence_is_detected(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_detecting_a_language_writes_no_file() -> None:
    command = [sys.executable, "-B", "-c", DETECT_WITHOUT_WRITING]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("de\n", "")


def test_a_text_without_letters_has_no_language() -> None:
    assert detect_language("") == detect_language("12.5 | 17 | 3") == ""


def test_an_expected_language_is_preferred_if_the_detection_is_uncertain() -> None:
    assert detect_language("Some text", ("de", "en")) == "en"
    assert detect_language("Die Pumpe ist vor dem Öffnen des Deckels abzuschalten.", ("en",)) == "de"


def test_chinese_with_latin_codes_is_chinese() -> None:
    assert detect_language("PT-300 压力变送器安装与校准说明 SZ-INS-05 Rev B, IEC 60529 IP67") == "zh"


def test_the_middle_of_a_long_text_counts_too() -> None:
    cover = "Annual report of the board of directors. " * 200
    assert detect_language(cover + "Die Pumpe ist vor dem Öffnen des Deckels abzuschalten. " * 2000) == "de"


def test_a_chunk_has_the_language_of_its_document_unless_its_script_contradicts_it() -> None:
    assert language_of("Die Pumpe läuft.", "fr") == "fr"
    assert language_of("过热报警，请检查冷却水。", "en") == "zh"
    assert language_of("Overheat alarm: check the cooling water.", "zh") == "en"
    assert language_of("12", "zh") == "zh"
