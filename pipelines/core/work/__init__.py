"""A pool of worker processes with limits: a job that crashes, hangs or grows too large costs itself and nothing else.

A job is a function at the top level of a module with its arguments; `pool.WorkerPool` runs it and returns how it ended.

    pool.py         WorkerProcess: one process as its parent sees it; WorkerPool: several, a future for each job
    fork_server.py  the process that forks the workers, once what all of them need is imported
    watch.py        Watch: reads what the process sends during one job, and applies the limits
    worker.py       what runs in the process
    job.py          the values: Job, JobLimits, JobContext, JobListener, JobResult; Frame, a message between the two
"""
