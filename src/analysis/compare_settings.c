/* What differs in how runs were made, and what can be counted: both are compared as they are, without statistics. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/compare_parts.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

static const roast_value NOTHING = {.kind = ROAST_NOTHING};

/* ---- Settings --------------------------------------------------------------------------------------------------- */

/* Facts that no two runs share, or that are compared elsewhere. Times (…_ns) are left out too. */
static bool fact_is_a_setting(roast_str key)
{
    static const char *const others[] = {"name",       "state",       "writer_process", "source",  "error",
                                         "error_type", "stop_reason", "batch_job",      "analysis"};
    if (str_ends_with(key, STR("_ns")) || str_starts_with(key, STR("no_")) || str_starts_with(key, STR("last_")) ||
        str_starts_with(key, STR("advised")))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (str_equal(key, str_from(others[i])))
            return false;
    return true;
}

typedef struct setting_list {
    compare_work *work;
    size_t capacity;
    intern seen; /* keys that were looked at */
    bool failed;
} setting_list;

static bool same_value(roast_value a, roast_value b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case ROAST_INT:
        return a.as.integer == b.as.integer;
    case ROAST_REAL:
        return fabs(a.as.real - b.as.real) <= 1e-6 * fabs(a.as.real); /* averages over time are not exact */
    case ROAST_TEXT:
        return str_equal(a.as.text, b.as.text);
    case ROAST_NOTHING:
        break;
    }
    return true;
}

static void add_if_different(setting_list *list, roast_str what, const char *unit, const roast_value values[SIDES])
{
    comparison *out = list->work->out;
    if (same_value(values[SIDE_A], values[SIDE_B]) || out->n_settings >= list->capacity)
        return;
    roast_str kept = arena_str(&out->memory, what);
    list->failed |= arena_str_failed(kept, what);
    out->settings[out->n_settings++] = (compared_setting){kept, unit, {values[SIDE_A], values[SIDE_B]}};
}

static roast_value text_value(setting_list *list, roast_str text)
{
    roast_str kept = arena_str(&list->work->out->memory, text);
    list->failed |= arena_str_failed(kept, text);
    return text.len ? (roast_value){.kind = ROAST_TEXT, .as.text = kept} : NOTHING;
}

/* What the runs of a side say, each different thing once. */
static roast_value join_facts(setting_list *list, compare_side side, roast_str key)
{
    const compare_work *w = list->work;
    intern said = {0};
    buf text = {0};
    for (size_t i = 0; i < w->n_inputs[side]; i++) {
        roast_str value = roast_run_fact(w->inputs[side][i].run, key.ptr);
        bool added = false;
        if (str_absent(value) || value.len == 0)
            continue;
        list->failed |= intern_add(&said, value, &added) == INTERN_NONE;
        if (!added)
            continue;
        buf_text(&text, text.len ? ", " : "");
        buf_str(&text, value);
    }
    list->failed |= text.code != ROAST_OK;
    roast_value joined = text_value(list, buf_view(&text));
    intern_release(&said);
    buf_release(&text);
    return joined;
}

static void compare_facts(setting_list *list)
{
    const compare_work *w = list->work;
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++) {
            const roast_run *run = w->inputs[side][i].run;
            for (size_t f = 0; f < run_facts(run); f++) {
                roast_str value, key = roast_run_fact_at(run, f, &value);
                bool added = false;
                if (!fact_is_a_setting(key))
                    continue;
                list->failed |= intern_add(&list->seen, key, &added) == INTERN_NONE;
                if (added)
                    add_if_different(
                        list, key, "",
                        (roast_value[SIDES]){join_facts(list, SIDE_A, key), join_facts(list, SIDE_B, key)});
            }
        }
}

