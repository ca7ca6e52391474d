"""Mails and contacts: whether who said what, when and to whom is found, and how to reach somebody.

    python -m benchmarks.mails

Each folder of `mails.toml` has a few mails of one plant, with questions to all of them; some have no answer there. The
contacts are written in the forms in which signatures, letterheads and contact pages have them, one folder for each
form, and the same questions are asked of each. An answer is right if it has the words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.asked_folders import Question, asked, print_answered

TABLES = Path(__file__).with_suffix(".toml")
NOTICE = "The valve was tested at 24 bar on Monday."


@dataclass(frozen=True, slots=True)
class Contact:
    """A person: lines of a signature, with labels before the numbers."""

    name: str
    function: str
    firm: str
    street: str
    phone: str
    mobile: str
    mail: str

    def lines(self, labels: Sequence[str], between: str = " ") -> list[str]:
        numbers = (self.phone, self.mobile, self.mail)
        labelled = [f"{label}{between}{number}" for label, number in zip(labels, numbers, strict=True)]
        return [self.name, self.function, self.firm, self.street, *labelled]


def _comma(name: str, function: str, firm: str, street: str, phone: str, mobile: str, mail: str) -> str:
    return f"{name}\n{function}, {firm}\n{street}\n{phone} | {mobile}\n{mail.rsplit(maxsplit=1)[-1]}"


def _html(*lines: str) -> str:
    first, *others = lines
    return f"<p><b>{first}</b><br>{'<br>'.join(others)}</p>"


def _divs(*lines: str) -> str:
    return "".join(f"<div>{line}</div>" for line in lines)


def _cells(*lines: str) -> str:
    left, right = "<br>".join(lines[:3]), "<br>".join(lines[3:])
    return f"<table><tr><td>{left}</td></tr><tr><td>{right}</td></tr></table>"


SIGNATURES: Mapping[str, Callable[..., str]] = {
    "below dashes": lambda *lines: "-- \n" + "\n".join(lines),
    "below the closing": lambda *lines: "\n".join(lines),
    "with commas and bars": _comma,
    "in two paragraphs": lambda *lines: "\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:]),
    "HTML, line breaks": _html,
    "HTML, blocks": _divs,
    "HTML, a table": _cells,
}


def write_mail(path: Path, sender: str, receiver: str, copy: str, subject: str, date: str, body: str) -> None:
    mail = EmailMessage()
    headers = {"From": sender, "To": receiver, "Cc": copy, "Subject": subject, "Date": date}
    for name, value in headers.items():
        if value:
            mail[name] = value
    mail.set_content(body, subtype="html" if body.startswith("<") else "plain")
    path.write_bytes(bytes(mail))


def _signed(contacts: Mapping[str, object], form: str, source: Path) -> list[Question]:
    """Write a mail of each person with a signature in a form; return the questions."""
    people = [Contact(*person) for person in contacts["people"]]  # type: ignore[attr-defined]
    labels, closing, found = contacts["labels"], contacts["closing"], dict[str, str]()
    for person in people:
        signature = SIGNATURES[form](*person.lines(labels))  # type: ignore[arg-type]
        html = signature.startswith("<")
        parts = (contacts["greeting"], NOTICE, closing)
        body = "".join(f"<p>{part}</p>" for part in parts) if html else "\n\n".join(map(str, parts)) + "\n\n"
        address = person.mail
        write_mail(
            source / f"{address}.eml",
            f"{person.name} <{address}>",
            "office@plant.example",
            "",
            "Test",
            "Mon, 02 Nov 2026 10:00:00 +0100",
            body + signature,
        )
        answers = (person.phone, person.mobile, address, person.function, person.name, person.firm, person.street)
        fields = {"name": person.name, "function": person.function, "firm": person.firm}
        asked_for = zip(contacts["questions"], answers, strict=True)  # type: ignore[call-overload]
        found |= {question.format(**fields): answer.partition(",")[0] for question, answer in asked_for}
    return list(found.items())


def _write_mails(source: Path, folder: Mapping[str, Any]) -> None:
    for number, mail in enumerate(folder["mails"]):
        write_mail(source / f"{number}.eml", *mail)


def main() -> None:
    tables = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    print_answered(tables["folder"], _write_mails, " mails")
    for contacts in tables["contacts"]:
        total = questions = 0
        for form in SIGNATURES:
            with TemporaryDirectory() as temporary:
                source = Path(temporary) / "source"
                source.mkdir()
                found = _signed(contacts, form, source)
                right, _ = asked(Path(temporary), found)
            total, questions = total + right, questions + len(found)
            print(f"{contacts['language']}  {form}: {right} of {len(found)}", flush=True)
        print(f"{contacts['language']}  contacts: {total} of {questions}")


if __name__ == "__main__":
    main()
