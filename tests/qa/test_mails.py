"""Questions to mails: who wrote what, when, to whom, and how to reach somebody."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

MAILS = [
    ("Anna Berg", "Tom Kay", "Leak at pump P-4", "02",
     "Tom,\n\nI have closed valve V-12 and added a tray.\n\nSara pays for the tray.\n\nAnna"),
    ("Ravi Menon", "Lena Ortiz", "The shutdown", "06", "Lena,\n\ncan we replace the bearings of fan F-2 then?\n\nRavi"),
    ("Lena Ortiz", "All staff", "Offer 7741", "04",
     "The offer is valid until 30 November.\n\nLena Ortiz\nPurchasing\nTel. 2217\nMobile +44 7700 900145"),
]  # fmt: skip


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("mails")
    source = folder / "source"
    source.mkdir()
    for number, (sender, receiver, subject, day, body) in enumerate(MAILS):
        mail = EmailMessage()
        mail["From"], mail["To"] = (f"{name} <{name.split()[0].lower()}@plant.example>" for name in (sender, receiver))
        mail["Subject"], mail["Date"] = subject, f"{day} Nov 2026 07:40:00 +0000"
        mail.set_content(body)
        (source / f"{number}.eml").write_bytes(bytes(mail))
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(source, folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Who closed valve V-12?",
            "From: Anna Berg <anna@plant.example>; Date: 2026-11-02T07:40:00+00:00; I have closed",
        ),
        ("Who asked about the bearings of fan F-2?", "From: Ravi Menon"),
        ("When was the offer 7741 sent?", "Date: 2026-11-04"),
        ("Who received the offer 7741?", "To: All staff"),
        ("How long is the offer 7741 valid?", "30 November"),
        ("What is the phone number of Lena Ortiz?", "2217"),
        ("What is the mobile number of Lena Ortiz?", "+44 7700 900145"),
        ("What is the department of Lena Ortiz?", "Lena Ortiz; Purchasing"),
        ("What is the e-mail address of Ravi Menon?", "ravi@plant.example"),
    ],
)
def test_a_question_to_mails_is_answered(knowledge: KnowledgeBase, question: str, answer: str) -> None:
    assert answer in knowledge.ask(question).text


def test_a_colleague_named_in_a_mail_did_it_not_the_sender(knowledge: KnowledgeBase) -> None:
    assert knowledge.ask("Who pays for the tray?").text == "Sara pays for the tray."


def test_who_did_what_no_mail_says_is_not_the_sender(knowledge: KnowledgeBase) -> None:
    found = knowledge.ask("Who paid the offer 7741?")
    assert found.abstained or found.warnings
    assert "From:" not in found.text
