/* What was found, in the form that somebody wants it in: the one place that knows every table, chart and renderer. */
#include <stdlib.h>

#include "analysis/explain.h"
#include "analysis/gate.h"
#include "analysis/scaling.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"
#include "source/root/many.h"
#include "source/root/survey.h"
#include "view/card.h"
#include "view/catalogue.h"
#include "view/chart_runs.h"
#include "view/comparison.h"
#include "view/csv.h"
#include "view/findings.h"
#include "view/gate_view.h"
#include "view/html_tables.h"
#include "view/inspect.h"
#include "view/json.h"
#include "view/markdown.h"
#include "view/missing.h"
#include "view/notebook.h"
#include "view/openmetrics.h"
#include "view/run_list.h"
#include "view/scaling_view.h"
#include "view/screen.h"
#include "view/terminal.h"

static roast_look look_of(const roast_look *given)
{
    roast_look look = {.size = sizeof look, .columns = 80, .scale = 2};
    SIZED_OPTIONS(&look, given, legend_entries);
    look.columns = look.columns ? look.columns : 80;
    look.scale = look.scale > 0 ? look.scale : 2;
    return look;
}

static bool is_picture(roast_form form)
{
    return form == ROAST_SVG || form == ROAST_PNG || form == ROAST_CHART;
}

static roast_code finish(const buf *out, roast_error *err)
{
    return out->code ? fail(err, out->code, "%s", roast_code_text(out->code)) : ROAST_OK;
}

static bool was_cut(const table_set *set, size_t limit)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->tables[i].n_rows >= limit && !str_absent(set->tables[i].more))
            return true;
    return false;
}

/* Tables, as far as code says that there are any, and releases them. */
static roast_code put_tables(buf *out, roast_code code, table_set *set, const chart_set *charts, roast_str title,
                             roast_form form, const roast_look *given, roast_error *err)
{
    roast_look look = look_of(given);
    terminal_options terminal = {
        .width = look.columns, .colour = look.colour, .utf8 = !look.ascii, .many = look.colours >= 256};
    if (!code && (form == ROAST_TERMINAL || form == ROAST_SCREEN)) {
        terminal_tables(out, set, &terminal);
        if (look.cut && look.limit && was_cut(set, look.limit))
            buf_format(out, "\n%s\n", look.cut);
    } else if (!code && form == ROAST_MARKDOWN) {
        markdown_tables(out, set);
    } else if (!code && form == ROAST_HTML) {
        html_tables(out, set, charts, title);
    } else if (!code && form == ROAST_FRAGMENT) {
        notebook_tables(out, set);
    } else if (!code) {
        code = fail(err, ROAST_USAGE, "this cannot be shown in such a form");
    }
    tables_release(set);
    return code ? code : finish(out, err);
}

/* ---- A run ---------------------------------------------------------------------------------------------------- */

static roast_code put_csv(buf *out, const roast_summary *summary, const char *scope, roast_error *err)
{
    static const struct {
        const char *name;
        roast_scope scope;
    } tables[] = {
        {"run", ROAST_SCOPE_RUN},
        {"datasets", ROAST_SCOPE_DATASET},
        {"sections", ROAST_SCOPE_SECTION},
        {"files", ROAST_SCOPE_FILE},
        {"branches", ROAST_SCOPE_BRANCH},
        {"storage", ROAST_SCOPE_STORAGE},
        {"workers", ROAST_SCOPE_WORKER},
        {"errors", ROAST_SCOPE_ERROR},
        {"failures", ROAST_SCOPE_FAILURE},
        {"missing", ROAST_SCOPE_MISSING},
        {"activities", ROAST_SCOPE_ACTIVITY},
        {"ledger", ROAST_SCOPE_LEDGER},
        {"ledger_datasets", ROAST_SCOPE_DATASET_LEDGER},
        {"ledger_workers", ROAST_SCOPE_WORKER_LEDGER},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!scope || strcmp(scope, tables[i].name) == 0) {
            csv_scope(out, summary, tables[i].scope);
            return finish(out, err);
        }
    return fail(err, ROAST_USAGE, "there is no table \"%s\" of CSV", scope);
}

