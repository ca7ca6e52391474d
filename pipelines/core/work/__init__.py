"""A pool of worker processes with limits: a job that crashes, hangs or grows too large costs itself and nothing else.

A job is a function at the top level of a module with its arguments; `pool.WorkerPool` runs it and returns how it ended.

    pool.py         WorkerPool: several processes, a future for each job
    process.py      WorkerProcess: one process as its parent sees it: started, fed, killed, replaced
    fork_server.py  the process that forks the workers, once what all of them need is imported
    watch.py        Watch: reads what the process sends during one job, and applies the limits
    worker.py       what runs in the process
    frames.py       the messages in the pipes between the two
    job.py          the values: Job, JobLimits, JobContext, JobListener, JobResult
"""
