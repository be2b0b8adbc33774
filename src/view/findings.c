/* Findings in words. The words of each kind are a row of a table; numbers and names come from the explanation. */
#include "view/findings.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "view/advice_words.h"
#include "view/evidence_words.h"
#include "view/format.h"
#include "view/heading.h"
#include "view/hint.h"
#include "view/table_writer.h"
#include "view/text.h"

typedef struct wording {
    const char *title, *if_fixed;
    const char *tables; /* of roast show, where it can be seen */
} wording;

static const wording WORDS[FINDING_KIND_COUNT] = {
    [FINDING_IO_BOUND] = {"Waiting in process(): I/O", "if storage kept up", "ledger,files"},
    [FINDING_LOCKS] = {"Waiting in process(): locks", "without the locks", "ledger,sections"},
    [FINDING_CPU_BOUND] = {"The CPU is the limit", "with twice the cores", "sections,datasets"},
    [FINDING_NO_CORE_FREE] = {"Other load on the machines", "if every thread had a core", "workers"},
    [FINDING_OVERSUBSCRIBED] = {"More threads than cores", "", "workers"},
    [FINDING_OPENING] = {"Opening files, building events", "if it took no time", "chunks,files"},
    [FINDING_SLOW_HOST] = {"Slow hosts", "if they were like the others", "workers"},
    [FINDING_SLOW_WORKER] = {"Slow workers", "if they were like the others", "workers"},
    [FINDING_SLOW_STORAGE] = {"Slow storage", "if it were like the other storage", "files"},
    [FINDING_SLOW_FILE] = {"Slow files", "if they were like the others", "files"},
    [FINDING_WARM_UP] = {"The first chunk of each worker was slow", "if it was like the others", "workers,chunks"},
    [FINDING_SLOW_PERIOD] = {"A slow part of the run", "if it had been like the rest", "workers"},
    [FINDING_STRAGGLERS] = {"A few slow chunks", "if they took as long as expected", "chunks,files"},
    [FINDING_TAIL] = {"Tail: few chunks ran alone at the end", "with no chunk much larger than the others",
                      "chunks,workers"},
    [FINDING_TOO_FEW_CHUNKS] = {"Too few chunks for the cores", "with smaller chunks", "chunks,resources"},
    [FINDING_RAMP_UP] = {"Workers joined late", "with all workers there at the start", "resources,workers"},
    [FINDING_START_UP] = {"Cores waited for their first chunk", "without the wait", "timing,ledger_workers"},
    [FINDING_PREPROCESSING] = {"Preprocessing", "without preprocessing", "timing"},
    [FINDING_MERGING] = {"Merging results", "if it took no time", "timing,tasks"},
    [FINDING_SCHEDULER] = {"Cores waited for the scheduler", "if it had answered at once", "ledger_workers,chunks"},
    [FINDING_MEMORY_GROWTH] = {"Memory grows from chunk to chunk", "if memory had not run short", "workers,sections"},
    [FINDING_MEMORY_LIMIT] = {"Memory near the limit", "if memory had not run short", "workers,resources"},
    [FINDING_SPILLING] = {"Spilling to disk", "if nothing was spilled", "resources,fine"},
    [FINDING_WORKERS_LOST] = {"Workers were lost", "if they had stayed", "workers,failures"},
    [FINDING_FAILURES] = {"Attempts failed", "without failures", "failures"},
    [FINDING_MISSING] = {"The result is not complete", "", "missing"},
    [FINDING_OVER_READ] = {"More was read than needed", "if only that was read", "files,throughput"},
    [FINDING_LZMA] = {"Files compressed with LZMA", "with ZSTD", "files"},
    [FINDING_TOO_MANY_WORKERS] = {"More workers than the run could use", "", "resources,ledger_workers"},
    [FINDING_RESIDUAL] = {"Part of the core time is not explained", "", "ledger,notes"},
    [FINDING_INCOMPLETE] = {"Not everything was recorded", "", "notes"},
    [FINDING_NOT_MEASURED] = {"Workers were not measured", "", "workers,notes"},
    [FINDING_SMALL_TASKS] = {"Tasks are too small", "with larger tasks", "all_tasks,tasks"},
    [FINDING_NO_TASKS] = {"Workers had nothing to do", "if there were always tasks that can run",
                          "ledger_workers,tasks"},
    [FINDING_TASKS_WAIT] = {"Tasks wait more than they compute", "if they did not wait", "ledger,tasks"},
};