roast_code roast_summary_render(roast_text *out, const roast_summary *summary, roast_form form, const roast_look *given,
                                roast_error *err)
{
    roast_look look = look_of(given);
    if (form == ROAST_CSV)
        return put_csv(out, summary, look.only, err);
    if (form == ROAST_FRAGMENT) {
        roast_code code = card_put(out, summary, err);
        return code ? code : finish(out, err);
    }
    if (form == ROAST_JSON && look.only && strcmp(look.only, "missing") == 0)
        missing_document(out, summary);
    else if (form == ROAST_JSON)
        json_summary(out, summary);
    else if (form == ROAST_OPENMETRICS)
        openmetrics_summary(out, summary);
    else {
        table_set set;
        roast_code code = form == ROAST_SCREEN ? screen_build(&set, summary, err)
                                               : tables_build(&set, summary, look.only, look.limit, err);
        return put_tables(out, code, &set, NULL, summary->run_name, form, given, err);
    }
    return finish(out, err);
}

roast_code roast_explanation_render(roast_text *out, const roast_explanation *e, const roast_summary *summary,
                                    roast_form form, const roast_look *look, roast_error *err)
{
    if (form == ROAST_JSON) {
        findings_document(out, summary, e);
        return finish(out, err);
    }
    table_set set;
    roast_code code = findings_tables(&set, summary, e, form == ROAST_TERMINAL, err);
    return put_tables(out, code, &set, NULL, summary->run_name, form, look, err);
}

roast_code roast_catalogue_render(roast_text *out, const char *const *words, size_t n_words, roast_form form,
                                  const roast_look *look, roast_error *err)
{
    table_set set;
    if (form == ROAST_JSON && !n_words) {
        json_catalogue(out);
        return finish(out, err);
    }
    if (form == ROAST_MARKDOWN && !n_words) {
        markdown_catalogue(out);
        return finish(out, err);
    }
    roast_code code = catalogue_tables(&set, words, n_words, err);
    return put_tables(out, code, &set, NULL, STR("Metrics"), form, look, err);
}

/* ---- Charts --------------------------------------------------------------------------------------------------- */

static roast_code put_chart(buf *out, const chart *c, roast_form form, const roast_look *given, roast_error *err)
{
    roast_look look = look_of(given);
    svg_options size = {.width = look.width, .height = look.height};
    if (form == ROAST_CHART) {
        chart_json(out, c, false);
    } else if (form == ROAST_SVG) {
        chart_svg(out, c, &size);
    } else if (form == ROAST_PNG) {
        buf svg = {0};
        chart_svg(&svg, c, &size);
        roast_code code = svg.code ? fail_memory(err) : png_from_svg(out, buf_view(&svg), look.scale, err);
        buf_release(&svg);
        return code ? code : finish(out, err);
    } else {
        return fail(err, ROAST_USAGE, "a chart is SVG, PNG or JSON");
    }
    return finish(out, err);
}

/* The first of some charts. */
static roast_code put_first(buf *out, roast_code code, const chart_set *charts, roast_form form, const roast_look *look,
                            roast_error *err)
{
    if (!code && !charts->count)
        code = fail(err, ROAST_USAGE, "not drawn: the runs do not say where their time went");
    return code ? code : put_chart(out, &charts->charts[0], form, look, err);
}

roast_code roast_charts_build(roast_charts **out, roast_run *run, const roast_summary *summary, const char *only,
                              const roast_look *given, roast_error *err)
{
    roast_look look = look_of(given);
    chart_options options = {.time = look.clock ? CHART_CLOCK : CHART_ELAPSED,
                             .utc_offset_s = look.utc_offset_s,
                             .zone = look.zone,
                             .bins = look.bins,
                             .legend_entries = look.legend_entries};
    *out = calloc(1, sizeof **out);
    roast_code code = *out ? charts_build(*out, run, summary, only, &options, err) : fail_memory(err);
    if (code) {
        free(*out);
        *out = NULL;
    }
    return code;
}

void roast_charts_free(roast_charts *charts)
{
    if (charts)
        charts_release(charts);
    free(charts);
}

size_t roast_charts_count(const roast_charts *charts)
{
    return charts->count;
}

const char *roast_charts_id(const roast_charts *charts, size_t index)
{
    return index < charts->count ? charts->charts[index].id : NULL;
}

roast_code roast_charts_render(roast_text *out, const roast_charts *charts, size_t index, roast_form form,
                               const roast_look *look, roast_error *err)
{
    if (index >= charts->count)
        return fail(err, ROAST_MISSING, "there is no chart %zu of %zu", index, charts->count);
    return put_chart(out, &charts->charts[index], form, look, err);
}

/* ---- Several runs --------------------------------------------------------------------------------------------- */

