/* roast scale: throughput against cores, over runs. */
#include <math.h>

#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "picture.h"
#include "runs.h"

enum { CORE_HOUR, HOUR, OUTPUT, MARKDOWN, JSON, SALVAGE, WIDTH, COLOR };
const option SCALE_OPTIONS[] = {
    [CORE_HOUR] = {"cost-per-core-hour", "COST", "what an hour of a core costs, in any currency", NULL, 0},
    [HOUR] = {"cost-per-hour", "COST", "what an hour of waiting for the result costs: then there is a cheapest choice",
              NULL, 0},
    [OUTPUT] = {"output", "FILE", "draw throughput against cores (.svg, .png or .json) too", NULL, 'o'},
    [MARKDOWN] = OPTION_MARKDOWN,
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

static bool read_cost(const char *text, double *cost)
{
    return !text || (str_to_real(str_from(text), cost) && *cost >= 0 && *cost <= 1e12);
}

static roast_code write_as(const char *path, const roast_scaling *s, roast_form form, const roast_look *look,
                           roast_error *err)
{
    buf text = {0};
    return path ? output_text(path, roast_scaling_render(&text, s, form, look, err), &text, err) : ROAST_OK;
}

static int print_scaling(const roast_scaling *s, const invocation *call, roast_form picture, const roast_look *look)
{
    roast_error err = {0};
    buf out = {0};
    bool json = call->values[JSON];
    roast_code code = write_as(call->values[OUTPUT], s, picture, look, &err);
    if (!code && !json)
        code = write_as(call->values[MARKDOWN], s, ROAST_MARKDOWN, look, &err);
    if (!code)
        code = roast_scaling_render(&out, s, json ? ROAST_JSON : ROAST_TERMINAL, look, &err);
    return console_show(code, &out, &err);
}

int cmd_scale(const invocation *call)
{
    roast_look look;
    roast_costs costs = {.size = sizeof costs, .core_hour = (double)NAN, .hour = (double)NAN};
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    roast_form picture;
    status = picture_choose(&picture, call->values[OUTPUT], NULL);
    if (status != EXIT_FINE)
        return status;
    if (!read_cost(call->values[CORE_HOUR], &costs.core_hour))
        return complain("--cost-per-core-hour %s: not a cost", call->values[CORE_HOUR]);
    if (!read_cost(call->values[HOUR], &costs.hour))
        return complain("--cost-per-hour %s: not a cost", call->values[HOUR]);
    if (call->values[HOUR] && !call->values[CORE_HOUR])
        return complain("--cost-per-hour is weighed against cores: give --cost-per-core-hour too");
    const char *repeated = run_argument_repeated(call->operands, call->n_operands);
    if (repeated)
        return complain("%s: is given twice; a run counts once", repeated);
    roast_subject *inputs;
    roast_scaling *s = NULL;
    roast_error err = {0};
    roast_code code = run_arguments_open(&inputs, call->operands, call->n_operands, call->values[SALVAGE], &err);
    if (!code)
        code = roast_scale(&s, inputs, call->n_operands, &costs, &err);
    run_arguments_close(inputs, call->n_operands);
    status = code ? complain_of(&err) : print_scaling(s, call, picture, &look);
    roast_scaling_free(s);
    return status;
}
