/* roast scale: throughput against cores, over runs. */
#include <math.h>

#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "picture.h"
#include "runs.h"
#include "view/chart_runs.h"
#include "view/markdown.h"
#include "view/scaling_view.h"

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

static int print_tables(const scaling *s, const invocation *call, const terminal_options *options)
{
    table_set set;
    roast_error err = {0};
    buf out = {0}, markdown = {0};
    roast_code code = scaling_tables(&set, s, &err);
    if (!code && call->values[MARKDOWN]) {
        markdown_tables(&markdown, &set);
        code = output_buffer(call->values[MARKDOWN], &markdown, &err);
    }
    if (!code)
        terminal_tables(&out, &set, options);
    tables_release(&set);
    return code ? complain_of(&err) : console_print(&out);
}

static roast_code draw(const scaling *s, const picture *p, const char *path, roast_error *err)
{
    chart_set charts;
    roast_code code = scaling_charts(&charts, s, err);
    if (!code)
        code = picture_write(&charts.charts[0], p, path, err);
    charts_release(&charts);
    return code;
}

static int print_scaling(const scaling *s, const invocation *call, const picture *p, const terminal_options *options)
{
    roast_error err = {0};
    if (call->values[OUTPUT] && draw(s, p, call->values[OUTPUT], &err) != ROAST_OK)
        return complain_of(&err);
    if (!call->values[JSON])
        return print_tables(s, call, options);
    buf out = {0};
    scaling_json(&out, s);
    return console_print(&out);
}

int cmd_scale(const invocation *call)
{
    terminal_options options;
    scaling_costs costs = {(double)NAN, (double)NAN};
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    picture as = {0};
    status = picture_choose(&as, call->values[OUTPUT], NULL);
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
    compare_input *inputs;
    scaling *s = NULL;
    roast_error err = {0};
    roast_code code = run_arguments_open(&inputs, call->operands, call->n_operands, call->values[SALVAGE], &err);
    if (!code)
        code = scaling_of_runs(&s, inputs, call->n_operands, &costs, &err);
    run_arguments_close(inputs, call->n_operands);
    status = code ? complain_of(&err) : print_scaling(s, call, &as, &options);
    scaling_free(s);
    return status;
}
