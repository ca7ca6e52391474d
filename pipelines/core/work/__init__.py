"""Work in processes of its own, within limits: what breaks or never ends costs one job and nothing else.

A job is a function at the top level of a module with its arguments; `pool.WorkerPool` runs it and says how it ended.
"""
