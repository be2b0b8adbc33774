/* roast explain: what held a run back, with evidence, and what would be if something were different. */
#include "busy.h"
#include "command.h"
#include "console.h"
#include "runs.h"

enum { WHAT_IF, NO_PAGER, JSON, SALVAGE, WIDTH, COLOR };
const option EXPLAIN_OPTIONS[] = {
    [WHAT_IF] = {"what-if", NULL, "also say what it would have taken with other chunks, workers, storage", NULL, 'w'},
    [NO_PAGER] = OPTION_NO_PAGER,
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

int cmd_explain(const invocation *call)
{
    roast_look look;
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    roast_summary *summary;
    roast_run *run;
    roast_error err = {0};
    if (run_argument_summarize(&summary, &run, call->operands[0], call->values[SALVAGE], &err))
        return complain_of(&err);
    buf out = {0};
    roast_code code = ROAST_OK;
    roast_explanation *own = NULL;
    const roast_explanation *e = call->values[WHAT_IF] ? NULL : roast_summary_explanation(summary);
    if (!e) {
        busy_begin("explaining", call->operands[0]);
        code = roast_explain(&own, run, summary, call->values[WHAT_IF], &err);
        busy_end();
        e = own;
    }
    if (!code)
        code =
            roast_explanation_render(&out, e, summary, call->values[JSON] ? ROAST_JSON : ROAST_TERMINAL, &look, &err);
    status = console_page(code, &out, &err, call->values[JSON] || call->values[NO_PAGER]);
    roast_explanation_free(own);
    roast_summary_free(summary);
    roast_run_close(run);
    return status;
}
