/* Keeps other copies of SQLite from taking a run that is being recorded for one that nobody uses.
 *
 * POSIX locks do not exclude within a process, and closing any descriptor of a file drops them. The extension may have
 * an SQLite of its own, Python has another: if a script opens the run that it records, that one sees no lock of ours.
 * It would empty the shared memory when it opens the run and remove the write-ahead log when it closes it. Locks of
 * Linux that belong to an open file do exclude within a process: we hold one on each of the two bytes that SQLite asks.
 */
#ifndef RUN_HOLD_H
#define RUN_HOLD_H

typedef struct run_hold {
    int database, shared_memory; /* descriptors + 1; 0: none */
} run_hold;

/* Best effort: where there are no such locks, nothing is held. The database is in WAL mode and has been written to. */
void hold_take(run_hold *hold, const char *path);
/* From here on the run can be put into one file. */
void hold_release(run_hold *hold);
/* After the database has been closed: closing descriptors drops its locks. */
void hold_close(run_hold *hold);

#endif
