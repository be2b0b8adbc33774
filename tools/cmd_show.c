/* roast show: one run on one screen, or its tables. */
#include <string.h>

#include "command.h"
#include "console.h"
#include "runs.h"

enum { ALL, ONLY, NO_PAGER, JSON, SALVAGE, WIDTH, COLOR };
const option SHOW_OPTIONS[] = {
    [ALL] = {"all", NULL, "all tables that have something to say, with every row", NULL, 'a'},
    [ONLY] = {"only", "TABLES", "only these tables, of long ones ten rows unless --all is given; separated by commas:",
              NULL, 0, roast_table_id, .several = true},
    [NO_PAGER] = OPTION_NO_PAGER,
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { ROWS_SHOWN = 10 };

int cmd_show(const invocation *call)
{
    roast_look look;
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    bool missing = call->values[ONLY] && strcmp(call->values[ONLY], "missing") == 0;
    if (call->values[JSON] && !missing && (call->values[ONLY] || call->values[ALL]))
        return complain("--json is the whole run, or --only missing; leave out %s",
                        call->values[ONLY] ? "--only" : "--all");
    roast_summary *summary;
    roast_error err = {0};
    if (run_argument_summarize(&summary, NULL, call->operands[0], call->values[SALVAGE], &err))
        return complain_of(&err);
    look.only = call->values[ONLY];
    look.limit = call->values[ALL] ? 0 : ROWS_SHOWN;
    look.cut = "Every row: --all";
    bool tables = call->values[ONLY] || call->values[ALL];
    roast_form form = call->values[JSON] ? ROAST_JSON : tables ? ROAST_TERMINAL : ROAST_SCREEN;
    buf out = {0};
    roast_code code = roast_summary_render(&out, summary, form, &look, &err);
    status = console_page(code, &out, &err, call->values[JSON] || call->values[NO_PAGER]);
    roast_summary_free(summary);
    return status;
}
