/* Summaries made by hand, for the tests of views. */
#ifndef TESTS_SUMMARIES_H
#define TESTS_SUMMARIES_H

#include "analysis/summary.h"
#include "unit.h"

static inline roast_summary *empty_summary(void)
{
    roast_summary *summary = calloc(1, sizeof *summary);
    assert_non_null(summary);
    summary->run_name = STR("a run");
    summary->outcome = ROAST_FINISHED;
    summary->t_start_ns = summary->t_end_ns = ROAST_ABSENT;
    return summary;
}

/* One file of each name, all of them equal but for the time they took: 10 s, 9 s, … */
static inline roast_summary *summary_of_files(const char *const *names, size_t count)
{
    roast_summary *summary = empty_summary();
    assert_true(summary_add_rows(summary, ROAST_SCOPE_FILE, count));
    for (size_t i = 0; i < count; i++) {
        summary_cell_text(summary, M_file_file, i, str_from(names[i]));
        summary_cell_int(summary, M_file_num_chunks, i, 1234);
        summary_cell_real(summary, M_file_total_duration, i, 10 - (double)i);
        summary_cell_real(summary, M_file_rate_khz, i, 1.5);
    }
    return summary;
}

#endif