/* Where tasks are the work, and there are no chunks: what is to be said otherwise. */
static const wording TASK_WORDS[FINDING_KIND_COUNT] = {
    [FINDING_WARM_UP] = {"The first tasks of workers were slow", "if they were like the others", "workers,tasks"},
    [FINDING_SLOW_PERIOD] = {"Tasks took longer in a part of the run", "if they had been like the rest",
                             "tasks,workers"},
    [FINDING_STRAGGLERS] = {"A few slow tasks", "if they took what others of their kind take", "tasks,all_tasks"},
    [FINDING_TAIL] = {"Tail: few tasks ran alone at the end", "with no task much longer than the others",
                      "all_tasks,workers"},
    [FINDING_TOO_FEW_CHUNKS] = {"Too few tasks for the cores", "with smaller tasks", "all_tasks,resources"},
    [FINDING_START_UP] = {"Cores waited for their first task", "without the wait", "all_tasks,ledger_workers"},
    [FINDING_MERGING] = {"After the last task", "if it took no time", "timing,all_tasks"},
    [FINDING_SCHEDULER] = {"Cores idle between tasks", "if tasks were handed out at once", "ledger_workers,all_tasks"},
    [FINDING_CPU_BOUND] = {"The CPU is the limit", "with twice the cores", "tasks,resources"},
    [FINDING_SPILLING] = {"Spilling to disk", "if nothing was spilled", "resources,tasks"},
    [FINDING_WORKERS_LOST] = {"Workers were lost", "if they had stayed", "workers,all_tasks"},
    [FINDING_FAILURES] = {"Attempts failed", "without failures", "tasks"},
};

static const wording *words_of(const finding *f)
{
    bool otherwise = f->advice.of_tasks && TASK_WORDS[f->kind].title;
    return otherwise ? &TASK_WORDS[f->kind] : &WORDS[f->kind];
}

static const char *const GAPS[] = {
    [GAP_CPU] = "whether process() computed or waited: record CPU times (roastcoffea 0.2 does)",
    [GAP_OPEN] = "what opening files cost: record it (roastcoffea 0.2 does, with the worker plugin)",
    [GAP_WORKERS] = "how the cores were used: track the workers (track_workers=True)",
    [GAP_CHUNKS] = "what happened inside: no chunk was recorded; wrap the run in MetricsCollector",
    [GAP_MEMORY] = "what memory did: no worker was sampled (track_workers=True)",
    [GAP_REPLAY] = "what other chunks or workers would bring: the replay of what happened is more than 15 % off",
    [GAP_SIZE] = "what held it back: the run goes on and is large; see ",
    [GAP_SHORT] =
        "what a longer run would show: this one took less than 10 s, of which the start and chance are a good part",
    [GAP_PARTLY] = "what changes would bring: workers that were not measured cannot be replayed",
};

static const struct {
    const char *id, *title;
} QUESTIONS[] = {
    {"no_wait", "no waiting for I/O in process()"},
    {"no_open", "opening files takes no time"},
    {"no_stragglers", "no stragglers"},
    {"no_failures", "no failures, no lost workers"},
    {"chunks_twice", "chunks twice as large"},
    {"chunks_half", "chunks half as large"},
    {"workers_half", "half the workers"},
    {"workers_twice", "twice the workers"},
    {"workers_four_times", "four times the workers"},
};

/* The run may state itself why it has no chunks. */
static void put_gap(buf *out, const roast_summary *summary, const explanation *e, finding_gap gap)
{
    if (gap == GAP_CHUNKS && !str_absent(e->no_chunks)) {
        buf_text(out, "what happened inside: ");
        buf_str(out, e->no_chunks);
        return;
    }
    buf_text(out, GAPS[gap]);
    if (gap == GAP_SIZE)
        hint_explain(out, summary);
}

/* ---- Texts --------------------------------------------------------------------------------------------------- */

static void put_cost(buf *out, const finding *f)
{
    if (!(f->core_seconds > 0))
        return;
    format_percent(out, f->share_percent);
}

const char *findings_tables_of(const finding *f)
{
    return words_of(f)->tables;
}

const char *findings_title(const finding *f)
{
    return words_of(f)->title;
}

/* "21.1 % faster (5.17 s)": what it would bring at most, if it were gone. */
void findings_put_saving(buf *out, const explanation *e, const finding *f)
{
    if (!(f->saving_seconds > 0))
        return;
    format_percent(out, 100 * f->saving_seconds / e->wall_seconds);
    buf_text(out, " faster (");
    format_seconds(out, f->saving_seconds);
    buf_char(out, ')');
}

