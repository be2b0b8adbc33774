/* roast compare: what changed between two runs, or two groups of runs. */
#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "runs.h"
#include "view/comparison.h"
#include "view/html_tables.h"
#include "view/markdown.h"

enum { ALL, JSON, HTML, MARKDOWN, SALVAGE, WIDTH, COLOR };
const option COMPARE_OPTIONS[] = {
    [ALL] = {"all", NULL, "every part of the difference; otherwise the largest eight", NULL, 'a'},
    [JSON] = OPTION_JSON,
    [HTML] = {"html", "FILE", "write the tables as one HTML page too; - is standard output", NULL, 0},
    [MARKDOWN] = OPTION_MARKDOWN,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { PARTS_SHOWN = 8 };

static int print_tables(const comparison *c, const invocation *call, const terminal_options *options)
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
        html_tables(&html, &set, STR("What changed"));
        code = output_buffer(call->values[HTML], &html, &err);
    }
    if (!code)
        terminal_tables(&out, &set, options);
    tables_release(&set);
    return code ? complain_of(&err) : console_print(&out);
}

static int print_comparison(const comparison *c, const invocation *call, const terminal_options *options)
{
    if (!call->values[JSON])
        return print_tables(c, call, options);
    buf out = {0};
    comparison_json(&out, c);
    return console_print(&out);
}

int cmd_compare(const invocation *call)
{
    terminal_options options;
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
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
    status = code ? complain_of(&err) : print_comparison(c, call, &options);
    comparison_free(c);
    return status;
}