/* The value of a metric that is a setting: the same in all runs of a side, or "several". */
static roast_value metric_of_side(const compare_work *w, compare_side side, metric_id metric)
{
    roast_value first = summary_value(w->inputs[side][0].summary, metric);
    for (size_t i = 1; i < w->n_inputs[side]; i++)
        if (!same_value(first, summary_value(w->inputs[side][i].summary, metric)))
            return (roast_value){.kind = ROAST_TEXT, .as.text = STR("several")};
    return first;
}

static void compare_metrics(setting_list *list)
{
    static const struct {
        metric_id metric;
        const char *what;
    } settings[] = {
        {M_run_chunk_events_max, "events in the largest chunk"},
        {M_run_peak_workers, "workers"},
        {M_run_cores_per_worker, "cores per worker"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        roast_value values[SIDES] = {metric_of_side(list->work, SIDE_A, settings[i].metric),
                                     metric_of_side(list->work, SIDE_B, settings[i].metric)};
        add_if_different(list, str_from(settings[i].what), metric_info(settings[i].metric)->unit, values);
    }
}

static roast_value memory_limit_of(const compare_work *w, compare_side side)
{
    int64_t most = ROAST_ABSENT;
    for (size_t i = 0; i < w->n_inputs[side]; i++)
        for (uint32_t n = 0; n < run_workers(w->inputs[side][i].run); n++) {
            int64_t limit = run_worker(w->inputs[side][i].run, n)->memory_limit;
            most = limit > most ? limit : most;
        }
    return most == ROAST_ABSENT ? NOTHING : (roast_value){.kind = ROAST_REAL, .as.real = mebibytes(most)};
}

/* "ZSTD(5), LZMA(9)" */
static roast_value compression_of(setting_list *list, compare_side side)
{
    const compare_work *w = list->work;
    intern kinds = {0};
    buf text = {0}, kind = {0};
    for (size_t i = 0; i < w->n_inputs[side]; i++)
        for (uint32_t n = 0; n < run_files(w->inputs[side][i].run); n++) {
            const roast_file *file = run_file(w->inputs[side][i].run, n);
            bool added = false;
            if (str_absent(file->algorithm))
                continue;
            buf_clear(&kind);
            buf_str(&kind, file->algorithm);
            if (file->level != ROAST_ABSENT)
                buf_format(&kind, "(%lld)", (long long)file->level);
            list->failed |= kind.code || intern_add(&kinds, buf_view(&kind), &added) == INTERN_NONE;
            if (added) {
                buf_text(&text, text.len ? ", " : "");
                buf_str(&text, buf_view(&kind));
            }
        }
    list->failed |= text.code != ROAST_OK;
    roast_value value = text_value(list, buf_view(&text));
    intern_release(&kinds);
    buf_release(&text);
    buf_release(&kind);
    return value;
}

/* Names of the datasets that only this side has. */
static roast_value datasets_only(setting_list *list, compare_side side)
{
    const part_table *datasets = &list->work->datasets;
    compare_side other = side == SIDE_A ? SIDE_B : SIDE_A;
    buf text = {0};
    for (uint32_t i = 0; i < datasets->names.count; i++) {
        const part_sum *sum = &datasets->sums[i];
        if (!sum->ns[side] || sum->ns[other])
            continue;
        buf_text(&text, text.len ? ", " : "");
        buf_str(&text, datasets->names.strings[i]);
    }
    list->failed |= text.code != ROAST_OK;
    roast_value value = text_value(list, buf_view(&text));
    buf_release(&text);
    return value;
}

static void compare_inputs(setting_list *list)
{
    const comparison *out = list->work->out;
    roast_value only[SIDES] = {datasets_only(list, SIDE_A), datasets_only(list, SIDE_B)};
    add_if_different(list, STR("datasets only here"), "", only);
    roast_value files[SIDES];
    for (compare_side side = SIDE_A; side < SIDES; side++)
        files[side] = (roast_value){.kind = ROAST_INT, .as.integer = out->files_only[side]};
    if (out->files_only[SIDE_A] || out->files_only[SIDE_B])
        add_if_different(list, STR("files only here"), "count", files);
    roast_value compression[SIDES] = {compression_of(list, SIDE_A), compression_of(list, SIDE_B)};
    add_if_different(list, STR("compression"), "", compression);
    roast_value memory[SIDES] = {memory_limit_of(list->work, SIDE_A), memory_limit_of(list->work, SIDE_B)};
    add_if_different(list, STR("memory limit of a worker"), "MiB", memory);
}

roast_code compare_list_settings(compare_work *w, roast_error *err)
{
    enum { BESIDES_FACTS = 16 };
    setting_list list = {.work = w, .capacity = BESIDES_FACTS};
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++)
            list.capacity += run_facts(w->inputs[side][i].run);
    w->out->settings = arena_alloc(&w->out->memory, list.capacity, sizeof *w->out->settings);
    if (!w->out->settings)
        return fail_memory(err);
    compare_facts(&list);
    compare_metrics(&list);
    compare_inputs(&list);
    intern_release(&list.seen);
    return list.failed ? fail_memory(err) : ROAST_OK;
}