static void put_condition(buf *out, const finding *f)
{
    if (f->kind == FINDING_OPENING && isfinite(f->factor))
        buf_format(out, " with chunks %.0f times as large", f->factor);
    else if (*words_of(f)->if_fixed)
        buf_format(out, " %s", words_of(f)->if_fixed);
}

/* "up to 22.4 % faster (26.3 s) if …; replayed: 21.0 s to 27.8 s" */
void findings_put_estimate(buf *out, const explanation *e, const finding *f)
{
    if (isnan(f->saving_seconds) && f->core_seconds > 0)
        buf_text(out, "not determined: the replay does not answer");
    if (!(f->saving_seconds > 0))
        return;
    buf_text(out, "up to ");
    findings_put_saving(out, e, f);
    put_condition(out, f);
    if (!(f->saving_high > f->saving_low))
        return;
    buf_text(out, "; uncertainty ");
    format_seconds(out, f->saving_low);
    buf_text(out, " to ");
    format_seconds(out, f->saving_high);
}

static table_tone tone_of(const finding *f)
{
    return f->kind == FINDING_MISSING ? TONE_BAD : f->confidence == FINDING_NOTE ? TONE_QUIET : TONE_WARN;
}

/* ---- The first findings, as a table ------------------------------------------------------------------------------ */

enum { RANK, WHAT, COST, SAVING, FINDING_COLUMNS };

static const table_column FINDING_SPECS[FINDING_COLUMNS] = {
    [RANK] = {""},
    [WHAT] = {"", .most_lines = 3},
    [COST] = {"core time", .align = TABLE_RIGHT, .priority = 1},
    [SAVING] = {"up to"},
};

static void write_finding_rows(table_writer *w, const explanation *e, size_t rank, const finding *f)
{
    buf_format(&w->text, "%zu", rank);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, str_from(words_of(f)->title), tone_of(f));
    put_cost(&w->text, f);
    writer_cell(w, TONE_PLAIN, NOTHING);
    findings_put_saving(&w->text, e, f);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
    if (f->n_evidence)
        evidence_text(&w->text, &f->evidence[0]);
    writer_cell(w, TONE_QUIET, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
    writer_text(w, STR(""), TONE_PLAIN);
}

/* Not about what is missing, which is said before anything else. */
static bool is_about_time(const finding *f)
{
    return f->kind != FINDING_MISSING && f->kind != FINDING_NOT_MEASURED;
}

/* Which findings are shown, and how many: the first that are not small, or one if all are. What saves most is always
 * among them, however usual it is. of_time: only those of which something would become faster. */
static size_t worth_showing(const explanation *e, const finding **shown, size_t most, bool of_time)
{
    size_t count = 0;
    const finding *largest = NULL;
    for (size_t i = 0; i < e->count; i++) {
        const finding *f = &e->findings[i];
        if (finding_is_small(e, f) || (of_time && !is_about_time(f)))
            continue;
        if (count < most)
            shown[count++] = f;
        if (f->saving_seconds > (largest ? largest->saving_seconds : 0))
            largest = f;
    }
    if (count && largest > shown[count - 1])
        shown[count - 1] = largest;
    if (!count && e->count && !of_time)
        shown[count++] = &e->findings[0];
    return count;
}

size_t findings_first(const explanation *e, const finding **shown, size_t most)
{
    return worth_showing(e, shown, most, false);
}

/* The table in which a finding is seen best. */
static roast_str table_of(const finding *f)
{
    roast_str tables = str_from(words_of(f)->tables);
    return str_split(&tables, ',');
}

/* The tables that the findings are seen in, each once, in their order. */
static void put_tables_of(buf *out, const finding *const *shown, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool named = false;
        for (size_t before = 0; before < i; before++)
            named |= str_equal(table_of(shown[before]), table_of(shown[i]));
        if (named)
            continue;
        buf_text(out, out->len ? "," : "");
        buf_str(out, table_of(shown[i]));
    }
}

static void say_where(table_writer *w, const roast_summary *summary, const finding *const *shown, size_t count)
{
    buf tables = {0};
    put_tables_of(&tables, shown, count);
    hint_explain(&w->text, summary);
    if (tables.len) {
        buf_text(&w->text, TABLE_BETWEEN "the numbers: ");
        hint_show(&w->text, summary, tables.data);
    }
    w->failed |= tables.code != ROAST_OK;
    buf_release(&tables);
}

