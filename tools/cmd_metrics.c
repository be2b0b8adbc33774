/* roast metrics: the catalogue. */
#include "command.h"
#include "console.h"
#include "view/catalogue.h"
#include "view/json.h"
#include "view/markdown.h"

enum { MARKDOWN, JSON, WIDTH, COLOR };
const option METRICS_OPTIONS[] = {
    [MARKDOWN] = {"markdown", NULL, "print the whole catalogue as docs/metrics.md", NULL, 0},
    [JSON] = {"json", NULL, "print the whole catalogue as JSON", NULL, 0},
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

static int print_tables(const invocation *call)
{
    terminal_options options;
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    table_set set;
    roast_error err = {0};
    buf out = {0};
    if (catalogue_tables(&set, call->operands, call->n_operands, &err)) {
        status = complain_of(&err);
    } else if (set.count == 0) {
        status = complain("no metric has \"%s\" in its name; all of them: roast metrics", call->operands[0]);
    } else {
        terminal_tables(&out, &set, &options);
        status = console_print(&out);
    }
    tables_release(&set);
    return status;
}

int cmd_metrics(const invocation *call)
{
    if (!call->values[MARKDOWN] && !call->values[JSON])
        return print_tables(call);
    if (call->values[MARKDOWN] && call->values[JSON])
        return complain("--markdown and --json: one of them, please");
    if (call->n_operands)
        return complain("--markdown and --json print the whole catalogue; leave out \"%s\"", call->operands[0]);
    buf out = {0};
    if (call->values[MARKDOWN])
        markdown_catalogue(&out);
    else
        json_catalogue(&out);
    return console_print(&out);
}
