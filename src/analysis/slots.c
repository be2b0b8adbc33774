/* The cores of a worker as slots. */
#include "analysis/slots.h"

#include <stdlib.h>

#include "base/room.h"

enum { MOST_SLOTS = 4096 }; /* of one worker; a damaged record must not take all memory */

/* Clocks and roundings: what begins this little before the end of another follows it. */
static const int64_t TOLERANCE_NS = 2000000;

static void clear_slots(slot_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        group->slots[i] = (core_slot){.first_start_ns = ROAST_ABSENT};
}

static bool init_group(slot_group *group, int64_t cores, arena *memory)
{
    uint32_t count = cores < 1 ? 1 : cores > MOST_SLOTS ? MOST_SLOTS : (uint32_t)cores;
    if (group->count == count)
        return true;
    group->count = count;
    group->slots = arena_alloc(memory, group->count, sizeof *group->slots);
    if (group->slots)
        clear_slots(group);
    return group->slots;
}

bool slot_group_used(const slot_group *group)
{
    return group->count && group->slots[0].first_start_ns != ROAST_ABSENT; /* slots are taken in order */
}

/* Gives a group that has not been used as many slots as there are cores. */
static bool fit_group(slot_group *group, int64_t cores, arena *memory)
{
    return slot_group_used(group) || init_group(group, cores, memory);
}

bool slot_table_fit(slot_table *table, const roast_run *run, int64_t elsewhere, arena *memory)
{
    size_t workers = run_workers(run), before = table->n_groups ? table->n_groups - 1 : 0;
    slot_group *groups = grow_before_last(table->groups, before, workers, sizeof *groups, &(slot_group){0});
    if (!groups)
        return false;
    table->groups = groups;
    table->n_groups = workers + 1;
    bool done = fit_group(&groups[workers], elsewhere, memory);
    for (uint32_t i = 0; done && i < workers; i++)
        done = fit_group(&groups[i], run_worker(run, i)->cores, memory);
    return done;
}

bool slot_table_copy(slot_table *copy, const slot_table *table, arena *memory)
{
    *copy = *table;
    copy->groups = arena_grow(memory, table->groups, table->n_groups, table->n_groups, sizeof *copy->groups);
    for (size_t i = 0; copy->groups && i < copy->n_groups; i++) {
        slot_group *group = &copy->groups[i];
        group->slots = arena_grow(memory, group->slots, group->count, group->count, sizeof *group->slots);
        if (!group->slots)
            return false;
    }
    return copy->groups;
}

void slot_table_release(slot_table *table)
{
    free(table->groups);
    *table = (slot_table){0};
}

void slot_table_clear(slot_table *table)
{
    table->intervals = table->misfits = 0;
    for (size_t i = 0; i < table->n_groups; i++)
        clear_slots(&table->groups[i]);
}

static core_slot *choose_slot(slot_table *table, slot_group *group, int64_t start_ns)
{
    core_slot *best = NULL, *unused = NULL, *earliest = &group->slots[0];
    for (uint32_t i = 0; i < group->count; i++) {
        core_slot *s = &group->slots[i];
        if (s->first_start_ns == ROAST_ABSENT) {
            unused = s;
            break; /* slots are taken in order: the rest is unused too */
        }
        bool better =
            !best || (table->in_turn ? s->last_end_ns < best->last_end_ns : s->last_end_ns > best->last_end_ns);
        if (s->last_end_ns <= start_ns + TOLERANCE_NS && better)
            best = s;
        if (s->last_end_ns < earliest->last_end_ns)
            earliest = s;
    }
    if (unused && (table->in_turn || !best))
        return unused;
    if (best)
        return best;
    table->misfits++;
    return earliest;
}

core_slot *slot_table_add(slot_table *table, uint32_t worker, int64_t start_ns, int64_t end_ns, int64_t *idle_ns)
{
    slot_group *group = &table->groups[worker < table->n_groups ? worker : table->n_groups - 1];
    core_slot *s = choose_slot(table, group, start_ns);
    bool first = s->first_start_ns == ROAST_ABSENT;
    table->intervals++;
    if (idle_ns)
        *idle_ns = first ? ROAST_ABSENT : start_ns > s->last_end_ns ? start_ns - s->last_end_ns : 0;
    if (first || start_ns < s->first_start_ns)
        s->first_start_ns = start_ns;
    s->last_end_ns = first || end_ns > s->last_end_ns ? end_ns : s->last_end_ns;
    s->busy_ns += end_ns - start_ns;
    return s;
}
