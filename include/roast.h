/* roast.h: the public interface of libroast, from simple to advanced.
 *
 * Ownership  What a handle gives out (strings, rows, values) is borrowed and lives exactly as long as that handle.
 *            What you pass in is copied before the call returns. _close and _free take NULL.
 * Errors     Calls return a roast_code, ROAST_OK being 0. Pass a roast_error to learn what went wrong and where;
 *            NULL is fine if you do not care. A failed call that returns a handle sets it to NULL.
 * Threads    A recorder may be shared between threads, a sampler is one per process. Every other handle stays on one
 * thread at a time.
 *
 * Absent     What was not measured is absent, never 0: an integer is ROAST_ABSENT, a double is NAN, a string has
 *            ptr NULL, a roast_value has kind ROAST_NOTHING. Times are integer nanoseconds UTC, sizes are bytes.
 *
 * Versions   A struct that may grow begins with its size, so that a program and a library of different versions fit:
 *            {.size = sizeof x}. In options 0 stands for the fields of the first version. */
#ifndef ROAST_H
#define ROAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what is declared here is what the shared library exports */
#endif

/* ---- Strings, codes and errors ------------------------------------------------------------------------------ */

/* A slice of UTF-8 text, not terminated. ptr NULL means absent, which is not the same as empty. */
typedef struct roast_str {
    const char *ptr;
    size_t len;
} roast_str;

#define ROAST_CODES(X) /* append, never renumber */                                                                    \
    X(OK, 0, "success")                                                                                                \
    X(USAGE, 1, "wrong usage")                                                                                         \
    X(IO, 2, "the file could not be read or written")                                                                  \
    X(CORRUPT, 3, "the data is damaged")                                                                               \
    X(FORMAT, 4, "the data is of another kind")                                                                        \
    X(VERSION, 5, "the data was written by a newer version")                                                           \
    X(MEMORY, 6, "out of memory")                                                                                      \
    X(MISSING, 7, "there is no such thing")                                                                            \
    X(LIMIT, 8, "a declared maximum was reached")

typedef enum roast_code {
#define ROAST_CODE_ENUM(name, number, text) ROAST_##name = number,
    ROAST_CODES(ROAST_CODE_ENUM)
#undef ROAST_CODE_ENUM
} roast_code;

/* What went wrong: one line that names the thing and, where there is one, the next step. */
typedef struct roast_error {
    roast_code code;
    char message[512];
} roast_error;

const char *roast_version(void);
const char *roast_code_text(roast_code code); /* never NULL */

/* Text that grows. Zero-initialised is empty and ready; what is made here is appended to it, and data ends in a NUL
 * once there is any. code is the first thing that went wrong. */
typedef struct roast_text {
    char *data;
    size_t len, capacity;
    roast_code code;
} roast_text;

void roast_text_release(roast_text *text); /* empty and ready again */

/* Takes a part of a text that is written as it is made; anything but ROAST_OK ends the writing, and is returned. */
typedef roast_code (*roast_write)(void *context, roast_str part);

/* ---- Values and the metric catalogue ------------------------------------------------------------------------ */

#define ROAST_ABSENT INT64_MIN

typedef enum roast_kind { ROAST_NOTHING, ROAST_INT, ROAST_REAL, ROAST_TEXT } roast_kind;

typedef struct roast_value {
    roast_kind kind;
    union {
        int64_t integer;
        double real;
        roast_str text;
    } as;
} roast_value;

/* What one row of metrics describes. The catalogue lists the metrics of one scope next to each other. */
#define ROAST_SCOPES(X) /* append, never renumber */                                                                   \
    X(run, RUN)                                                                                                        \
    X(worker, WORKER)                                                                                                  \
    X(series, SERIES)                                                                                                  \
    X(chunk, CHUNK)                                                                                                    \
    X(dataset, DATASET)                                                                                                \
    X(section, SECTION)                                                                                                \
    X(file, FILE)                                                                                                      \
    X(failure, FAILURE)                                                                                                \
    X(activity, ACTIVITY)                                                                                              \
    X(branch, BRANCH)                                                                                                  \
    X(ledger, LEDGER)                                                                                                  \
    X(dataset_ledger, DATASET_LEDGER)                                                                                  \
    X(worker_ledger, WORKER_LEDGER)                                                                                    \
    X(missing, MISSING)                                                                                                \
    X(storage, STORAGE)                                                                                                \
    X(error, ERROR)

