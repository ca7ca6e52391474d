"""A knowledge base restricted to the documents of some folders: views of its stores by a `Scope`.

Filtering what is found would not do: names, counts, spellings and scores come from all documents. So everything above
the stores (routes, search, answers, the index) works on views of them, in which the rest is not there:

    corpus.py    tags, entities, classes and references, made anew of what these documents say
    graph.py     the files of the folders, without facts about the whole; their graph
    vectors.py   search among these documents, with term statistics of their own
    stores.py    all of it in place of a knowledge base's stores

What stays of the whole: which spellings are one entity or tag, and which atoms are good enough to be found.
"""