/* ---- Branches --------------------------------------------------------------------------------------------------- */

/* Which branches were read, by name, on either side. */
typedef struct branch_reading {
    intern names;
    unsigned char *sides; /* by name: bits 1 << side */
    size_t capacity;
    int64_t read[SIDES];
    compare_work *work;
    compare_side side; /* whose branches are being added up */
} branch_reading;

static bool saw_branch(branch_reading *b, roast_str name, compare_side side)
{
    uint32_t number = intern_add(&b->names, name, NULL);
    if (number == INTERN_NONE)
        return false;
    if (number >= b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 256;
        unsigned char *sides = realloc(b->sides, capacity);
        if (!sides)
            return false;
        memset(sides + b->capacity, 0, capacity - b->capacity);
        b->sides = sides;
        b->capacity = capacity;
    }
    b->read[side] += !(b->sides[number] & 1 << side);
    b->sides[number] |= (unsigned char)(1 << side);
    return true;
}

static bool read_branch_names(branch_reading *b, const roast_run *run, compare_side side)
{
    for (uint32_t set = 0; set < run_branch_sets(run); set++) {
        size_t count;
        const uint32_t *names = run_branch_set(run, set, &count);
        for (size_t i = 0; i < count; i++)
            if (!str_absent(run_name(run, names[i])) && !saw_branch(b, run_name(run, names[i]), side))
                return false;
    }
    return true;
}

static bool only_on(const branch_reading *b, uint32_t number, compare_side side)
{
    return number != INTERN_NONE && b->sides[number] == 1 << side;
}

static roast_code add_branch_bytes(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    branch_reading *b = context;
    (void)file;
    (void)name;
    if (!str_absent(branch->name) && only_on(b, intern_find(&b->names, branch->name), b->side))
        add_measured(&b->work->out->branches_only[b->side].bytes, branch->compressed);
    return ROAST_OK;
}

static roast_code tell_branches(branch_reading *b, compare_side side, roast_error *err)
{
    enum { EXAMPLES = 3 };
    compare_work *w = b->work;
    compared_branches *only = &w->out->branches_only[side];
    buf text = {0};
    for (uint32_t i = 0; i < b->names.count; i++) {
        if (!only_on(b, i, side) || ++only->count > EXAMPLES)
            continue;
        buf_text(&text, text.len ? ", " : "");
        buf_str(&text, b->names.strings[i]);
    }
    only->examples = arena_str(&w->out->memory, buf_view(&text));
    roast_code code = text.code || arena_str_failed(only->examples, buf_view(&text)) ? fail_memory(err) : ROAST_OK;
    buf_release(&text);
    b->side = side;
    for (size_t i = 0; !code && only->count && i < w->n_inputs[side]; i++)
        code = run_each_branch(w->inputs[side][i].run, add_branch_bytes, b, err);
    if (only->bytes != ROAST_ABSENT)
        only->bytes /= (int64_t)w->n_inputs[side];
    return code;
}

