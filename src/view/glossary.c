/* Meaning and formula of a metric are those of the catalogue; where it comes from is said here of each of its needs,
 * and what labels mean that are no metrics. */
#include "view/glossary.h"

#include "base/str.h"
#include "view/html.h"
#include "view/json.h"

/* Where the numbers come from, by what must have been recorded for them. */
static const char *const SOURCES[] = {
    [NEEDS_request] = "coffea's own books in your script: what the Runner was asked for, and what it got",
    [NEEDS_window] = "the clock of your script, at the beginning and the end of the measured block",
    [NEEDS_totals] = "coffea's report, or the records of the chunks",
    [NEEDS_preprocessing] = "coffea's preprocessing, watched in your script",
    [NEEDS_timeline] = "the cluster: which workers there were, and when",
    [NEEDS_arrivals] = "the cluster: workers that came and went",
    [NEEDS_samples] = "heartbeats of the workers",
    [NEEDS_probes] = "probes in the workers: who has one, and who has not",
    [NEEDS_chunks] = "the record that the worker makes of each chunk",
    [NEEDS_sizes] = "the records of the chunks, if these differ in size",
    [NEEDS_files] = "the names of the files that were processed",
    [NEEDS_metadata] = "the metadata in the files themselves",
    [NEEDS_access_log] = "coffea's log of the branches that were read",
    [NEEDS_preload] = "coffea's list of branches to load in advance",
    [NEEDS_requests] = "the file source, which counts its requests",
    [NEEDS_spans] = "fine metrics of Dask: its own clocks around tasks",
    [NEEDS_cores] = "the cluster: the cores of its workers",
    [NEEDS_cores_totals] = "coffea's report or the records of the chunks, and the cores of the workers",
    [NEEDS_cores_spans] = "fine metrics of Dask, and the cores of the workers",
    [NEEDS_tasks] = "the engine's tasks, where these are the work and no Runner ran",
    [NEEDS_others] = "computed from other numbers on this page",
};

/* The ledgers weigh all of it against each other. */
static const char LEDGER_SOURCE[] = "the records of the chunks, the engine's tasks, and which workers there were when";

/* Labels that are no metrics. */
static const struct word {
    const char *label, *meaning, *formula, *source;
} WORDS[GLOSSARY_WORDS] = {
    {"cost", "Core time that went into this, and its share of all core time that there was.",
     "core-seconds / (cores × wall time)", "the records of the chunks and of the workers"},
    {"saving", "About how much shorter the run would have been without this: of its wall time, and in seconds.",
     "wall time replayed as it was - wall time replayed without this", "a replay of the recorded chunks"},
    {"evidence", "What was measured that shows it.", "", "the numbers of this page"},
    {"ruled out", "What it could be mistaken for, and why it is not that.", "", "the numbers of this page"},
    {"do", "What to change, with the values that suit this run.", "", ""},
    {"code", "Lines for your script. runner, client and fileset are what they are called in coffea's documentation.",
     "", ""},
    {"confidence",
     "How this is known: measured directly, inferred from the records with a model, or usual in such runs and too "
     "little to act on.",
     "", "the replay: how far it is off when it replays what did happen"},
    {"see", "Where the numbers are.", "", ""},
};

static void add_term(term_list *list, size_t term)
{
    if (term < TERM_COUNT && list->count < MOST_TERMS)
        list->terms[list->count++] = term;
}

void terms_add_part(term_list *list, const part_spec *part)
{
    if (part->after)
        add_term(list, part->metric);
}

static size_t word_of(roast_str label)
{
    size_t word = 0;
    while (word < GLOSSARY_WORDS && !str_equal(label, str_from(WORDS[word].label)))
        word++;
    return METRIC_COUNT + word;
}

term_list terms_of_label(const table_cell *label)
{
    term_list list = {0};
    const pair_spec *line = label->line;
    for (size_t i = 0; line && i < MOST_PARTS; i++)
        terms_add_part(&list, &line->parts[i]);
    if (!line)
        add_term(&list, word_of(label->text));
    return list;
}

/* A column is of rows: one that names a metric of the whole run names none. */
term_list terms_of_column(const table_column *column)
{
    term_list list = {0};
    if (metric_info(column->metric)->scope != ROAST_SCOPE_RUN)
        add_term(&list, column->metric);
    return list;
}

/* A category of the run is the sum of those of its workers, which are metrics. */
term_list terms_of_category(ledger_category category)
{
    term_list list = {0};
    if (category < LEDGER_COUNT)
        add_term(&list, metric_find(ROAST_SCOPE_WORKER_LEDGER, str_from(CATEGORIES[category].key)));
    return list;
}

/* ---- Writing ------------------------------------------------------------------------------------------------- */

static void put_key(buf *out, size_t term)
{
    if (term >= METRIC_COUNT)
        buf_format(out, "word.%zu", term - METRIC_COUNT);
    else
        buf_format(out, "%s.%s", roast_scope_name(metric_info((metric_id)term)->scope),
                   metric_info((metric_id)term)->name);
}

void glossary_label(buf *out, glossary *g, roast_str text, const term_list *terms)
{
    if (!g || !terms->count) {
        html_text(out, text);
        return;
    }
    buf_text(out, "<span data-terms=\"");
    for (size_t i = 0; i < terms->count; i++) {
        g->used[terms->terms[i]] = true;
        buf_text(out, i ? " " : "");
        put_key(out, terms->terms[i]);
    }
    buf_text(out, "\">");
    html_text(out, text);
    buf_text(out, "</span>");
}

static void put_meaning(buf *out, const char *name, const char *meaning, const char *formula, const char *source)
{
    const char *const parts[] = {name, meaning, formula, source};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_char(out, i ? ',' : '[');
        json_put_quoted(out, str_from(parts[i]));
    }
    buf_char(out, ']');
}

static const char *source_of(metric_id id)
{
    roast_scope scope = metric_info(id)->scope;
    bool ledger =
        scope == ROAST_SCOPE_LEDGER || scope == ROAST_SCOPE_DATASET_LEDGER || scope == ROAST_SCOPE_WORKER_LEDGER;
    return ledger ? LEDGER_SOURCE : SOURCES[metric_needs(id)];
}

static void put_term(buf *out, size_t term)
{
    if (term >= METRIC_COUNT) {
        const struct word *word = &WORDS[term - METRIC_COUNT];
        put_meaning(out, "", word->meaning, word->formula, word->source);
        return;
    }
    const roast_metric *metric = metric_info((metric_id)term);
    put_meaning(out, metric->name, metric->help, metric->formula, source_of((metric_id)term));
}

void glossary_json(buf *out, const glossary *g)
{
    bool any = false;
    buf_char(out, '{');
    for (size_t term = 0; term < TERM_COUNT; term++) {
        if (!g->used[term])
            continue;
        buf_text(out, any ? ",\n\"" : "\"");
        put_key(out, term);
        buf_text(out, "\":");
        put_term(out, term);
        any = true;
    }
    buf_char(out, '}');
}
