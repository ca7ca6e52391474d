"""The same facts in many layouts: whether answers depend on how a document writes them.

    python benchmarks/layouts.py

Seven fields of a pump, five faults with cause and remedy, and four people are each written in the forms in which web
pages, text files, Word files and slides write them, one document for each form. The same eight questions are asked of
each; an answer is right if it has the words. The forms are those of the table in docs/measurements.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import docx
import pptx
from pptx.util import Inches

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

Facts = Sequence[Sequence[str]]
FIELDS: Facts = (
    ("Weight", "61 kg"), ("Material", "1.4571"), ("Colour", "RAL 5010"), ("Contact", "Anna Berg"),
    ("Delivery time", "6 weeks"), ("Order number", "HX20-441"), ("Country of origin", "Portugal"),
)  # fmt: skip
FAULTS: Facts = (
    ("The pump does not start", "No power at the terminals", "Check the fuse F4 and the supply cable"),
    ("The pump runs but delivers no water", "Air in the suction line", "Vent the suction line at plug V2"),
    ("The motor gets too hot", "The impeller is blocked", "Clean the impeller and the strainer"),
    ("The seal leaks", "The rings are worn", "Replace the seal kit 40-118"),
    ("The pump vibrates", "Loose foundation bolts", "Tighten the bolts with 60 Nm"),
)
PEOPLE: Facts = (
    ("Anna Berg", "Head of maintenance", "+49 711 555 010", "a.berg@rocca.example", "B2.14"),
    ("Tom Weiss", "Electrician", "+49 711 555 022", "t.weiss@rocca.example", "B0.03"),
    ("Ines Duarte", "Safety officer", "+49 711 555 031", "i.duarte@rocca.example", "A1.07"),
    ("Raj Patel", "Purchasing", "+49 711 555 044", "r.patel@rocca.example", "A2.20"),
)
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "fields": {
        "What does the HX 20 weigh?": "61 kg",
        "What is the material of the HX 20?": "1.4571",
        "What colour is the pump HX 20?": "RAL 5010",
        "Who is the contact for the HX 20?": "Anna Berg",
        "What is the delivery time of the HX 20?": "6 weeks",
        "What is the order number of the HX 20?": "HX20-441",
        "In which country is the HX 20 made?": "Portugal",
        "What is the country of origin of the HX 20?": "Portugal",
    },
    "faults": {
        "What do I do if the pump does not start?": "fuse F4",
        "What is the cause if the pump delivers no water?": "Air in the suction line",
        "Why does the motor get too hot?": "impeller is blocked",
        "How do I fix a leaking seal?": "40-118",
        "What should I do when the pump vibrates?": "60 Nm",
        "What causes vibration of the pump?": "Loose foundation",
        "The pump delivers no water. What to do?": "V2",
        "What is to be cleaned when the motor is hot?": "strainer",
    },
    "people": {
        "What is the phone number of Tom Weiss?": "022",
        "Who is the safety officer?": "Ines Duarte",
        "What is Raj Patel's e-mail address?": "r.patel@rocca.example",
        "Where is Anna Berg's office?": "B2.14",
        "Who is responsible for purchasing?": "Raj Patel",
        "Whose number is +49 711 555 031?": "Ines Duarte",
        "What does Tom Weiss do?": "Electrician",
        "How do I reach the head of maintenance?": "555 010",
    },
}
FORMS: Mapping[str, Mapping[str, str]] = {
    "fields": {
        "divs.html": "<div><div>{}</div><div>{}</div></div>", "spans.html": "<p><span>{}</span><span>{}</span></p>",
        "bold.html": "<p><b>{}</b><br>{}</p>", "paragraphs.html": "<p>{}</p><p>{}</p>",
        "headings.html": "<h3>{}</h3><p>{}</p>", "terms.html": "<dl><dt>{}</dt><dd>{}</dd></dl>",
        "items.html": "<ul><li><span>{}</span><span>{}</span></li></ul>", "bold.md": "**{}**\n\n{}\n\n",
        "headings.md": "## {}\n\n{}\n\n", "colon.txt": "{}:\n    {}\n", "leaders.txt": "{} .......... {}\n",
        "lines.txt": "{}\n{}\n\n", "tabs.txt": "{}\t{}\n", "equals.txt": "{} = {}\n",
    },
    "faults": {
        "headings.html": "<h3>{}</h3><p>{}.</p><p>{}.</p>",
        "divs.html": "<div><div>{}</div><div>{}</div><div>{}</div></div>",
        "labels.html": "<h3>{}</h3><p><b>Cause:</b> {}</p><p><b>Remedy:</b> {}</p>",
        "items.html": "<ul><li>{}<ul><li>Cause: {}</li><li>Remedy: {}</li></ul></li></ul>",
        "terms.html": "<dl><dt>{}</dt><dd>{}. {}.</dd></dl>", "labels.txt": "Fault: {}\nCause: {}\nRemedy: {}\n\n",
        "paragraphs.txt": "{}. {}. {}.\n\n", "arrows.txt": "{} -> {} -> {}\n", "dashes.md": "- **{}** – {}. {}.\n",
        "questions.md": "**{}?**\n\n{}. {}.\n\n",
    },
    "people": {
        "divs.html": "<div><div>{}</div><div>{}</div><div>{}</div><div>{}</div><div>{}</div></div>",
        "headings.html": "<h3>{}</h3><p>{}<br>Phone: {}<br>E-mail: {}<br>Room: {}</p>",
        "lines.txt": "{}, {}, {}, {}, room {}\n", "labels.txt": "{}\n{}\nPhone: {}\nE-mail: {}\nRoom: {}\n\n",
        "blocks.txt": "{}\n{}\n{}\n{}\n{}\n\n", "prose.txt": "{} is our {}; call {} or write to {}. The room is {}. ",
    },
}  # fmt: skip
FACTS = {"fields": FIELDS, "faults": FAULTS, "people": PEOPLE}
TITLES = {"fields": "Pump HX 20", "faults": "Pump manual", "people": "Contacts"}


def word_file(path: Path, title: str, facts: Facts) -> None:
    """Write each fact as a bold paragraph with others below it."""
    document = docx.Document()
    document.add_heading(title, 0)
    for first, *others in facts:
        document.add_paragraph().add_run(first).bold = True
        for other in others:
            document.add_paragraph(other)
    document.save(str(path))


def slide(path: Path, title: str, facts: Facts) -> None:
    """Write each part of a fact in a text box of its own, the parts of one fact side by side."""
    show = pptx.Presentation()
    page = show.slides.add_slide(show.slide_layouts[5])
    page.shapes.title.text = title
    for row, fact in enumerate(facts):
        for column, text in enumerate(fact):
            box = page.shapes.add_textbox(Inches(0.4 + 3.2 * column), Inches(1.5 + 0.7 * row), Inches(3), Inches(0.5))
            box.text_frame.text = text
    show.save(str(path))


WRITERS: Mapping[str, Callable[[Path, str, Facts], None]] = {"bold.docx": word_file, "boxes.pptx": slide}


def right(kind: str, form: str, folder: Path) -> int:
    """Return how many questions are answered rightly over one document in a form."""
    source, title = folder / "source", TITLES[kind]
    source.mkdir(parents=True)
    if form in WRITERS:
        WRITERS[form](source / form, title, FACTS[kind])
    else:
        body = "".join(FORMS[kind][form].format(*fact) for fact in FACTS[kind])
        head = {"html": f"<title>{title}</title><h1>{title}</h1>", "md": f"# {title}\n\n", "txt": f"{title}\n\n"}
        (source / form).write_text(head[form.rpartition(".")[2]] + body, "utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(source, folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as knowledge:
        answers = ((knowledge.ask(question), words) for question, words in QUESTIONS[kind].items())
        return sum(not answer.abstained and words in answer.text for answer, words in answers)


def main() -> None:
    for kind, forms in FORMS.items():
        total = 0
        written = [*forms, *(WRITERS if kind == "fields" else ["bold.docx"])]
        for form in written:
            with TemporaryDirectory() as folder:
                found = right(kind, form, Path(folder) / form)
            total += found
            print(f"{kind:8}{form:18}{found} of {len(QUESTIONS[kind])}", flush=True)
        print(f"{kind:8}{'all':18}{total} of {len(written) * len(QUESTIONS[kind])}", flush=True)


if __name__ == "__main__":
    main()
