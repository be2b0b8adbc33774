/* roast report: one HTML page of a run. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "busy.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "runs.h"

enum { OUTPUT, SALVAGE };
const option REPORT_OPTIONS[] = {
    [OUTPUT] = {"output", "FILE", "file to write; - is standard output", NULL, 'o'},
    [SALVAGE] = OPTION_SALVAGE,
    {.name = NULL},
};

/* benchmarks/a.roast → benchmarks/a.html; of a measurement directory or the latest run: report.html here. */
static void default_path(buf *out, const char *run)
{
    roast_str path = str_from(run), ending = STR(".roast");
    if (!str_ends_with(path, ending)) {
        buf_text(out, "report.html");
        return;
    }
    buf_str(out, (roast_str){path.ptr, path.len - ending.len});
    buf_text(out, ".html");
}

static roast_code write_page(const char *path, roast_run *run, const roast_summary *summary, roast_error *err)
{
    buf page = {0};
    return output_text(path, roast_run_report(&page, run, summary, err), &page, err);
}

static int write_report(const invocation *call, const char *path)
{
    const char *argument = call->operands[0];
    roast_error err = {0};
    roast_run *run = NULL;
    roast_summary *summary = NULL;
    roast_code code = run_argument_summarize(&summary, &run, argument, call->values[SALVAGE], &err);
    if (!code) {
        busy_begin("writing", path);
        code = write_page(path, run, summary, &err);
        busy_end();
    }
    roast_summary_free(summary);
    roast_run_close(run);
    if (!code && strcmp(path, "-") != 0)
        printf("%s\n", path);
    return code ? complain_of(&err) : EXIT_FINE;
}

int cmd_report(const invocation *call)
{
    buf path = {0};
    if (call->values[OUTPUT])
        buf_text(&path, call->values[OUTPUT]);
    else
        default_path(&path, call->operands[0]);
    int status = path.code ? complain("%s", roast_code_text(path.code)) : write_report(call, path.data);
    buf_release(&path);
    return status;
}
