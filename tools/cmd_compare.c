/* roast compare: what changed between two runs, or two groups of runs. */
#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "picture.h"
#include "runs.h"
#include "view/chart_runs.h"
#include "view/comparison.h"
#include "view/html_tables.h"
#include "view/markdown.h"

enum { ALL, JSON, OUTPUT, HTML, MARKDOWN, SALVAGE, WIDTH, COLOR };
const option COMPARE_OPTIONS[] = {
    [ALL] = {"all", NULL, "every part of the difference; otherwise the largest eight", NULL, 'a'},
    [JSON] = OPTION_JSON,
    [OUTPUT] = {"output", "FILE", "draw where the difference came from, by phase (.svg, .png or .json) too", NULL, 'o'},
    [HTML] = {"html", "FILE", "write tables and charts as one HTML page too; - is standard output", NULL, 0},
    [MARKDOWN] = OPTION_MARKDOWN,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { PARTS_SHOWN = 8 };

static roast_code draw(const chart_set *charts, const invocation *call, const picture *p, roast_error *err)
{
    if (!call->values[OUTPUT])
        return ROAST_OK;
    if (!charts->count)
        return fail(err, ROAST_USAGE, "%s: not drawn: the runs do not say where their time went", call->values[OUTPUT]);
    return picture_write(&charts->charts[0], p, call->values[OUTPUT], err);
}

static int print_tables(const comparison *c, const chart_set *charts, const invocation *call,
                        const terminal_options *options)
{
    table_set set;
    roast_error err = {0};
    buf out = {0}, markdown = {0}, html = {0};
    roast_code code = comparison_tables(&set, c, call->values[ALL] ? 0 : PARTS_SHOWN, &err);
    if (!code && call->values[MARKDOWN]) {
        markdown_tables(&markdown, &set);
        code = output_buffer(call->values[MARKDOWN], &markdown, &err);
    }
    if (!code && call->values[HTML]) {
        html_tables(&html, &set, charts, STR("What changed"));
        code = output_buffer(call->values[HTML], &html, &err);
    }
    if (!code)
        terminal_tables(&out, &set, options);
    tables_release(&set);
    return code ? complain_of(&err) : console_print(&out);
}

static int print_comparison(const comparison *c, const invocation *call, const picture *p,
                            const terminal_options *options)
{
    roast_error err = {0};
    chart_set charts = {0};
    buf out = {0};
    int status = EXIT_FINE;
    roast_code code = comparison_charts(&charts, c, &err);
    if (!code)
        code = draw(&charts, call, p, &err);
    if (!code && call->values[JSON])
        comparison_json(&out, c);
    if (!code)
        status = call->values[JSON] ? console_print(&out) : print_tables(c, &charts, call, options);
    charts_release(&charts);
    return code ? complain_of(&err) : status;
}

int cmd_compare(const invocation *call)
{
    terminal_options options;
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    picture as = {0};
    status = picture_choose(&as, call->values[OUTPUT], NULL);
    if (status != EXIT_FINE)
        return status;
    size_t n_a = call->n_first, n_b = call->n_operands - call->n_first;
    if (n_b == 0 && n_a == 2)
        n_a = n_b = 1;
    if (n_a == 0 || n_b == 0)
        return complain("say which runs to compare with which: roast compare A... -- B...");
    compare_input *inputs;
    comparison *c = NULL;
    roast_error err = {0};
    roast_code code = run_arguments_open(&inputs, call->operands, n_a + n_b, call->values[SALVAGE], &err);
    if (!code)
        code = compare_runs(&c, inputs, n_a, inputs + n_a, n_b, NULL, &err);
    run_arguments_close(inputs, n_a + n_b);
    status = code ? complain_of(&err) : print_comparison(c, call, &as, &options);
    comparison_free(c);
    return status;
}