static roast_code compare_branches(compare_work *w, int64_t read[SIDES], roast_error *err)
{
    branch_reading b = {.work = w};
    bool done = true;
    w->out->branches_only[SIDE_A].bytes = w->out->branches_only[SIDE_B].bytes = ROAST_ABSENT;
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++)
            done = done && read_branch_names(&b, w->inputs[side][i].run, side);
    roast_code code = done ? ROAST_OK : fail_memory(err);
    bool known = b.read[SIDE_A] && b.read[SIDE_B];
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        read[side] = b.read[side] ? b.read[side] : ROAST_ABSENT;
        if (!code && known)
            code = tell_branches(&b, side, err);
    }
    intern_release(&b.names);
    free(b.sides);
    return code;
}

/* ---- Counts ----------------------------------------------------------------------------------------------------- */

static void widen(compared_count *count, compare_side side, int64_t value, bool first)
{
    int64_t *least = &count->sides[side].least, *most = &count->sides[side].most;
    if (first || value < *least) /* absent is smaller than any */
        *least = value;
    if (first || value > *most)
        *most = value;
}

static void add_count(comparison *out, compared_count count)
{
    if (count.sides[SIDE_A].least == ROAST_ABSENT || count.sides[SIDE_B].least == ROAST_ABSENT)
        return;
    int64_t value = count.sides[SIDE_A].least;
    count.equal =
        count.sides[SIDE_A].most == value && count.sides[SIDE_B].least == value && count.sides[SIDE_B].most == value;
    out->counts[out->n_counts++] = count;
}

static int64_t int_metric(const roast_summary *summary, metric_id metric)
{
    roast_value value = summary_value(summary, metric);
    return value.kind == ROAST_INT ? value.as.integer : ROAST_ABSENT;
}

static void count_metrics(compare_work *w)
{
    static const struct {
        const char *id, *what;
        metric_id metric;
    } counted[] = {
        {"events", "events", M_run_total_events},
        {"chunks", "chunks that succeeded", M_run_num_successful_chunks},
        {"failed", "attempts that failed", M_run_num_failed_chunks},
        {"files", "files", M_run_num_files},
        {"bytes", "data read", M_run_total_bytes_read},
        {"workers_lost", "workers lost", M_run_workers_lost},
    };
    for (size_t c = 0; c < sizeof counted / sizeof counted[0]; c++) {
        compared_count count = {counted[c].id, counted[c].what, metric_info(counted[c].metric)->unit, {{0}}, false};
        for (compare_side side = SIDE_A; side < SIDES; side++)
            for (size_t i = 0; i < w->n_inputs[side]; i++)
                widen(&count, side, int_metric(w->inputs[side][i].summary, counted[c].metric), i == 0);
        add_count(w->out, count);
    }
}

static void count_requests(compare_work *w)
{
    compared_count count = {"requests", "read requests", "count", {{0}}, false};
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++) {
            int64_t requests = w->read_requests[side][i];
            widen(&count, side, requests ? requests : ROAST_ABSENT, i == 0);
        }
    add_count(w->out, count);
}

roast_code compare_list_counts(compare_work *w, roast_error *err)
{
    enum { MOST_COUNTS = 16 };
    w->out->counts = arena_alloc(&w->out->memory, MOST_COUNTS, sizeof *w->out->counts);
    if (!w->out->counts)
        return fail_memory(err);
    count_metrics(w);
    count_requests(w);
    int64_t read[SIDES];
    roast_code code = compare_branches(w, read, err);
    compared_count branches = {"branches", "branches read", "count", {{0}}, false};
    for (compare_side side = SIDE_A; side < SIDES; side++)
        widen(&branches, side, read[side], true);
    if (!code)
        add_count(w->out, branches);
    if (!code && (w->out->branches_only[SIDE_A].count || w->out->branches_only[SIDE_B].count))
        w->out->counts[w->out->n_counts - 1].equal = false; /* as many, but others */
    return code;
}
