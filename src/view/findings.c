/* Findings in words. The words of each kind are a row of a table; numbers and names come from the explanation. */
#include "view/findings.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "view/format.h"
#include "view/table_writer.h"

typedef struct wording {
    const char *title, *if_fixed, *advice;
    const char *tables; /* of roast show, where it can be seen */
} wording;

static const wording WORDS[FINDING_KIND_COUNT] = {
    [FINDING_IO_BOUND] =
        {"Waiting in process(): I/O or locks", "if nothing waited",
         "Read from a closer or faster storage, read fewer branches, or use a cache (XCache, local disk). "
         "More threads than cores help too, as long as the storage keeps up. If it is not the files: locks, sleeps and "
         "calls to services wait as well, and track_time shows in which section.",
         "ledger,files"},
    [FINDING_CPU_BOUND] =
        {"The CPU is the limit", "with twice the cores",
         "Nothing waits: make process() cheaper, or use more cores. The sections say where the CPU time goes.",
         "sections,datasets"},
    [FINDING_NO_CORE_FREE] =
        {"More threads than free cores", "if every thread had a core",
         "Something else runs on these machines, or workers offer more threads than there are cores: "
         "use fewer threads for each machine, and switch off threads inside libraries.",
         "workers"},
    [FINDING_OPENING] =
        {"Opening files, building events", "with larger chunks",
         "Each chunk pays for opening its file and building its events: make chunks larger (chunksize), or "
         "merge small files.",
         "chunks,files"},
    [FINDING_SLOW_HOST] = {"Slow hosts", "if they were like the others",
                           "Look at these machines (load, clock, network, disks), or keep jobs off them.", "workers"},
    [FINDING_SLOW_WORKER] = {"Slow workers", "if they were like the others",
                             "Restart these workers; other workers of the same machine are not slow.", "workers"},
    [FINDING_SLOW_STORAGE] = {"Slow storage", "if it were like the other storage",
                              "Read these files from another site or through a cache, or ask the site.", "files"},
    [FINDING_SLOW_FILE] = {"Slow files", "if they were like the others",
                           "Read these files from another replica; if they stay slow, look inside: roast inspect FILE.",
                           "files"},
    [FINDING_SLOW_PERIOD] =
        {"A slow part of the run", "if it had been like the rest",
         "Something that all share was slow for a while: the storage, the network, or the batch system. "
         "Ask what happened there at that time.",
         "workers"},
    [FINDING_STRAGGLERS] =
        {"Single slow chunks", "if they took what their events explain",
         "They share no host, file or time. If it is the same chunks again in the next run, look at their "
         "events; if not, at the machines.",
         "chunks,files"},
    [FINDING_TAIL] = {"Tail: few chunks ran alone at the end", "with no chunk much larger than the others",
                      "Cut the large chunks (chunksize), or start them first.", "chunks,workers"},
    [FINDING_TOO_FEW_CHUNKS] = {"Too few chunks for the cores", "with chunks a quarter as large",
                                "Make chunks smaller, so that every core gets ten or more; or use fewer cores.",
                                "chunks,resources"},
    [FINDING_RAMP_UP] =
        {"Workers came late", "with all workers there at the start",
         "Start the cluster earlier and wait for workers (client.wait_for_workers), or ask for smaller and "
         "therefore sooner available workers.",
         "resources,workers"},
    [FINDING_START_UP] =
        {"Cores waited for their first chunk", "without the wait",
         "Look at what happens before the first chunk: imports, shipping the processor, building the graph.",
         "timing,ledger_workers"},
    [FINDING_PREPROCESSING] =
        {"Preprocessing", "without preprocessing",
         "Do it once: runner.preprocess(fileset), and give the result to the next runs. On fresh workers part of it is "
         "their "
         "first imports, which would then wait for the first chunks: keep the cluster, or warm it up.",
         "timing"},
    [FINDING_MERGING] =
        {"After the last chunk", "if the run ended with its last chunk",
         "Results are merged then, and the client works on them: return less from process(), or merge in smaller steps "
         "(treereduction).",
         "timing,tasks"},
    [FINDING_SCHEDULER] = {"Cores idle while chunks waited", "if chunks were handed out at once",
                           "If hundreds are started per second, the scheduler is busy: make chunks larger. If not, "
                           "look at what else holds them "
                           "back: limits on tasks, work on one file at a time, data that is moved first.",
                           "ledger_workers,chunks"},
    [FINDING_MEMORY_GROWTH] =
        {"Memory grows from chunk to chunk", "if no worker had died of it",
         "Something is kept: results in the processor, caches, histograms that grow. The sections show "
         "where memory is gained (track_memory).",
         "workers,sections"},
    [FINDING_MEMORY_LIMIT] =
        {"Memory near the limit", "",
         "Make chunks smaller or give workers more memory, before the engine pauses or kills them.",
         "workers,resources"},
    [FINDING_SPILLING] = {"Spilling to disk", "",
                          "Return less from process(), make chunks smaller, or give workers more memory.",
                          "resources,fine"},
    [FINDING_WORKERS_LOST] =
        {"Workers were lost", "if they had stayed",
         "Find out why they died (memory, time limits of the batch system, the network): their logs say.",
         "workers,failures"},
    [FINDING_FAILURES] = {"Attempts failed", "without failures",
                          "See what they say, and leave out or repair what always fails (skipbadfiles).", "failures"},
    [FINDING_OVER_READ] =
        {"More was read than was used", "",
         "Branches may be preloaded and not used, or chunks cut across clusters: align chunks with clusters.",
         "files,throughput"},
    [FINDING_LZMA] = {"Files packed with LZMA", "",
                      "LZMA takes several times the CPU time of ZSTD to unpack: repack files that are read often.",
                      "files"},
    [FINDING_TOO_MANY_WORKERS] = {"More workers than the run could use", "",
                                  "Half the workers would have done nearly as well.", "resources,ledger_workers"},
    [FINDING_RESIDUAL] = {"Part of the core time is not explained", "",
                          "Records overlap, or something ran that was not recorded: see what the notes of the run say.",
                          "ledger,notes"},
    [FINDING_INCOMPLETE] = {"Not everything was recorded", "",
                            "Numbers stand for the chunks that were recorded. The notes say what went wrong.", "notes"},
    [FINDING_NOT_MEASURED] =
        {"Workers were not measured", "",
         "Times of chunks, and what follows here, are of the workers that were measured. What the others did is not "
         "known: they may have been as busy. The notes say why nothing was measured there.",
         "workers,notes"},
};

