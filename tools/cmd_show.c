/* roast show: tables of one run. */
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "runs.h"
#include "view/json.h"
#include "view/table.h"
#include "view/terminal.h"

enum { ONLY, ALL, JSON, SALVAGE, WIDTH, COLOR };
const option SHOW_OPTIONS[] = {
    [ONLY] =
        {"only", "TABLES",
         "only these tables, separated by commas: findings, ledger, throughput, events, timing, resources, chunks, "
         "fine, tasks, datasets, sections, files, reading, branches, workers, ledger_datasets, ledger_workers, "
         "failures, notes",
         "findings ledger throughput events timing resources chunks fine tasks datasets sections files reading "
         "branches "
         "workers ledger_datasets ledger_workers failures notes",
         0},
    [ALL] = {"all", NULL, "every row of the tables that are otherwise cut after ten", NULL, 'a'},
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { ROWS_SHOWN = 10 };

static bool was_cut(const table_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->tables[i].n_rows >= ROWS_SHOWN && !str_absent(set->tables[i].more))
            return true;
    return false;
}

static int print_tables(const roast_summary *summary, const invocation *call, const terminal_options *options)
{
    table_set set;
    roast_error err = {0};
    buf out = {0};
    int status = EXIT_FINE;
    if (tables_build(&set, summary, call->values[ONLY], call->values[ALL] ? 0 : ROWS_SHOWN, &err)) {
        status = complain_of(&err);
    } else {
        terminal_tables(&out, &set, options);
        if (was_cut(&set))
            buf_text(&out, "\nEvery row: --all\n");
        status = console_print(&out);
    }
    tables_release(&set);
    return status;
}

int cmd_show(const invocation *call)
{
    terminal_options options;
    int status = console_options(&options, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    if (call->values[JSON] && (call->values[ONLY] || call->values[ALL]))
        return complain("--json is always the whole run; leave out %s", call->values[ONLY] ? "--only" : "--all");
    roast_summary *summary;
    roast_error err = {0};
    if (run_argument_summarize(&summary, NULL, call->operands[0], call->values[SALVAGE], &err))
        return complain_of(&err);
    if (call->values[JSON]) {
        buf out = {0};
        json_summary(&out, summary);
        status = console_print(&out);
    } else {
        status = print_tables(summary, call, &options);
    }
    roast_summary_free(summary);
    return status;
}
