"""Knowledge atomizing: chunks to atoms, tags, entities, relations and rows (PIKE-RAG 5.1.2, 5.2.2, 5.3.1).

| Part | Modules |
| --- | --- |
| The stage, its settings and the distiller protocol | `atomize`, `settings`, `distiller` |
| The distiller without a model | `extractive_distiller`, `keyphrases`, `name_recognition`, `table_rows` |
| The distiller with a model, and the checks of its reply | `model_distiller`, `reply`, `reply_checker`, `grounding` |
| Knowledge atomizing: atomic questions and statements (5.3.1, 5.1.2) | `atomic_questions`, `atomic_statements` |
| Tags, tag classes, tag pairs (5.2.2, figure 7) | `tags`, `tag_classes`, `tag_pairs` |
| The self-recall gate over all atoms | `self_recall`, `recall_index` |
"""
