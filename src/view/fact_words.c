/* Facts in words: a row for each key. Rows that belong to one above are indented under it, or stand on its line. */
#include "view/fact_words.h"

#include "base/str.h"

typedef enum fact_form { FACT_TEXT, FACT_COUNT, FACT_BYTES, FACT_COMMIT, FACT_CHANGES } fact_form;
typedef enum fact_place { FACT_LEADS, FACT_UNDER, FACT_BESIDE } fact_place;

typedef struct fact_row {
    const char *key, *title;
    fact_form form;
    fact_place place;
    const char *before, *after; /* of its value where it stands beside another; NULL for nothing */
} fact_row;

static const fact_row FACTS[] = {
    {"name", "run", FACT_TEXT, FACT_LEADS},
    {"source", "read from", FACT_TEXT, FACT_UNDER},
    {"processor", "processor", FACT_TEXT, FACT_LEADS},
    {"command", "command", FACT_TEXT, FACT_UNDER},
    {"git_commit", "git commit", FACT_COMMIT, FACT_UNDER},
    {"git_branch", "git branch", FACT_TEXT, FACT_BESIDE, "branch "},
    {"git_changes", "changed since the commit", FACT_CHANGES, FACT_BESIDE},
    {"git_untracked", "script not in git", FACT_TEXT, FACT_BESIDE, "the file of the analysis is not in git: "},
    {"no_git", "git commit", FACT_TEXT, FACT_UNDER},
    {"coffea", "coffea", FACT_TEXT, FACT_LEADS},
    {"schema", "schema", FACT_TEXT, FACT_UNDER},
    {"chunksize", "chunk size", FACT_COUNT, FACT_UNDER, NULL, " events"},
    {"dynamic_chunksize", "dynamic chunk size", FACT_TEXT, FACT_UNDER},
    {"maxchunks", "maxchunks", FACT_COUNT, FACT_UNDER},
    {"format", "format", FACT_TEXT, FACT_UNDER},
    {"skipbadfiles", "skipbadfiles", FACT_TEXT, FACT_UNDER},
    {"align_clusters", "align_clusters", FACT_TEXT, FACT_UNDER},
    {"xrootdtimeout", "xrootdtimeout", FACT_COUNT, FACT_UNDER, NULL, " s"},
    {"executor", "executor", FACT_TEXT, FACT_UNDER},
    {"executor_workers", "workers of the executor", FACT_COUNT, FACT_UNDER},
    {"retries", "retries", FACT_COUNT, FACT_UNDER},
    {"treereduction", "treereduction", FACT_COUNT, FACT_UNDER},
    {"compression", "compression of results", FACT_COUNT, FACT_UNDER},
    {"worker_affinity", "worker_affinity", FACT_TEXT, FACT_UNDER},
    {"recoverable", "recoverable", FACT_TEXT, FACT_UNDER},
    {"merging", "merging", FACT_TEXT, FACT_UNDER},
    {"engine", "engine", FACT_TEXT, FACT_LEADS},
    {"backend", "backend", FACT_TEXT, FACT_UNDER},
    {"worker_machines", "machines of the workers", FACT_TEXT, FACT_UNDER},
    {"worker_sites", "sites of the workers", FACT_TEXT, FACT_UNDER},
    {"host", "machine", FACT_TEXT, FACT_LEADS},
    {"cpu", "CPU", FACT_TEXT, FACT_UNDER},
    {"cpu_cores", "cores", FACT_COUNT, FACT_UNDER},
    {"cpu_cores_usable", "cores for this process", FACT_COUNT, FACT_BESIDE, NULL, " of them for this process"},
    {"memory_bytes", "memory", FACT_BYTES, FACT_UNDER},
    {"os", "system", FACT_TEXT, FACT_UNDER},
    {"kernel", "kernel", FACT_TEXT, FACT_BESIDE},
    {"batch_system", "batch system", FACT_TEXT, FACT_UNDER},
    {"batch_job", "batch job", FACT_TEXT, FACT_BESIDE, "job "},
    {"site", "site", FACT_TEXT, FACT_UNDER},
    {"python", "Python", FACT_TEXT, FACT_LEADS},
    {"uproot", "uproot", FACT_TEXT, FACT_UNDER},
    {"awkward", "awkward", FACT_TEXT, FACT_UNDER},
    {"numpy", "numpy", FACT_TEXT, FACT_UNDER},
    {"dask", "dask", FACT_TEXT, FACT_UNDER},
    {"distributed", "distributed", FACT_TEXT, FACT_UNDER},
    {"roastcoffea", "roastcoffea", FACT_TEXT, FACT_UNDER},
};

