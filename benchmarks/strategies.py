"""The strategies on MuSiQue and HotpotQA, over whole corpora (PIKE-RAG, tables 4 to 6).

    python benchmarks/strategies.py --keep FOLDER (--gguf FILE | --base-url URL --model NAME) [--again pike]

The atoms are extractive, with `--distilled` those of the model.

All strategies answer a question before the next one is asked, so that an interrupted run gives a fair table. Answers
are kept in FOLDER, one per line, and are not repeated; `--again` discards the answers of a strategy, `--table` prints
the existing results.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from evaluate.answers import AnswerResult, evaluate_answers, read_results, summarized
from evaluate.questions import Question, read_passages, read_questions, write_lines
from evaluate.sets import build_passages
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "multihop"
SETS = ("musique", "hotpotqa")
STRATEGIES = ("cot", "naive", "naive-hr", "self-ask-r", "self-ask-hr", "pike", "pike-graph")
COLUMNS = ("questions", "em", "f1", "precision", "recall", "refused_wrong", "calls", "tokens", "written", "seconds")


def settings_of(args: argparse.Namespace) -> QaSettings:
    overrides = {
        "llm.gguf": args.gguf,
        "llm.base_url": args.base_url,
        "llm.model": args.model,
        "llm.concurrency": args.concurrency,
        "llm.timeout": 900,
        "llm.reply_tries": 2,
        "qa.answer.context_tokens": args.context,
        "qa.answer.rounds": args.rounds,
    }
    return load(None, overrides, QaSettings).settings


def kb_of(args: argparse.Namespace, name: str, settings: QaSettings) -> Path:
    kb: Path = args.keep / f"{name}-{settings.llm.model_of('distill') if args.distilled else settings.embed.name}"
    return kb


def answers_file(args: argparse.Namespace, name: str) -> Path:
    file: Path = args.keep / f"strategies-{name}{'-distilled' if args.distilled else ''}.jsonl"
    return file


async def measure(args: argparse.Namespace, settings: QaSettings) -> None:
    with ExitStack() as stack:
        bases = {
            name: stack.enter_context(KnowledgeBase.open(kb_of(args, name, settings), settings)) for name in args.sets
        }
        asked = {name: read_questions(DATA / name / "questions.jsonl")[: args.questions] for name in args.sets}
        for first in range(0, args.questions, args.at_once):
            for name in args.sets:
                questions = asked[name][first : first + args.at_once]
                await answer(bases[name], questions, args, answers_file(args, name))


async def answer(kb: KnowledgeBase, questions: Sequence[Question], args: argparse.Namespace, out: Path) -> None:
    await evaluate_answers(kb, questions, args.strategies, concurrency=args.concurrency, out=out, tell=tell)


def tell(one: AnswerResult) -> None:
    said = one.error or ("refused" if one.abstained else one.short)
    print(f"{one.strategy:<12} {one.id:<38} f1 {one.f1:.2f} {one.seconds:6.1f} s  {said[:60]}", flush=True)


def forget(path: Path, strategies: Sequence[str]) -> None:
    write_lines(path, [one for one in read_results(path).values() if one.strategy not in strategies])


def show(name: str, answered: Sequence[AnswerResult]) -> None:
    print(f"\n{name}\n{'':<12}" + "".join(f"{column:>14}" for column in COLUMNS))
    for strategy in STRATEGIES:
        figures = summarized([one for one in answered if one.strategy == strategy])
        print(f"{strategy:<12}" + "".join(f"{figures[column]:>14,}" for column in COLUMNS), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gguf", default="", help="a model to serve on this computer")
    parser.add_argument("--base-url", default="", help="an OpenAI-compatible endpoint")
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--keep", type=Path, required=True, help="a folder for knowledge bases and answers")
    parser.add_argument("--questions", type=int, default=15, help="of each set, the first ones")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--distilled", action="store_true", help="let the model write the atoms")
    parser.add_argument("--concurrency", type=int, default=2, help="questions, and calls, at a time")
    parser.add_argument("--at-once", type=int, default=1, help="questions that all strategies answer before the next")
    parser.add_argument("--context", type=int, default=800, help="tokens of passages in a prompt at most")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of decomposition or follow-ups at most")
    parser.add_argument("--strategies", nargs="+", default=list(STRATEGIES))
    parser.add_argument("--again", nargs="+", default=[], help="strategies whose answers are forgotten first")
    parser.add_argument("--table", action="store_true", help="print what is there, and ask nothing")
    return parser.parse_args()


def main() -> None:
    args = parsed()
    if not DATA.is_dir():
        print(f"nothing to measure: {DATA} is not there")
        return
    for name in args.sets:
        forget(answers_file(args, name), args.again)
    if not args.table:
        settings = settings_of(args)
        for name in args.sets:
            passages = read_passages(DATA / name / "corpus.jsonl")
            build_passages(passages, settings, kb_of(args, name, settings), distilled=args.distilled)
        asyncio.run(measure(args, settings))
    each = {name: list(read_results(answers_file(args, name)).values()) for name in args.sets}
    for name, answered in each.items():
        show(name, answered)
    show("both", [one for answered in each.values() for one in answered])


if __name__ == "__main__":
    main()
