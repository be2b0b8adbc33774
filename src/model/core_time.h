/* The phases of a chunk, and what core time goes into: one row each, with the id that code goes by, the key that
 * programs and files see, and the words on the screen. Words are said here only: changing one changes nothing else. */
#ifndef MODEL_CORE_TIME_H
#define MODEL_CORE_TIME_H

#include <roast.h>

/* Words that several rows and tables share. */
#define TITLE_OPEN             "opening files"
#define COLUMN_OPEN            "opening"
#define TITLE_EVENTS           "building events"
#define TITLE_PROCESS          "process()"
#define TITLE_CPU              "process: CPU"
#define TITLE_WAITING          "process: waiting" /* of which it is not known how much was for a core */
#define TITLE_IO               "process: I/O and locks"
#define TITLE_CORE             "waiting for a CPU core"
#define TITLE_RETURN           "returning results"
#define TITLE_UNFINISHED       "chunks not finished yet" /* of a run that goes on: what is not measured otherwise */
#define TITLE_UNFINISHED_TASKS "tasks not finished yet"
#define TITLE_FAILED           "failed attempts"
#define TITLE_BETWEEN          "idle: between tasks" /* where tasks are the work: they may wait for each other */

/* In the order of a chunk's life, which is that of roast_phase: id, key, title of one in charts, colour of the charts'
 * palette. */
#define CHUNK_PHASES(X)                                                                                                \
    X(OPEN, open, TITLE_OPEN, 1)                                                                                       \
    X(EVENTS, events, TITLE_EVENTS, 4)                                                                                 \
    X(PROCESS, process, TITLE_PROCESS, 0)                                                                              \
    X(RETURN, return, TITLE_RETURN, 3)

typedef struct phase_info {
    const char *key, *title;
    int colour;
} phase_info;

extern const phase_info PHASES[ROAST_PHASE_COUNT];

/* What the cores did: id, key, title of its row, title and priority of its column, class of its colour in pages. Those
 * that a chunk's own record tells come first. The order is that of the columns of dataset_ledger and worker_ledger. */
#define LEDGER_CATEGORIES_OF_CHUNKS(X)                                                                                 \
    X(PROCESS_CPU, process_cpu, TITLE_CPU, "CPU", 1, "c0")                                                             \
    X(PROCESS_IO, process_io, TITLE_IO, "I/O, locks", 1, "c1")                                                         \
    X(PROCESS_CORE, process_core, TITLE_CORE, "for a core", 4, "c3")                                                   \
    X(PROCESS_UNSPLIT, process_unsplit, "process: CPU and waiting together", "process", 1, "c0")                       \
    X(OPEN, open, TITLE_OPEN, COLUMN_OPEN, 2, "c2")                                                                    \
    X(EVENTS, events, TITLE_EVENTS, "building", 5, "c5")                                                               \
    X(RETURN, return, TITLE_RETURN, "returning", 6, "c6")                                                              \
    X(FAILED, failed, "failed and retried", "failed", 3, "bad")                                                        \
    X(LOST, lost, "lost with workers", "lost", 3, "bad")

/* Tasks are told where they are the work of the run: no Runner ran. */
#define LEDGER_CATEGORIES_OF_WORKERS(X)                                                                                \
    X(TASK_CPU, task_cpu, "tasks: CPU", "CPU", 1, "c0")                                                                \
    X(TASK_WAIT, task_wait, "tasks: waiting", "waiting", 1, "c1")                                                      \
    X(TASK_UNSPLIT, task_unsplit, "tasks (CPU and waiting not told apart)", "tasks", 1, "c0")                          \
    X(SPILLING, spilling, "spilling to disk and back", "spilling", 4, "c3")                                            \
    X(OVERHEAD, overhead, "Dask overhead", "overhead", 4, "c2")                                                        \
    X(MERGING, merging, "merging", "merging", 4, "c4")                                                                 \
    X(PREPROCESSING, preprocessing, "preprocessing", "preproc.", 7, "neutral")                                         \
    X(IDLE_START, idle_start, "idle: start-up", "start-up", 5, "rest")                                                 \
    X(IDLE_QUEUE, idle_queue, "idle: waiting for the scheduler", "scheduler", 2, "rest")                               \
    X(IDLE_TAIL, idle_tail, "idle: tail", "tail", 2, "rest")                                                           \
    X(NOT_MEASURED, not_measured, "not measured", "not measured", 2, "unknown")                                        \
    X(RESIDUAL, residual, "not explained", "not explained", 3, "neutral")

typedef enum ledger_category {
#define LEDGER_ENUM(id, key, title, column, priority, colour) LEDGER_##id,
    LEDGER_CATEGORIES_OF_CHUNKS(LEDGER_ENUM) LEDGER_CATEGORIES_OF_WORKERS(LEDGER_ENUM)
#undef LEDGER_ENUM
        LEDGER_COUNT,
    LEDGER_OF_CHUNKS = LEDGER_TASK_CPU,
    LEDGER_OF_WORK = LEDGER_MERGING /* up to here, cores were at what was to be done */
} ledger_category;

typedef struct category_info {
    const char *key, *title, *colour;
} category_info;

extern const category_info CATEGORIES[LEDGER_COUNT];
ledger_category ledger_category_find(roast_str key); /* LEDGER_COUNT if there is none */

#endif
