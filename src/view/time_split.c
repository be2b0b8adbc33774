/* Core time by what it was spent on. */
#include "view/time_split.h"

#include <math.h>

#include "base/str.h"

static double known(double seconds)
{
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

static void add_part(time_split *split, time_part part)
{
    if (split->count == MOST_TIME_PARTS || !(part.seconds > 0))
        return;
    split->parts[split->count++] = part;
    split->total += part.seconds;
    split->whole += part.seconds;
}

static void add_category(time_split *split, ledger_category category, roast_str title, double seconds)
{
    add_part(split, (time_part){title, category, CATEGORIES[category].colour, seconds});
}

/* What the phases of chunks say, where the ledger has nothing: the sums of all attempts, and the rest of the core time.
 */
static void split_by_phases(time_split *split, const roast_summary *s)
{
    double cpu = known(summary_real(s, M_run_chunk_cpu_seconds_total));
    double waiting = known(summary_real(s, M_run_chunk_noncpu_seconds_total));
    double delay = fmin(known(summary_real(s, M_run_chunk_run_delay_seconds_total)), waiting);
    double process = cpu + waiting > 0 ? 0 : known(summary_real(s, M_run_total_cpu_time));
    double open = known(summary_real(s, M_run_chunk_open_seconds_total));
    double events = known(summary_real(s, M_run_chunk_events_seconds_total));
    double core_time = summary_real(s, M_run_elapsed_time_seconds) * summary_real(s, M_run_total_cores);
    add_category(split, LEDGER_PROCESS_CPU, STR(TITLE_CPU), cpu);
    add_category(split, LEDGER_PROCESS_IO, STR(TITLE_WAITING), waiting - delay);
    add_category(split, LEDGER_PROCESS_CORE, STR(TITLE_CORE), delay);
    add_category(split, LEDGER_PROCESS_UNSPLIT, STR(TITLE_PROCESS), process);
    add_category(split, LEDGER_OPEN, STR(TITLE_OPEN), open);
    add_category(split, LEDGER_EVENTS, STR(TITLE_EVENTS), events);
    if (split->total > 0)
        add_part(split, (time_part){STR("idle, merging and everything else"), LEDGER_COUNT, "rest",
                                    known(core_time - split->total)});
}

static void split_by_ledger(time_split *split, const roast_summary *s)
{
    for (size_t row = 0; row < s->rows[ROAST_SCOPE_LEDGER].count; row++) {
        ledger_category category = ledger_category_find(summary_cell(s, M_ledger_category, row).as.text);
        roast_value seconds = summary_cell(s, M_ledger_core_seconds, row);
        if (category >= LEDGER_COUNT || seconds.kind != ROAST_REAL)
            continue;
        add_category(split, category, summary_cell(s, M_ledger_title, row).as.text, seconds.as.real);
        split->whole += fmin(seconds.as.real, 0);
    }
}

time_split split_time(const roast_summary *summary)
{
    time_split split = {0};
    split_by_ledger(&split, summary);
    if (!split.count)
        split_by_phases(&split, summary);
    return split;
}