typedef enum roast_scope {
#define ROAST_SCOPE_ENUM(name, NAME) ROAST_SCOPE_##NAME,
    ROAST_SCOPES(ROAST_SCOPE_ENUM)
#undef ROAST_SCOPE_ENUM
        ROAST_SCOPE_COUNT
} roast_scope;

/* One metric, as include/roast_metrics.def states it. */
typedef struct roast_metric {
    roast_scope scope;
    const char *name;    /* canonical */
    const char *kind;    /* "integer", "real", "text", "list", "map" */
    const char *unit;    /* "s", "B", "count", …; "" for text */
    const char *aliases; /* other names it answers to, separated by spaces; "" if none */
    const char *formula; /* how it is computed or where it comes from */
    const char *help;    /* what it means, in a sentence */
} roast_metric;

/* Catalogue order; index 0 to count-1. Out of range gives NULL. Never freed. */
size_t roast_metric_count(void);
const roast_metric *roast_metric_at(size_t index);
/* By canonical name or alias, within a scope. NULL if there is none. */
const roast_metric *roast_metric_find(roast_scope scope, const char *name);
const char *roast_scope_name(roast_scope scope);

/* ---- Reading a run ------------------------------------------------------------------------------------------ */

typedef struct roast_run roast_run;
typedef struct roast_summary roast_summary;

typedef enum roast_outcome {
    ROAST_RUNNING,     /* its writer is alive on this machine */
    ROAST_INTERRUPTED, /* ended before its time: Ctrl-C, or its writer went away */
    ROAST_FINISHED,    /* ended normally */
    ROAST_FAILED       /* ended with an exception of the analysis */
} roast_outcome;

const char *roast_outcome_name(roast_outcome outcome); /* "running", "interrupted", "finished", "failed" */

typedef struct roast_open_options {
    size_t size;             /* of this struct */
    bool salvage;            /* read what can be read of a damaged run, and say so in its notes */
    const char *scratch_dir; /* where a private copy goes if a live run cannot be read in place; NULL: /tmp */
} roast_open_options;

/* Opens a run file, read-only: nothing is written, not even beside it. options may be NULL. */
roast_code roast_run_open(roast_run **out, const char *path, const roast_open_options *options, roast_error *err);
/* Opens a run file, or reads a measurement directory of roastcoffea 0.1.x into memory, or takes the run file out
 * of a measurement directory of ours. */
roast_code roast_run_load(roast_run **out, const char *path, const roast_open_options *options, roast_error *err);
void roast_run_close(roast_run *run);
roast_str roast_run_name(const roast_run *run);
roast_outcome roast_run_outcome(const roast_run *run);
/* A fact of the run by key ("t_start_ns", "coffea", "host", …). Absent if it is not known. */
roast_str roast_run_fact(const roast_run *run, const char *key);

/* Computes every metric that can be derived from the run. The summary outlives the run. */
roast_code roast_summarize(roast_summary **out, roast_run *run, roast_error *err);
/* The same at a part of the cost, for a list of runs: how it ended, its window and wall time, events, rates and bytes,
 * workers, what is missing. These are the values that roast_summarize gives; others are absent, without a reason. */
roast_code roast_summarize_briefly(roast_summary **out, roast_run *run, roast_error *err);
void roast_summary_free(roast_summary *summary);

/* The time that the summary is about; ROAST_ABSENT where nothing tells. */
void roast_summary_window(const roast_summary *summary, int64_t *t_start_ns, int64_t *t_end_ns);
/* The value of a run metric, by canonical name or alias. why, if not NULL, gets the reason for an absent one. */
roast_value roast_summary_get(const roast_summary *summary, const char *name, const char **why);
/* Rows of the other scopes: one per dataset, section, file, worker, failure, server, branch of a dataset. A cell's
 * column is a metric. */
