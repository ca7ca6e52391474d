"""Put recorded replies of a model into the reply cache of a knowledge base.

    python deploy/seed_replies.py RECORDINGS KB

An ingest into KB then calls the model only for requests that are not recorded. This reduces `make recordings` from half
an hour to a minute.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from pipelines.core.file_access import private_folder
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Reply, Usage
from pipelines.llm.ledger import read_recordings
from pipelines.store.folder import KnowledgeBaseFolder


def main() -> None:
    recordings, kb = Path(sys.argv[1]), Path(sys.argv[2])
    private_folder(kb)
    with closing(ReplyStore(KnowledgeBaseFolder(kb).replies)) as store:
        for one in read_recordings(recordings).values():
            reply = Reply(one.text, one.model, Usage(one.input_tokens, one.output_tokens), one.finish)
            store.put(one.key, one.role, reply)


if __name__ == "__main__":
    main()