static const char *const GAPS[] = {
    [GAP_CPU] = "whether process() computed or waited: record CPU times (roastcoffea 0.2 does)",
    [GAP_OPEN] = "what opening files cost: record it (roastcoffea 0.2 does, with the worker plugin)",
    [GAP_WORKERS] = "how the cores were used: track the workers (track_workers=True)",
    [GAP_CHUNKS] = "what happened inside: no chunk was recorded; wrap the run in MetricsCollector",
    [GAP_MEMORY] = "what memory did: no worker was sampled (track_workers=True)",
    [GAP_REPLAY] = "what changes would bring: the replay of what happened is more than 15 % off",
    [GAP_SIZE] = "what held it back: the run is large; see roast explain RUN",
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
static void put_gap(buf *out, const explanation *e, finding_gap gap)
{
    if (gap == GAP_CHUNKS && !str_absent(e->no_chunks)) {
        buf_text(out, "what happened inside: ");
        buf_str(out, e->no_chunks);
    } else {
        buf_text(out, GAPS[gap]);
    }
}

/* ---- Texts --------------------------------------------------------------------------------------------------- */

static void put_number(buf *out, double value, const char *unit)
{
    if (!isfinite(value))
        return;
    if (strcmp(unit, "times") == 0)
        format_value(out, (roast_value){.kind = ROAST_REAL, .as.real = value}, "ratio", FORM_TIMES);
    else if (strcmp(unit, "count") == 0 && fabs(value) < 1e15)
        format_count(out, (int64_t)llround(value));
    else
        format_value(out, (roast_value){.kind = ROAST_REAL, .as.real = value}, unit, FORM_UNIT);
}

static void put_evidence(buf *out, const finding_evidence *e)
{
    buf_text(out, e->what);
    if (!str_absent(e->name)) {
        buf_text(out, isfinite(e->value) ? " " : ": ");
        buf_str(out, e->name);
    }
    if (isfinite(e->value)) {
        buf_text(out, ": ");
        put_number(out, e->value, e->unit);
    }
}

static void put_cost(buf *out, const finding *f)
{
    if (!(f->core_seconds > 0))
        return;
    format_percent(out, f->share_percent);
}

static void put_saving(buf *out, const finding *f)
{
    if (!(f->saving_seconds > 0))
        return;
    buf_text(out, "−");
    format_seconds(out, f->saving_seconds);
    if (*WORDS[f->kind].if_fixed)
        buf_format(out, " %s", WORDS[f->kind].if_fixed);
    if (f->kind == FINDING_OPENING && isfinite(f->factor))
        buf_format(out, " (%.0f times)", f->factor);
}

static table_tone tone_of(const finding *f)
{
    return f->confidence == FINDING_NOTE ? TONE_QUIET : TONE_WARN;
}

/* ---- The first findings, as a table ------------------------------------------------------------------------------ */

enum { RANK, WHAT, COST, SAVING, FINDING_COLUMNS };

static const table_column FINDING_SPECS[FINDING_COLUMNS] = {
    [RANK] = {""},
    [WHAT] = {"", .shortens = true},
    [COST] = {"core time", .align = TABLE_RIGHT, .priority = 1},
    [SAVING] = {"saves at most", .most_lines = 2},
};

static void write_finding_rows(table_writer *w, size_t rank, const finding *f)
{
    buf_format(&w->text, "%zu", rank);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, str_from(WORDS[f->kind].title), tone_of(f));
    put_cost(&w->text, f);
    writer_cell(w, TONE_PLAIN, NOTHING);
    put_saving(&w->text, f);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
    if (f->n_evidence)
        put_evidence(&w->text, &f->evidence[0]);
    writer_cell(w, TONE_QUIET, NOTHING);
    writer_text(w, STR(""), TONE_PLAIN);
    buf_text(&w->text, "roast show RUN --only ");
    roast_str tables = str_from(WORDS[f->kind].tables);
    writer_text(w, str_split(&tables, ','), TONE_QUIET);
}