size_t roast_summary_rows(const roast_summary *summary, roast_scope scope);
roast_value roast_summary_cell(const roast_summary *summary, roast_scope scope, size_t row, const char *name);

/* ---- Following a run: a summary again and again, while it is being written ------------------------------------- */

typedef struct roast_analysis roast_analysis;

/* Reads what has been written since the run was opened or refreshed. What it gave out before is no longer valid; a
 * finished run has nothing new. If it fails, the run is as it was. */
roast_code roast_run_refresh(roast_run *run, roast_error *err);
/* Lets go of the file until the next refresh: its writer cannot put the last touch to a file that somebody reads. Until
 * then its rows cannot be visited; names, facts and tables can. */
void roast_run_pause(roast_run *run);

/* The run stays with the caller and must outlive the analysis. */
roast_code roast_analysis_open(roast_analysis **out, roast_run *run, roast_error *err);
/* Takes in the rows that are new since last time, as of the last refresh of the run. */
roast_code roast_analysis_feed(roast_analysis *analysis, roast_error *err);
/* What roast_summarize gives, of what the run had at its last refresh; feeds what has not been fed. May be asked again.
 */
roast_code roast_analysis_summary(roast_summary **out, roast_analysis *analysis, roast_error *err);
void roast_analysis_close(roast_analysis *analysis);

/* ---- Explaining and comparing runs --------------------------------------------------------------------------- */

typedef struct roast_explanation roast_explanation;
typedef struct roast_comparison roast_comparison;
typedef struct roast_gate roast_gate;
typedef struct roast_scaling roast_scaling;

/* What held a run back, and how it is known: "slow host node7: 3.1 times". Filled in up to size. */
typedef struct roast_evidence {
    size_t size;      /* of this struct, set by you */
    const char *what; /* "slow host" */
    roast_str name;   /* whose; may be absent */
    double value;     /* NAN for none */
    const char *unit; /* as in the catalogue, or "times" */
} roast_evidence;

typedef struct roast_finding {
    size_t size;            /* of this struct, set by you */
    const char *id;         /* "small_chunks" */
    const char *confidence; /* "sure", "likely", "note" */
    double core_seconds;    /* what it cost; NAN if that cannot be said in time */
    double share_percent;   /* of the core time that there was */
    double saving_seconds;  /* of wall time, at most, if it were fixed; 0 if it costs no time */
    size_t n_evidence;
} roast_finding;

/* Explains a run that was summarised. what_ifs: also what it would have taken with other chunks, workers, storage. */
roast_code roast_explain(roast_explanation **out, roast_run *run, const roast_summary *summary, bool what_ifs,
                         roast_error *err);
void roast_explanation_free(roast_explanation *explanation);
/* The explanation that came with the summary, borrowed; NULL if the run was too large to be explained in passing. */
const roast_explanation *roast_summary_explanation(const roast_summary *summary);
/* The findings, those to look at first first. False after the last. */
bool roast_explanation_finding(const roast_explanation *explanation, size_t index, roast_finding *out);
bool roast_explanation_evidence(const roast_explanation *explanation, size_t finding, size_t index,
                                roast_evidence *out);
/* What would be: the id ("no_wait") and the wall time in seconds, NAN if it cannot be said. NULL after the last. */
const char *roast_explanation_what_if(const roast_explanation *explanation, size_t index, double *seconds);

/* A run to compare; borrowed for the call. label is how you call it. This struct never grows. */
typedef struct roast_subject {
    roast_run *run;
    roast_summary *summary;
    const char *label;
} roast_subject;

/* What changed from the runs a to the runs b: of one run each chunk by chunk, of several run by run. */
roast_code roast_compare(roast_comparison **out, const roast_subject *a, size_t n_a, const roast_subject *b, size_t n_b,
                         roast_error *err);
