/* The argument RUN, opened and summarised. */
#include "runs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "busy.h"
#include "cache.h"
#include "output.h"

roast_code run_argument_open(roast_run **out, const char *argument, bool salvage, roast_error *err)
{
    *out = NULL;
    roast_open_options options = {.size = sizeof options, .salvage = salvage, .scratch_dir = getenv("TMPDIR")};
    buf path = {0};
    roast_code code = run_argument_path(&path, argument, err);
    if (!code) {
        output_protect(path.data);
        code = roast_run_load(out, path.data, &options, err);
    }
    buf_release(&path);
    return code;
}

roast_code run_argument_summarize(roast_summary **out, roast_run **run, const char *argument, bool salvage,
                                  roast_error *err)
{
    *out = NULL;
    roast_run *opened;
    busy_begin("reading", argument);
    roast_code code = run_argument_open(&opened, argument, salvage, err);
    if (!code)
        code = roast_summarize(out, opened, err);
    busy_end();
    if (code || !run) {
        roast_run_close(opened);
        opened = NULL;
    }
    if (run)
        *run = opened;
    return code;
}

roast_code run_arguments_open(roast_subject **out, const char *const *arguments, size_t count, bool salvage,
                              roast_error *err)
{
    *out = calloc(count + 1, sizeof **out);
    roast_code code = *out ? ROAST_OK : fail_memory(err);
    for (size_t i = 0; i < count && !code; i++) {
        roast_summary *summary;
        (*out)[i].label = arguments[i];
        code = run_argument_summarize(&summary, &(*out)[i].run, arguments[i], salvage, err);
        (*out)[i].summary = summary;
    }
    if (code) {
        run_arguments_close(*out, count);
        *out = NULL;
    }
    return code;
}

const char *run_argument_repeated(const char *const *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t before = 0; before < i; before++) {
            struct stat a, b;
            if (strcmp(arguments[i], arguments[before]) == 0 ||
                (stat(arguments[i], &a) == 0 && stat(arguments[before], &b) == 0 && a.st_dev == b.st_dev &&
                 a.st_ino == b.st_ino))
                return arguments[i];
        }
    return NULL;
}

void run_arguments_close(roast_subject *inputs, size_t count)
{
    for (size_t i = 0; inputs && i < count; i++) {
        roast_summary_free(inputs[i].summary);
        roast_run_close(inputs[i].run);
    }
    free(inputs);
}