/* Whether what could not be found out is more than what could. */
static bool is_undetermined(const explanation *e, size_t count)
{
    bool stated = !e->of_tasks && e->n_gaps && e->gaps[0] == GAP_CHUNKS && !str_absent(e->no_chunks);
    return e->n_gaps && (e->gaps[0] == GAP_SIZE || !count || stated);
}

static void put_undetermined(buf *out, const roast_summary *summary, const explanation *e)
{
    buf_text(out, "not determined: ");
    put_gap(out, summary, e, e->gaps[0]);
}

static void say_the_rest(table_writer *w, const roast_summary *summary, const explanation *e,
                         const finding *const *shown, size_t count)
{
    if (is_undetermined(e, count)) {
        put_undetermined(&w->text, summary, e);
    } else {
        buf_text(&w->text, count && shown[0]->confidence == FINDING_NOTE ? "nothing else stands out; all of it: "
                                                                         : "all of it, and what to do: ");
        say_where(w, summary, shown, count);
    }
    writer_more(w);
}

void findings_put_gap(buf *out, const roast_summary *summary, const explanation *e)
{
    if (e->n_gaps)
        put_gap(out, summary, e, e->gaps[0]);
}

enum { MOST_SHOWN = 8 };

void findings_write(table_writer *w, const char *id, const char *title, const roast_summary *summary, size_t most,
                    bool asked)
{
    const explanation *e = summary->explanation;
    const finding *findings[MOST_SHOWN];
    bool told = e && (e->count || e->n_gaps);
    size_t shown = told ? findings_first(e, findings, most < MOST_SHOWN ? most : MOST_SHOWN) : 0;
    if (!told && !asked)
        return;
    writer_begin(w, id, title, FINDING_SPECS, shown ? FINDING_COLUMNS : 0, 2 * shown);
    for (size_t i = 0; i < shown; i++)
        write_finding_rows(w, e, (size_t)(findings[i] - e->findings) + 1, findings[i]);
    if (told)
        say_the_rest(w, summary, e, findings, shown);
    else
        writer_rest(w, 0);
}

/* ---- The same for the one screen: what to change, and what it brings --------------------------------------------- */

enum { SHORT_RANK, CHANGE, GAIN, SHORT_COLUMNS };

static const table_column SHORT_SPECS[SHORT_COLUMNS] = {
    [SHORT_RANK] = {""},
    [CHANGE] = {"", .most_lines = 2, .parts = true},
    [GAIN] = {"up to", .align = TABLE_RIGHT},
};

/* Its name, and what shows it. */
static void put_all_evidence(buf *out, const finding *f)
{
    buf_text(out, words_of(f)->title);
    for (size_t i = 0; i < f->n_evidence; i++) {
        buf text = {0};
        evidence_text(&text, &f->evidence[i]);
        buf_text(out, text.len ? TABLE_DOT : "");
        buf_str(out, buf_view(&text));
        out->code = out->code ? out->code : text.code;
        buf_release(&text);
    }
}