void roast_comparison_free(roast_comparison *comparison);

typedef enum roast_verdict {
    ROAST_NOT_WORSE, /* a change for the worse by more than the noise is ruled out */
    ROAST_WORSE,     /* it is worse by more than the noise, and that is not chance */
    ROAST_UNDECIDED  /* these runs do not tell */
} roast_verdict;

typedef struct roast_gate_options {
    size_t size;         /* of this struct */
    const char *metrics; /* names, separated by commas; NULL for the wall time */
    double noise;        /* a change for the worse by this much does not matter; 0 is none */
    double alpha;        /* how often a regression may be reported where there is none */
} roast_gate_options;

void roast_gate_options_init(roast_gate_options *made, size_t size);
static inline roast_gate_options roast_gate_defaults(void) /* 3 % and 5 % */
{
    roast_gate_options made;
    roast_gate_options_init(&made, sizeof made);
    return made;
}
/* Whether fresh runs are worse than a baseline. The runs themselves may be NULL. */
roast_code roast_gate_runs(roast_gate **out, const roast_subject *baseline, size_t n_baseline,
                           const roast_subject *fresh, size_t n_fresh, const roast_gate_options *options,
                           roast_error *err);
void roast_gate_free(roast_gate *gate);
roast_verdict roast_gate_verdict(const roast_gate *gate);
/* "regression: wall time +9.8 % [+6.1, +13.5], 5 runs against 5", without the end of the line. */
void roast_gate_line(roast_text *out, const roast_gate *gate);

typedef struct roast_costs {
    size_t size;      /* of this struct */
    double core_hour; /* NAN if not known */
    double hour;      /* of waiting for the result; NAN if not known */
} roast_costs;

/* How throughput grows with cores over runs with different numbers of them. costs may be NULL. */
roast_code roast_scale(roast_scaling **out, const roast_subject *runs, size_t count, const roast_costs *costs,
                       roast_error *err);
void roast_scaling_free(roast_scaling *scaling);

/* A run in a list, or what could not be read and why. This struct never grows. */
typedef struct roast_listed {
    size_t number;                /* by which it can be named, "@2"; 0: it has none */
    const char *path;             /* as it can be given to a command */
    const roast_summary *summary; /* brief or whole; NULL if it could not be read … */
    const char *why;              /* … for this reason */
} roast_listed;

/* ---- Showing what was found ---------------------------------------------------------------------------------- */

typedef enum roast_form { /* append, never renumber */
                          ROAST_TERMINAL,
                          ROAST_JSON, /* everything, for programs */
                          ROAST_MARKDOWN,
                          ROAST_HTML, /* one page that needs nothing else */
                          ROAST_CSV,
                          ROAST_OPENMETRICS,
                          ROAST_SVG, /* a chart, as have PNG (with librsvg) and CHART, which is its numbers as JSON */
                          ROAST_PNG,
                          ROAST_CHART,
                          ROAST_FRAGMENT, /* HTML without script for a page of others, as a notebook; a run is a card */
                          ROAST_SCREEN    /* of a run, for a terminal: what matters most, on one screen */
} roast_form;

/* How to show it. Zero is the default of everything. */
typedef struct roast_look {
    size_t size;           /* of this struct */
    const char *only;      /* tables by their ids, separated by commas; NULL: those that have something to say */
    size_t limit;          /* most rows of tables that grow; 0: all */
    const char *cut;       /* a last line for a terminal if there are tables with more rows than the limit */
    size_t columns;        /* of a terminal; 0: 80 */
    bool colour;           /* with escape sequences */
    bool ascii;            /* instead of UTF-8 */
    double width, height;  /* of a picture, in pixels; 0: as the chart proposes */
    double scale;          /* pixels of a PNG per pixel of the chart; 0: 2 */
    bool clock;            /* time axes show the time of day … */
    int64_t utc_offset_s;  /* … in a zone, 0 for UTC … */
    const char *zone;      /* … of this name; NULL for "UTC" */
    size_t bins;           /* of histograms; 0: as each chart has them */
    size_t legend_entries; /* the most workers, files, … in a legend; 0: 5 */
    size_t colours;        /* that a terminal with escape sequences has; 0: 16 */
} roast_look;