enum { FACT_COUNT_OF = sizeof FACTS / sizeof FACTS[0], COMMIT_SHOWN = 12 };

static const fact_row *row_of(roast_str key)
{
    for (size_t i = 0; i < FACT_COUNT_OF; i++)
        if (str_equal(key, str_from(FACTS[i].key)))
            return &FACTS[i];
    return NULL;
}

roast_str fact_title(roast_str key)
{
    const fact_row *row = row_of(key);
    return row ? str_from(row->title) : key;
}

/* ---- Values -------------------------------------------------------------------------------------------------- */

static void put_changes(buf *out, int64_t files)
{
    if (files == 0) {
        buf_text(out, "nothing changed since");
        return;
    }
    format_things(out, files, "file", "files");
    buf_text(out, " changed since");
}

static void put_number(buf *out, fact_form form, int64_t number)
{
    if (form == FACT_CHANGES)
        put_changes(out, number);
    else if (form == FACT_COUNT)
        format_count(out, number);
    else
        format_value(out, (roast_value){.kind = ROAST_INT, .as.integer = number}, "B", FORM_MEMORY);
}

/* A commit is known by its first digits. What should be a number and is none is shown as it is. */
static void put_value(buf *out, fact_form form, roast_str text)
{
    int64_t number;
    if (form == FACT_COMMIT && text.len > COMMIT_SHOWN)
        text.len = COMMIT_SHOWN;
    if (form != FACT_TEXT && form != FACT_COMMIT && str_to_int(text, &number))
        put_number(out, form, number);
    else
        buf_str(out, text);
}

void fact_write_value(table_writer *w, roast_str key, roast_value value, const char *unit)
{
    const fact_row *row = row_of(key);
    if (!row || value.kind != ROAST_TEXT) {
        writer_value(w, value, unit, FORM_UNIT);
        return;
    }
    put_value(&w->text, row->form, value.as.text);
    writer_cell(w, TONE_PLAIN, value);
}

/* ---- The table ------------------------------------------------------------------------------------------------- */

/* Times are in the heading, what the last run was advised is said there too, and the rest is for programs. */
static bool is_for_programs(roast_str key)
{
    return str_ends_with(key, STR("_ns")) || str_starts_with(key, STR("last_")) ||
           str_starts_with(key, STR("advised")) || str_starts_with(key, STR("no_")) ||
           str_equal(key, STR("writer_process")) || str_equal(key, STR("state")) || str_equal(key, STR("analysis"));
}

static void put_fact(buf *out, const fact_row *row, roast_str value)
{
    buf_text(out, row->before ? row->before : "");
    put_value(out, row->form, value);
    buf_text(out, row->after ? row->after : "");
}

/* A line, with what stands beside it. */
static void write_line(table_writer *w, const roast_summary *summary, const fact_row *row, bool indented)
{
    buf_text(&w->text, indented ? "  " : "");
    buf_text(&w->text, row->title);
    writer_cell(w, TONE_PLAIN, NOTHING);
    put_fact(&w->text, row, summary_fact(summary, row->key));
    for (const fact_row *beside = row + 1; beside < FACTS + FACT_COUNT_OF && beside->place == FACT_BESIDE; beside++) {
        roast_str value = summary_fact(summary, beside->key);
        if (!value.len)
            continue;
        buf_text(&w->text, ", ");
        put_fact(&w->text, beside, value);
    }
    writer_cell(w, TONE_PLAIN, NOTHING);
}

static void write_known(table_writer *w, const roast_summary *summary)
{
    bool led = false; /* whether what leads the group is there: then the others belong to it */
    for (const fact_row *row = FACTS; row < FACTS + FACT_COUNT_OF; row++) {
        bool known = summary_fact(summary, row->key).len > 0;
        if (row->place == FACT_LEADS)
            led = known;
        if (known && row->place != FACT_BESIDE)
            write_line(w, summary, row, led && row->place == FACT_UNDER);
    }
}

void facts_write(table_writer *w, const char *id, const char *title, const roast_summary *summary)
{
    writer_begin_pairs(w, id, title, TABLE_LIST, FACT_COUNT_OF + summary->n_facts);
    write_known(w, summary);
    for (size_t i = 0; i < summary->n_facts; i++) {
        roast_str key = summary->facts[i].key, value = summary->facts[i].value;
        if (row_of(key) || is_for_programs(key) || !value.len)
            continue;
        writer_text(w, key, TONE_PLAIN);
        writer_text(w, value, TONE_PLAIN);
    }
}
