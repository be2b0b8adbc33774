/* The cores of a worker as slots, each of which runs one thing at a time. Records tell on which worker something ran
 * and when, but not always in which thread, and threads of a pool come and go: so intervals are laid into slots. */
#ifndef ANALYSIS_SLOTS_H
#define ANALYSIS_SLOTS_H

#include "analysis/presence.h"
#include "base/arena.h"
#include "run/reader.h"

typedef struct core_slot {
    int64_t first_start_ns; /* ROAST_ABSENT: it was never used */
    int64_t last_end_ns;    /* of the latest interval */
    int64_t busy_ns;        /* sum of the intervals */
    /* For the trace: seconds since its last chunk that it was idle, idle while its worker was paused or had spilled, at
     * other tasks. */
    double waited, waited_paused, waited_spilling, other;
    bool empty; /* while it waited, its worker had been given nothing at all */
} core_slot;

typedef struct slot_group {
    core_slot *slots;
    uint32_t count;
} slot_group;

/* One group per worker, and one more for what does not say where it ran. */
typedef struct slot_table {
    slot_group *groups;
    size_t n_groups;
    bool in_turn;               /* the slot that was idle longest is taken, as an engine does */
    int64_t intervals, misfits; /* misfits: no slot was free; they were laid over another */
} slot_table;

/* Gives the table a group for each worker that the run has by now; groups that are in use stay as they are. A table
 * that is all zero is empty. elsewhere: slots of the last group. The slots are in the arena. False if memory is out. */
bool slot_table_fit(slot_table *table, const roast_run *run, int64_t elsewhere, arena *memory);
bool slot_table_copy(slot_table *copy, const slot_table *table, arena *memory); /* all of it in the arena */
void slot_table_release(slot_table *table);
bool slot_group_used(const slot_group *group);
void slot_table_clear(slot_table *table);
/* Lays an interval into the free slot that was used last (or idle longest: in_turn), which for intervals in the order
 * of their starts or of their ends needs no more slots than ran at once. Gives the slot, and in idle_ns (if not NULL)
 * how long it had been idle; ROAST_ABSENT before its first. */
core_slot *slot_table_add(slot_table *table, uint32_t worker, int64_t start_ns, int64_t end_ns, int64_t *idle_ns);

#endif