/* Notes are told only if there is nothing else, and then one of them. */
static size_t worth_showing(const explanation *e, size_t most)
{
    size_t count = 0;
    while (count < e->count && count < most && e->findings[count].confidence != FINDING_NOTE)
        count++;
    return count ? count : e->count ? 1 : 0;
}

static void say_the_rest(table_writer *w, const explanation *e, size_t shown)
{
    bool stated = e->n_gaps && e->gaps[0] == GAP_CHUNKS && !str_absent(e->no_chunks);
    if (e->n_gaps && (e->gaps[0] == GAP_SIZE || !shown || stated)) {
        buf_text(&w->text, "not determined: ");
        put_gap(&w->text, e, e->gaps[0]);
    } else if (shown && e->findings[0].confidence == FINDING_NOTE)
        buf_text(&w->text, "nothing else stands out; all of it: roast explain RUN");
    else
        buf_text(&w->text, "all of it, and what to do: roast explain RUN");
    writer_more(w);
}

void findings_write(table_writer *w, const char *id, const char *title, const explanation *e, size_t most, bool asked)
{
    bool told = e && (e->count || e->n_gaps);
    size_t shown = told ? worth_showing(e, most) : 0;
    if (!told && !asked)
        return;
    writer_begin(w, id, title, FINDING_SPECS, shown ? FINDING_COLUMNS : 0, 2 * shown);
    for (size_t i = 0; i < shown; i++)
        write_finding_rows(w, i + 1, &e->findings[i]);
    if (told)
        say_the_rest(w, e, shown);
    else
        writer_rest(w, 0);
}

/* ---- The whole explanation, as a page ------------------------------------------------------------------------------
 */

static void list_finding(table_writer *w, size_t rank, const finding *f, bool commands)
{
    buf_format(&w->text, "%zu  %s", rank, WORDS[f->kind].title);
    writer_begin_pairs(w, finding_id(f->kind), NULL, TABLE_LIST, FINDING_EVIDENCE + 5);
    if (f->core_seconds > 0) {
        format_seconds(&w->text, f->core_seconds);
        buf_text(&w->text, " of core time, ");
        format_percent(&w->text, f->share_percent);
    }
    writer_pair(w, "cost", TONE_PLAIN);
    if (f->saving_seconds > 0)
        buf_text(&w->text, "at most ");
    put_saving(&w->text, f);
    writer_pair(w, "saving", TONE_STRONG);
    for (size_t i = 0; i < f->n_evidence; i++) {
        put_evidence(&w->text, &f->evidence[i]);
        writer_pair(w, i ? "" : "evidence", TONE_PLAIN);
    }
    if (commands)
        buf_format(&w->text, "roast show RUN --only %s", WORDS[f->kind].tables);
    writer_pair(w, "see", TONE_QUIET);
    buf_text(&w->text, WORDS[f->kind].advice);
    writer_pair(w, "do", TONE_PLAIN);
    static const char *const sure[] = {"sure: measured", "likely: inferred from the records",
                                       "a note: usual, or too little to act on"};
    buf_text(&w->text, sure[f->confidence]);
    writer_pair(w, "how sure", tone_of(f));
}

