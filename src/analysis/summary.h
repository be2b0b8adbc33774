/* A summary: what analysis says of a run. Values of the run's metrics, and rows of metrics for each dataset,
 * section, file, worker, failure and kind of task. Views read this and nothing else. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "base/arena.h"
#include "model/metric.h"

/* Rows of one scope; a cell's column is a metric of that scope, in catalogue order. */
typedef struct summary_rows {
    size_t count, columns;
    metric_id first; /* column */
    roast_value *cells;
} summary_rows;

typedef struct summary_note {
    roast_str level, text;
} summary_note;

/* How a run goes on that is being written; zero where that is not known, and of any other run. */
typedef struct run_progress {
    double seconds_left;
    double pace_seconds; /* the last so many seconds gave the pace; 0: all of the run did */
} run_progress;

struct roast_summary {
    arena memory;
    roast_str run_name;
    roast_str path;  /* of the run, as it was opened: for hints; absent if it is in memory */
    bool for_python; /* who looks at it types Python, not commands */
    roast_outcome outcome;
    run_progress progress;
    int64_t t_start_ns, t_end_ns;
    roast_value values[METRIC_COUNT]; /* only those of scope run are filled */
    const char *why[METRIC_COUNT];    /* why one is absent; NULL if it is there, or nothing is known */
    summary_rows rows[ROAST_SCOPE_COUNT];
    struct {
        roast_str key, value;
    } * facts; /* of the run, as text: versions, host, engine */
    size_t n_facts;
    const char *why_totals_of_chunks; /* why totals are sums over chunk records; NULL: they are not */
    summary_note *notes;
    size_t n_notes;
    roast_explanation *explanation; /* what held it back; NULL if nothing can be said */
    bool cut;                       /* memory was out for a text of it */
};

roast_value summary_value(const roast_summary *summary, metric_id id);
roast_value summary_cell(const roast_summary *summary, metric_id column, size_t row);
double value_number(roast_value value); /* NAN if it is none; so are these */
double summary_cell_number(const roast_summary *summary, metric_id column, size_t row);
roast_str summary_cell_string(const roast_summary *summary, metric_id column, size_t row); /* none if it is no text */
roast_str summary_fact(const roast_summary *summary, const char *key);

/* For the parts of analysis that fill a summary. NAN and ROAST_ABSENT set nothing. */
void summary_set_int(roast_summary *summary, metric_id id, int64_t value);
void summary_set_real(roast_summary *summary, metric_id id, double value);
double summary_real(const roast_summary *summary, metric_id id); /* as a number; NAN if absent */
/* Rows with every cell absent; false if memory is out. */
bool summary_add_rows(roast_summary *summary, roast_scope scope, size_t count);
void summary_cell_int(roast_summary *summary, metric_id column, size_t row, int64_t value);
void summary_cell_real(roast_summary *summary, metric_id column, size_t row, double value);
/* The text is copied. */
void summary_cell_text(roast_summary *summary, metric_id column, size_t row, roast_str value);

#endif