/* Each appends to out; look may be NULL. What cannot be shown in a form is ROAST_USAGE. CSV is of one scope, which look
 * names as only: "run", "datasets", "workers", …; SVG, PNG and CHART are for comparisons and scaling. */
roast_code roast_summary_render(roast_text *out, const roast_summary *summary, roast_form form, const roast_look *look,
                                roast_error *err);
roast_code roast_explanation_render(roast_text *out, const roast_explanation *explanation, const roast_summary *summary,
                                    roast_form form, const roast_look *look, roast_error *err);
roast_code roast_comparison_render(roast_text *out, const roast_comparison *comparison, roast_form form,
                                   const roast_look *look, roast_error *err);
roast_code roast_gate_render(roast_text *out, const roast_gate *gate, roast_form form, const roast_look *look,
                             roast_error *err);
roast_code roast_scaling_render(roast_text *out, const roast_scaling *scaling, roast_form form, const roast_look *look,
                                roast_error *err);
/* Runs side by side, in this order, or by a column: the newest, the largest, or the first of the alphabet first, the
 * last if reversed. Tables and JSON. */
roast_code roast_list_render(roast_text *out, const roast_listed *runs, size_t count, const char *sort, bool reverse,
                             roast_form form, const roast_look *look, roast_error *err);
const char *roast_list_column(size_t index); /* that a list can be sorted by; NULL after the last */
/* The metrics that a word, or all of them as one phrase, tells of: names, labels of tables, words of what they mean;
 * all metrics if there are no words. None found is ROAST_MISSING. */
roast_code roast_catalogue_render(roast_text *out, const char *const *words, size_t n_words, roast_form form,
                                  const roast_look *look, roast_error *err);

/* The report of a run: one HTML page. */
roast_code roast_run_report(roast_text *out, roast_run *run, const roast_summary *summary, roast_error *err);
/* Every attempt at a chunk as CSV, and the run as a Chrome trace for ui.perfetto.dev, written as the run is read. */
roast_code roast_run_write_chunks(roast_run *run, roast_write write, void *context, roast_error *err);
roast_code roast_run_write_trace(roast_run *run, const roast_summary *summary, roast_write write, void *context,
                                 roast_error *err);

/* Charts of a run: those named, separated by commas; NULL for all. They are built together, because that reads the run,
 * and live as long as the run. */
typedef struct roast_charts roast_charts;
roast_code roast_charts_build(roast_charts **out, roast_run *run, const roast_summary *summary, const char *only,
                              const roast_look *look, roast_error *err);
void roast_charts_free(roast_charts *charts);
size_t roast_charts_count(const roast_charts *charts);
const char *roast_charts_id(const roast_charts *charts, size_t index);
/* SVG, PNG or CHART. */
roast_code roast_charts_render(roast_text *out, const roast_charts *charts, size_t index, roast_form form,
                               const roast_look *look, roast_error *err);
const char *roast_chart_id(size_t index);      /* of all that there are; NULL after the last */
const char *roast_chart_title(const char *id); /* NULL if there is none */
const char *roast_table_id(size_t index);      /* for only; NULL after the last */

/* ---- What ROOT files hold ------------------------------------------------------------------------------------ */

typedef struct roast_inspection roast_inspection;

typedef struct roast_inspect_options {
    size_t size;        /* of this struct */
    const char *tree;   /* only trees of this name or path; NULL: all */
    int64_t chunk;      /* events that a job will read at a time, for hints; 0: 100,000 */
    int64_t timeout_ms; /* for a server; 0: 30,000 */
    size_t jobs;        /* files read at the same time; 0: one per processor, at most 8 */
    double pick;        /* marks the branches that make up this share of the bytes; 0: none */
} roast_inspect_options;