roast_code roast_comparison_render(roast_text *out, const roast_comparison *c, roast_form form, const roast_look *look,
                                   roast_error *err)
{
    if (form == ROAST_JSON) {
        comparison_json(out, c);
        return finish(out, err);
    }
    table_set set;
    chart_set charts = {0};
    roast_code code = form == ROAST_HTML || is_picture(form) ? comparison_charts(&charts, c, err) : ROAST_OK;
    if (is_picture(form)) {
        code = put_first(out, code, &charts, form, look, err);
    } else if (!code) {
        code = comparison_tables(&set, c, look_of(look).limit, err);
        code = put_tables(out, code, &set, &charts, STR("What changed"), form, look, err);
    }
    charts_release(&charts);
    return code;
}

roast_code roast_gate_render(roast_text *out, const roast_gate *gate, roast_form form, const roast_look *look,
                             roast_error *err)
{
    if (form == ROAST_JSON) {
        gate_json(out, gate);
        return finish(out, err);
    }
    table_set set;
    roast_code code = gate_tables(&set, gate, err);
    return put_tables(out, code, &set, NULL, STR("Gate"), form, look, err);
}

roast_code roast_scaling_render(roast_text *out, const roast_scaling *s, roast_form form, const roast_look *look,
                                roast_error *err)
{
    if (form == ROAST_JSON) {
        scaling_json(out, s);
        return finish(out, err);
    }
    if (is_picture(form)) {
        chart_set charts;
        roast_code code = put_first(out, scaling_charts(&charts, s, err), &charts, form, look, err);
        charts_release(&charts);
        return code;
    }
    table_set set;
    roast_code code = scaling_tables(&set, s, err);
    return put_tables(out, code, &set, NULL, STR("Scaling"), form, look, err);
}

roast_code roast_list_render(roast_text *out, const roast_listed *runs, size_t count, const char *sort, bool reverse,
                             roast_form form, const roast_look *look, roast_error *err)
{
    const roast_listed **order;
    roast_code code = run_list_order(&order, runs, count, sort, reverse, err);
    if (code)
        return code;
    if (form == ROAST_JSON) {
        run_list_json(out, order, count);
        code = finish(out, err);
    } else {
        table_set set;
        code = run_list_tables(&set, order, count, err);
        code = put_tables(out, code, &set, NULL, STR("Runs"), form, look, err);
    }
    free(order);
    return code;
}

/* ---- ROOT files ----------------------------------------------------------------------------------------------- */

static roast_code take_file(void *context, const char *path, const root_file *file, const roast_error *why,
                            roast_error *err)
{
    return file ? survey_add(context, file, err) : survey_add_failure(context, path, why, err);
}

roast_code roast_inspect(roast_inspection **out, const char *const *paths, size_t count,
                         const roast_inspect_options *given, roast_error *err)
{
    roast_inspect_options options = {.size = sizeof options};
    SIZED_OPTIONS(&options, given, pick);
    root_paths found = {0};
    root_options reading = {.tree = options.tree, .timeout_ms = options.timeout_ms};
    *out = calloc(1, sizeof **out);
    roast_code code = *out ? ROAST_OK : fail_memory(err);
    for (size_t i = 0; i < count && !code; i++)
        code = root_paths_add(&found, paths[i], err);
    if (!code)
        code = root_read_many(&found, &reading, options.jobs, take_file, &(*out)->survey, err);
    if (!code)
        code = survey_finish(&(*out)->survey, options.chunk > 0 ? options.chunk : 100000, err);
    root_paths_release(&found);
    if (code) {
        roast_inspection_free(*out);
        *out = NULL;
    } else if (options.pick > 0) {
        survey_pick(&(*out)->survey, (*out)->pick = options.pick);
    }
    return code;
}

void roast_inspection_free(roast_inspection *inspection)
{
    if (inspection)
        survey_release(&inspection->survey);
    free(inspection);
}

roast_code roast_inspection_render(roast_text *out, const roast_inspection *inspection, bool branches,
                                   const char *pattern, roast_form form, const roast_look *look, roast_error *err)
{
    inspect_options options = {
        .branches = branches, .filter = pattern, .limit = look_of(look).limit, .pick = inspection->pick};
    if (form == ROAST_JSON) {
        inspect_json(out, &inspection->survey, &options);
        return finish(out, err);
    }
    table_set set;
    roast_code code = inspect_tables(&set, &inspection->survey, &options, err);
    return put_tables(out, code, &set, NULL, STR("ROOT files"), form, look, err);
}
