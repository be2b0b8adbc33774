/* roast explain: what held a run back, with evidence, and what would be if something were different. */
#include "base/str.h"
#include "busy.h"
#include "command.h"
#include "console.h"
#include "runs.h"
#include "view/findings.h"
#include "view/terminal.h"

enum { WHAT_IF, JSON, SALVAGE, WIDTH, COLOR };
const option EXPLAIN_OPTIONS[] = {
    [WHAT_IF] = {"what-if", NULL, "also say what it would have taken with other chunks, workers, storage", NULL, 'w'},
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

static int print_json(const roast_summary *summary, const explanation *e)
{
    buf out = {0};
    findings_document(&out, summary, e);
    return console_print(&out);
}

static int print_page(const roast_summary *summary, const explanation *e, const terminal_options *options)
{
    table_set set;
    roast_error err = {0};
    buf out = {0};
    int status;
    if (findings_tables(&set, summary, e, true, &err)) {
        status = complain_of(&err);
    } else {
        terminal_tables(&out, &set, options);
        status = console_print(&out);
    }
    tables_release(&set);
    return status;
}

int cmd_explain(const invocation *call)
{
    terminal_options options;
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    roast_summary *summary;
    roast_run *run;
    roast_error err = {0};
    if (run_argument_summarize(&summary, &run, call->operands[0], call->values[SALVAGE], &err))
        return complain_of(&err);
    explanation own = {0}, *e = summary->explanation;
    bool complete = e && !call->values[WHAT_IF] && !(e->n_gaps && e->gaps[0] == GAP_SIZE);
    roast_code code = ROAST_OK;
    if (!complete) {
        e = &own;
        busy_begin("explaining", call->operands[0]);
        code = explain_run(e, run, summary, call->values[WHAT_IF], &err);
        busy_end();
    }
    if (code)
        status = complain_of(&err);
    else
        status = call->values[JSON] ? print_json(summary, e) : print_page(summary, e, &options);
    explanation_release(&own);
    roast_summary_free(summary);
    roast_run_close(run);
    return status;
}