/* Reads the metadata of ROOT files: paths, patterns, http://, https:// and root:// addresses. What is wrong with a file
 * is told with it. options may be NULL. */
roast_code roast_inspect(roast_inspection **out, const char *const *paths, size_t count,
                         const roast_inspect_options *options, roast_error *err);
void roast_inspection_free(roast_inspection *inspection);
/* Collections, or each branch with branches; those that match a pattern, or all with NULL. */
roast_code roast_inspection_render(roast_text *out, const roast_inspection *inspection, bool branches,
                                   const char *pattern, roast_form form, const roast_look *look, roast_error *err);

/* ---- Recording a run ---------------------------------------------------------------------------------------- */

typedef struct roast_recorder roast_recorder;

/* A value that the user attached to a chunk, as msgpack. */
typedef struct roast_custom {
    roast_str name;
    roast_str msgpack;
} roast_custom;

/* The records: roast_worker, roast_sample, roast_worker_count, roast_branch, roast_file, roast_section, roast_chunk,
 * roast_task, roast_activity and roast_work. roast_records.def lists their fields and says what each means. A record
 * starts with its size, so that one of an older or a newer version of this header is understood; make it with
 * roast_…_none(), which knows it, and fill in what you know. */
#define ROAST_TYPE_INT      int64_t
#define ROAST_TYPE_TIMES    int64_t
#define ROAST_TYPE_DEPTH    int64_t
#define ROAST_TYPE_TIME     int64_t
#define ROAST_TYPE_LOCAL    int64_t
#define ROAST_TYPE_SPAN     int64_t
#define ROAST_TYPE_SIZE     int64_t
#define ROAST_TYPE_MEMORY   int64_t
#define ROAST_TYPE_REAL     double
#define ROAST_TYPE_RATE     double
#define ROAST_TYPE_FLAG     bool
#define ROAST_TYPE_HASH     uint64_t
#define ROAST_TYPE_BRANCHES uint64_t
#define ROAST_TYPE_TEXT     roast_str
#define ROAST_TYPE_UUID     roast_str
#define ROAST_TYPE_NAME     roast_str
#define ROAST_TYPE_DATASET  roast_str
#define ROAST_TYPE_WORKER   roast_str
#define ROAST_TYPE_FILE     roast_str

#define ROAST_RECORD(record, help)                                                                                     \
    typedef struct roast_##record {                                                                                    \
        size_t size; /* of this struct */
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help) ROAST_TYPE_##kind name;
#define ROAST_LIST(record, type, name, help)                                                                           \
    const type *name;                                                                                                  \
    size_t n_##name;
#define ROAST_RECORD_END(record)                                                                                       \
    }                                                                                                                  \
    roast_##record;
#include "roast_records.def"

/* roast_worker_none(), roast_chunk_none(), …: every field absent. */
#define ROAST_RECORD(record, help)                                                                                     \
    void roast_##record##_init(roast_##record *made, size_t size);                                                     \
    static inline roast_##record roast_##record##_none(void)                                                           \
    {                                                                                                                  \
        roast_##record made;                                                                                           \
        roast_##record##_init(&made, sizeof made);                                                                     \
        return made;                                                                                                   \
    }
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)
#define ROAST_RECORD_END(record)
#include "roast_records.def"

typedef struct roast_recorder_options {
    size_t size;      /* of this struct */
    const char *name; /* of the run, as a person would call it */
    bool overwrite;   /* replace an existing file; default: refuse */
    int64_t mode;     /* permissions of a new file, for open(2); 0: 0666 */
} roast_recorder_options;

/* Starts a run file at path. Records are committed every second or every 1,000, whichever comes first. */
roast_code roast_recorder_open(roast_recorder **out, const char *path, const roast_recorder_options *options,
                               roast_error *err);
/* Each copies the record. After a failure (disk full) the recorder drops what follows and remembers the first
 * error; what was committed stays. */