static void write_short_rows(table_writer *w, const explanation *e, size_t rank, const finding *f)
{
    buf_format(&w->text, "%zu", rank);
    writer_cell(w, TONE_PLAIN, NOTHING);
    advice_brief(&w->text, f);
    writer_cell(w, TONE_STRONG, NOTHING);
    if (f->saving_seconds > 0)
        format_percent_short(&w->text, 100 * f->saving_seconds / e->wall_seconds);
    writer_cell(w, TONE_STRONG, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
    put_all_evidence(&w->text, f);
    writer_cell(w, TONE_QUIET, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
}

size_t findings_of_time(const roast_summary *summary, const finding **shown, size_t most)
{
    return summary->explanation ? worth_showing(summary->explanation, shown, most, true) : 0;
}

void findings_write_short(table_writer *w, const char *id, const char *title, const roast_summary *summary,
                          const finding *const *shown, size_t count)
{
    const explanation *e = summary->explanation;
    if (!e)
        return;
    writer_begin(w, id, title, SHORT_SPECS, count ? SHORT_COLUMNS : 1, 2 * count);
    writer_layout(w, TABLE_OPEN);
    for (size_t i = 0; i < count; i++)
        write_short_rows(w, e, i + 1, shown[i]);
    if (is_undetermined(e, count))
        put_undetermined(&w->text, summary, e);
    else if (!count)
        buf_text(&w->text, "nothing stands out");
    writer_more(w);
}

/* ---- The whole explanation, as a page ------------------------------------------------------------------------------
 */

enum { MOST_CODE_LINES = 8 };

/* A line of code is a line of the list. */
static void list_code(table_writer *w, const finding *f)
{
    buf code = {0};
    advice_code(&code, f);
    roast_str rest = code.len ? buf_view(&code) : str_none();
    for (bool first = true; !str_absent(rest) && rest.len; first = false) {
        buf_str(&w->text, str_split(&rest, '\n'));
        writer_code(w, first ? "code" : "");
    }
    w->failed |= code.code != ROAST_OK;
    buf_release(&code);
}

static void put_confidence(buf *out, const explanation *e, const finding *f)
{
    static const char *const words[] = {"measured", "inferred from the records", "minor"};
    bool small = finding_is_small(e, f);
    buf_text(out, small                                            ? "minor"
                  : f->of_any_run && f->confidence == FINDING_NOTE ? "a limit that every run has"
                                                                   : words[f->confidence]);
}

static void list_finding(table_writer *w, const roast_summary *summary, const explanation *e, size_t rank,
                         bool commands)
{
    const finding *f = &e->findings[rank - 1];
    buf_format(&w->text, "%zu  %s", rank, words_of(f)->title);
    writer_begin_pairs(w, finding_id(f->kind), NULL, TABLE_LIST, FINDING_EVIDENCE + 6 + MOST_CODE_LINES);
    if (f->core_seconds > 0) {
        format_seconds(&w->text, f->core_seconds);
        buf_text(&w->text, " of core time, ");
        format_percent(&w->text, f->share_percent);
    }
    writer_pair(w, "cost", TONE_PLAIN);
    findings_put_estimate(&w->text, e, f);
    writer_pair(w, "saving", TONE_STRONG);
    for (size_t i = 0; i < f->n_evidence; i++) {
        evidence_text(&w->text, &f->evidence[i]);
        writer_pair(w, i ? "" : "evidence", TONE_PLAIN);
    }
    if (commands)
        hint_show(&w->text, summary, words_of(f)->tables);
    writer_pair(w, "see", TONE_QUIET);
    advice_ruled_out(&w->text, f);
    writer_pair(w, "ruled out", TONE_QUIET);
    advice_text(&w->text, f);
    writer_pair(w, "do", TONE_PLAIN);
    list_code(w, f);
    put_confidence(&w->text, e, f);
    writer_pair(w, "confidence", tone_of(f));
}

static void list_gaps(table_writer *w, const roast_summary *summary, const explanation *e)
{
    writer_begin_pairs(w, "not_determined", "Not determined", TABLE_LIST, e->n_gaps);
    for (size_t i = 0; i < e->n_gaps; i++) {
        put_gap(&w->text, summary, e, e->gaps[i]);
        writer_pair(w, "-", TONE_PLAIN);
    }
}

static void put_replay(buf *out, const explanation *e)
{
    if (!isfinite(e->replay_seconds)) {
        buf_text(out, "the run cannot be replayed");
        return;
    }
    buf_text(out, "what happened, replayed: ");
    format_seconds(out, e->replay_seconds);
    buf_text(out, ", off by ");
    format_percent(out, e->replay_error_percent);
    if (!e->replay_answers)
        buf_text(out, ": too much to say what would be");
}

static const char *question_title(const char *id)
{
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++)
        if (strcmp(QUESTIONS[i].id, id) == 0)
            return QUESTIONS[i].title;
    return id;
}

/* "   18.1 % faster (4.42 s)"; what is less than a millisecond is no change. */
static void put_change(buf *out, double wall, double gain)
{
    if (fabs(gain) < 0.0005) {
        buf_text(out, "   no change");
        return;
    }
    buf_text(out, "   ");
    format_percent(out, 100 * fabs(gain) / wall);
    buf_text(out, gain > 0 ? " faster (" : " slower (");
    format_seconds(out, fabs(gain));
    buf_char(out, ')');
}

static void list_what_ifs(table_writer *w, const explanation *e)
{
    writer_begin_pairs(w, "what_if", "What if", TABLE_LIST, e->n_what_ifs + 1);
    put_replay(&w->text, e);
    writer_pair(w, "replay", TONE_QUIET);
    for (size_t i = 0; i < e->n_what_ifs && e->replay_answers; i++) {
        double wall = e->what_ifs[i].wall_seconds, gain = e->replay_seconds - wall;
        if (!isfinite(wall))
            continue;
        if (e->what_ifs[i].at_best)
            buf_text(&w->text, "at best ");
        format_seconds(&w->text, wall);
        put_change(&w->text, e->replay_seconds, gain);
        writer_pair(w, question_title(e->what_ifs[i].id), TONE_PLAIN);
    }
}

roast_code findings_tables(table_set *out, const roast_summary *summary, const explanation *e, bool commands,
                           roast_error *err)
{
    table_writer w;
    writer_init(&w, out, e->count + 3);
    heading_write(&w, summary);
    for (size_t i = 0; i < e->count; i++)
        list_finding(&w, summary, e, i + 1, commands);
    if (!e->count) {
        writer_begin_pairs(&w, "none", "Findings", TABLE_LIST, 1);
        buf_text(&w.text, e->n_gaps ? "not determined" : "nothing stands out");
        writer_pair(&w, "", TONE_PLAIN);
    }
    if (e->n_gaps)
        list_gaps(&w, summary, e);
    if (e->n_what_ifs)
        list_what_ifs(&w, e);
    return writer_finish(&w, err);
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------------ */

static void json_evidence(json_writer *w, const finding_evidence *e)
{
    buf text = {0};
    evidence_text(&text, e);
    json_put_open(w, NULL, '{');
    json_put_text(w, "what", str_from(e->what));
    json_put_text(w, "name", e->name);
    json_put_real(w, "value", e->value);
    json_put_text(w, "unit", str_from(e->unit));
    json_put_text(w, "text", text.len ? buf_view(&text) : str_none());
    json_put_close(w, '}');
    w->out->code = w->out->code ? w->out->code : text.code;
    buf_release(&text);
}

static void json_finding(json_writer *w, const finding *f, double wall)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "id", str_from(finding_id(f->kind)));
    json_put_text(w, "title", str_from(words_of(f)->title));
    json_put_text(w, "confidence", str_from(finding_confidence_name(f->confidence)));
    json_put_real(w, "core_seconds", f->core_seconds);
    json_put_real(w, "share_percent", f->share_percent);
    json_put_real(w, "saving_seconds", f->saving_seconds);
    json_put_real(w, "saving_low_seconds", f->saving_low);
    json_put_real(w, "saving_high_seconds", f->saving_high);
    json_put_real(w, "saving_percent", 100 * f->saving_seconds / wall);
    json_put_text(w, "saving_if", str_from(words_of(f)->if_fixed));
    json_put_real(w, "factor", f->factor);
    json_put_open(w, "evidence", '[');
    for (size_t i = 0; i < f->n_evidence; i++)
        json_evidence(w, &f->evidence[i]);
    json_put_close(w, ']');
    json_put_text(w, "tables", str_from(words_of(f)->tables));
    advice_json(w, f);
    json_put_close(w, '}');
}