static void list_gaps(table_writer *w, const explanation *e)
{
    writer_begin_pairs(w, "not_determined", "Not determined", TABLE_LIST, e->n_gaps);
    for (size_t i = 0; i < e->n_gaps; i++) {
        put_gap(&w->text, e, e->gaps[i]);
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

static void list_what_ifs(table_writer *w, const explanation *e)
{
    writer_begin_pairs(w, "what_if", "What if", TABLE_LIST, e->n_what_ifs + 1);
    put_replay(&w->text, e);
    writer_pair(w, "replay", TONE_QUIET);
    for (size_t i = 0; i < e->n_what_ifs && e->replay_answers; i++) {
        double wall = e->what_ifs[i].wall_seconds, gain = e->replay_seconds - wall;
        if (!isfinite(wall))
            continue;
        format_seconds(&w->text, wall);
        buf_text(&w->text, gain >= 0 ? "   (−" : "   (+");
        format_seconds(&w->text, fabs(gain));
        buf_text(&w->text, ")");
        writer_pair(w, question_title(e->what_ifs[i].id), TONE_PLAIN);
    }
}

roast_code findings_tables(table_set *out, const roast_summary *summary, const explanation *e, bool commands,
                           roast_error *err)
{
    table_writer w;
    writer_init(&w, out, e->count + 3);
    tables_write_head(&w, summary);
    for (size_t i = 0; i < e->count; i++)
        list_finding(&w, i + 1, &e->findings[i], commands);
    if (!e->count) {
        writer_begin_pairs(&w, "none", "Findings", TABLE_LIST, 1);
        buf_text(&w.text, "nothing stands out");
        writer_pair(&w, "", TONE_PLAIN);
    }
    if (e->n_gaps)
        list_gaps(&w, e);
    if (e->n_what_ifs)
        list_what_ifs(&w, e);
    return writer_finish(&w, err);
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------------ */

static void json_finding(json_writer *w, const finding *f, double wall)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "id", str_from(finding_id(f->kind)));
    json_put_text(w, "title", str_from(WORDS[f->kind].title));
    json_put_text(w, "confidence", str_from(finding_confidence_name(f->confidence)));
    json_put_real(w, "core_seconds", f->core_seconds);
    json_put_real(w, "share_percent", f->share_percent);
    json_put_real(w, "saving_seconds", f->saving_seconds);
    json_put_real(w, "saving_percent", 100 * f->saving_seconds / wall);
    json_put_text(w, "saving_if", str_from(WORDS[f->kind].if_fixed));
    json_put_real(w, "factor", f->factor);
    json_put_open(w, "evidence", '[');
    for (size_t i = 0; i < f->n_evidence; i++) {
        json_put_open(w, NULL, '{');
        json_put_text(w, "what", str_from(f->evidence[i].what));
        json_put_text(w, "name", f->evidence[i].name);
        json_put_real(w, "value", f->evidence[i].value);
        json_put_text(w, "unit", str_from(f->evidence[i].unit));
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
    json_put_text(w, "tables", str_from(WORDS[f->kind].tables));
    json_put_text(w, "advice", str_from(WORDS[f->kind].advice));
    json_put_close(w, '}');
}

static void json_gap(json_writer *w, const explanation *e, finding_gap gap)
{
    buf text = {0};
    put_gap(&text, e, gap);
    json_put_text(w, NULL, buf_view(&text));
    w->out->code = w->out->code ? w->out->code : text.code;
    buf_release(&text);
}

void findings_json(json_writer *w, const explanation *e)
{
    json_put_open(w, "findings", '[');
    for (size_t i = 0; e && i < e->count; i++)
        json_finding(w, &e->findings[i], e->wall_seconds);
    json_put_close(w, ']');
    json_put_open(w, "not_determined", '[');
    for (size_t i = 0; e && i < e->n_gaps; i++)
        json_gap(w, e, e->gaps[i]);
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
}

void findings_document(buf *out, const roast_summary *summary, const explanation *e)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "name", summary->run_name);
    json_put_real(&w, "wall_seconds", e->wall_seconds);
    findings_json(&w, e);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