roast_code roast_record_fact(roast_recorder *recorder, const char *key, roast_str value);
roast_code roast_record_fact_int(roast_recorder *recorder, const char *key, int64_t value);
roast_code roast_record_worker(roast_recorder *recorder, const roast_worker *worker); /* again: adds what is known */
roast_code roast_record_sample(roast_recorder *recorder, const roast_sample *sample);
roast_code roast_record_worker_count(roast_recorder *recorder, const roast_worker_count *count);
roast_code roast_record_chunk(roast_recorder *recorder, const roast_chunk *chunk); /* a known uid is ignored */
/* A chunk, a file, or samples of a worker's process, as a probe packed them. worker names where they come from if they
 * do not say so themselves; may be absent for a chunk. Damaged bytes are ROAST_CORRUPT and do not stop what follows. */
roast_code roast_record_packed(roast_recorder *recorder, roast_str packed, roast_str worker, roast_error *err);
roast_code roast_record_file(roast_recorder *recorder, const roast_file *file);
roast_code roast_record_task(roast_recorder *recorder, const roast_task *task);
roast_code roast_record_activity(roast_recorder *recorder, const roast_activity *activity); /* again: replaces */
roast_code roast_record_work(roast_recorder *recorder, const roast_work *work);
roast_code roast_record_report(roast_recorder *recorder, roast_str json);         /* coffea's report; again: replaces */
roast_code roast_record_custom_metrics(roast_recorder *recorder, roast_str json); /* per dataset, as users give it */
roast_code roast_record_note(roast_recorder *recorder, const char *level, roast_str text);
/* Commits now what has been recorded. */
roast_code roast_recorder_flush(roast_recorder *recorder);
/* The first thing that went wrong, if any: ROAST_OK and an empty message otherwise. */
roast_code roast_recorder_status(roast_recorder *recorder, roast_error *err);
/* The run has ended: readers see that from now on, and the file holds all of it. What belongs to it may still be
 * recorded until it is closed. */
roast_code roast_recorder_finish(roast_recorder *recorder, roast_outcome outcome, roast_error *err);
/* Ends the run and closes the file. The handle is gone even if this fails. */
roast_code roast_recorder_close(roast_recorder *recorder, roast_outcome outcome, roast_error *err);

/* Writes a measurement directory of roastcoffea 0.1.x to a run file at target. options may be NULL. The target is
 * complete or, after a failure, as it was before. */
roast_code roast_import(const char *source, const char *target, const roast_recorder_options *options,
                        roast_error *err);

/* ---- Measuring where the work is done ------------------------------------------------------------------------- */

/* One attempt at a chunk while it is made, measured on the thread that makes it. */
typedef struct roast_probe roast_probe;

/* What a worker does for a chunk, one after the other. Time outside of them is not recorded. */
typedef enum roast_phase {
    ROAST_PHASE_NONE,
    ROAST_PHASE_OPEN,
    ROAST_PHASE_EVENTS,
    ROAST_PHASE_PROCESS,
    ROAST_PHASE_RETURN,
    ROAST_PHASE_COUNT
} roast_phase;

typedef enum roast_section_kind { ROAST_SECTION_TIME, ROAST_SECTION_MEMORY, ROAST_SECTION_BYTES } roast_section_kind;

/* Starts to measure a chunk on the calling thread, inside the one that is there already, if any. owner is for the
 * caller. NULL if memory is out. */
roast_probe *roast_probe_begin(void *owner);
/* The innermost chunk of the calling thread, or NULL. */
roast_probe *roast_probe_current(void);
void *roast_probe_owner(const roast_probe *chunk);

/* Ends the phase that the chunk is in and starts another; a phase that comes again is summed. On the chunk's own
 * thread: elsewhere it does nothing. */
void roast_probe_phase(roast_probe *chunk, roast_phase phase);
/* Ends the measurement: the phase, open sections, and the chunk's place on its thread. Twice is fine. */
void roast_probe_end(roast_probe *chunk);
/* Fills in what was measured; everything else in record stays. Sections are borrowed from the chunk. False if memory
 * is out. */