static void json_gap(json_writer *w, const roast_summary *summary, const explanation *e, finding_gap gap)
{
    buf text = {0};
    put_gap(&text, summary, e, gap);
    json_put_text(w, NULL, buf_view(&text));
    w->out->code = w->out->code ? w->out->code : text.code;
    buf_release(&text);
}

void findings_json(json_writer *w, const roast_summary *summary, const explanation *e)
{
    json_put_open(w, "findings", '[');
    for (size_t i = 0; e && i < e->count; i++)
        json_finding(w, &e->findings[i], e->wall_seconds);
    json_put_close(w, ']');
    json_put_open(w, "not_determined", '[');
    for (size_t i = 0; e && i < e->n_gaps; i++)
        json_gap(w, summary, e, e->gaps[i]);
    json_put_close(w, ']');
    json_put_open(w, "replay", '{');
    json_put_real(w, "wall_seconds", e ? e->replay_seconds : (double)NAN);
    json_put_real(w, "error_percent", e ? e->replay_error_percent : (double)NAN);
    json_put_close(w, '}');
    if (!e || !e->n_what_ifs)
        return;
    json_put_open(w, "what_if", '{');
    for (size_t i = 0; i < e->n_what_ifs; i++)
        json_put_real(w, e->what_ifs[i].id, e->what_ifs[i].wall_seconds);
    json_put_close(w, '}');
    json_put_open(w, "at_best", '[');
    for (size_t i = 0; i < e->n_what_ifs; i++)
        if (e->what_ifs[i].at_best)
            json_put_text(w, NULL, str_from(e->what_ifs[i].id));
    json_put_close(w, ']');
}

void findings_document(buf *out, const roast_summary *summary, const explanation *e)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "name", summary->run_name);
    json_put_real(&w, "wall_seconds", e->wall_seconds);
    findings_json(&w, summary, e);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
