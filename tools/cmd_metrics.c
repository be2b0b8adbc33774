/* roast metrics: the catalogue. */
#include "command.h"
#include "console.h"

enum { MARKDOWN, JSON, WIDTH, COLOR };
const option METRICS_OPTIONS[] = {
    [MARKDOWN] = {"markdown", NULL, "print the whole catalogue as docs/metrics.md", NULL, 0},
    [JSON] = {"json", NULL, "print the whole catalogue as JSON", NULL, 0},
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

int cmd_metrics(const invocation *call)
{
    roast_look look;
    bool whole = call->values[MARKDOWN] || call->values[JSON];
    if (call->values[MARKDOWN] && call->values[JSON])
        return complain("--markdown and --json: one of them, please");
    if (whole && call->n_operands)
        return complain("--markdown and --json print the whole catalogue; leave out \"%s\"", call->operands[0]);
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    buf out = {0};
    roast_error err = {0};
    roast_form form = call->values[MARKDOWN] ? ROAST_MARKDOWN : call->values[JSON] ? ROAST_JSON : ROAST_TERMINAL;
    roast_code code = roast_catalogue_render(&out, call->operands, call->n_operands, form, &look, &err);
    return console_show(code, &out, &err);
}