bool roast_probe_fill(roast_probe *chunk, roast_chunk *record);
/* From any thread, ended or not. */
void roast_probe_free(roast_probe *chunk);

/* Enters a section of the innermost chunk of this thread; nothing happens if there is none. token stands for
 * this entry: the exit with the same token ends the last entry that has not ended. bytes is what the file source has
 * read so far, for ROAST_SECTION_BYTES. */
void roast_section_enter(roast_section_kind kind, roast_str name, const void *token, int64_t bytes);
void roast_section_exit(const void *token, int64_t bytes);
/* Adds to a section what somebody else has measured; ROAST_ABSENT adds nothing. */
void roast_section_add(roast_probe *chunk, roast_str name, int64_t duration_ns, int64_t rss_delta, int64_t bytes);

/* Packs a chunk, or what is known of a file, for roast_record_packed, here or elsewhere; what went wrong is in
 * out->code. The hash of a chunk's branches always goes along, their names with the first, second, fourth, eighth, …
 * record of their set that this process packs. */
void roast_pack_chunk(roast_text *out, const roast_chunk *chunk);
void roast_pack_file(roast_text *out, const roast_file *file);

/* A thread that looks at memory and CPU of this process hz times per second. Each start needs a stop; a forked child
 * goes on with its first chunk. */
roast_code roast_sampler_start(double hz, roast_error *err);
void roast_sampler_stop(void);
/* Packs what was seen since the last time and forgets it; nothing is appended if that is nothing. When nobody drains
 * it, the oldest samples go first. */
void roast_sampler_drain(roast_text *out);

/* ---- Visiting the records of a run --------------------------------------------------------------------------- */

/* The small tables, by index. NULL, or an absent text, after the last. Files come without their branches. */
const roast_worker *roast_run_worker(const roast_run *run, size_t index);
const roast_worker_count *roast_run_worker_count(const roast_run *run, size_t index);
const roast_file *roast_run_file(const roast_run *run, size_t index);
const roast_activity *roast_run_activity(const roast_run *run, size_t index);
roast_str roast_run_note(const roast_run *run, size_t index, roast_str *level);    /* "info", "warning" */
roast_str roast_run_fact_at(const roast_run *run, size_t index, roast_str *value); /* its key; in order of keys */
/* JSON that came with the run: "report", "custom_metrics", "config". Absent if there is none. */
roast_str roast_run_document(const roast_run *run, const char *kind);

/* The large ones, row by row in the order in which they were recorded. What a visitor gets lives during its call; if it
 * returns anything but ROAST_OK, the visit ends with that. A chunk comes with a number, by which its sections and what
 * the user attached to it refer to it; they are visited apart, as are the branches of files. Times are the client's:
 * the offset of a worker's clock, if it is known, has been taken off. */
typedef roast_code (*roast_chunk_visit)(void *context, int64_t number, const roast_chunk *chunk);
typedef roast_code (*roast_section_visit)(void *context, int64_t chunk, const roast_section *section);
typedef roast_code (*roast_custom_visit)(void *context, int64_t chunk, const roast_custom *custom);
typedef roast_code (*roast_sample_visit)(void *context, const roast_sample *sample);
typedef roast_code (*roast_task_visit)(void *context, const roast_task *task);
typedef roast_code (*roast_branch_visit)(void *context, const roast_file *file, const roast_branch *branch);
roast_code roast_run_visit_chunks(roast_run *run, roast_chunk_visit visit, void *context, roast_error *err);
roast_code roast_run_visit_sections(roast_run *run, roast_section_visit visit, void *context, roast_error *err);
roast_code roast_run_visit_custom(roast_run *run, roast_custom_visit visit, void *context, roast_error *err);
roast_code roast_run_visit_samples(roast_run *run, roast_sample_visit visit, void *context, roast_error *err);
roast_code roast_run_visit_tasks(roast_run *run, roast_task_visit visit, void *context, roast_error *err);
roast_code roast_run_visit_branches(roast_run *run, roast_branch_visit visit, void *context, roast_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
