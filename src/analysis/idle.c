/* When a worker was idle. */
#include "analysis/idle.h"

#include "base/clock.h"
#include "base/saturate.h"

static int64_t within(int64_t t, int64_t low, int64_t high)
{
    return t < low ? low : t > high ? high : t;
}

idle_bounds idle_bounds_of(int64_t first, int64_t last, int64_t from, int64_t to)
{
    int64_t turn = within(last, from, to);
    return (idle_bounds){{from, within(first, from, turn), turn, to}};
}

double idle_phase_seconds(const idle_bounds *bounds, idle_phase phase)
{
    return clock_seconds(bounds->at[phase + 1] - bounds->at[phase]);
}

void idle_add(int64_t *ns, const idle_bounds *bounds, int64_t start_ns, int64_t end_ns)
{
    for (int phase = 0; phase < IDLE_PHASES; phase++) {
        int64_t low = phase ? within(bounds->at[phase], start_ns, end_ns) : start_ns;
        int64_t high = phase + 1 < IDLE_PHASES ? within(bounds->at[phase + 1], start_ns, end_ns) : end_ns;
        saturated_add(&ns[phase], high - low);
    }
}

void idle_add_chunk(int64_t *ns, const idle_bounds *bounds, int64_t start_ns, int64_t end_ns)
{
    int64_t turn = bounds->at[IDLE_NOTHING_LEFT];
    if (turn == bounds->at[IDLE_PHASES])
        turn = end_ns; /* it was gone by then */
    else if (turn == bounds->at[IDLE_BEFORE_FIRST])
        turn = start_ns; /* it came later */
    turn = within(turn, start_ns, end_ns);
    saturated_add(&ns[IDLE_CHUNKS_LEFT], turn - start_ns);
    saturated_add(&ns[IDLE_NOTHING_LEFT], end_ns - turn);
}
