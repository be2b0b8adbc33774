/* Turning what other programs left behind into a run file. A target is either complete or not there: what failed on
 * the way is removed, and an existing file is replaced only by a complete one. */
#include <errno.h>
#include <roast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "record/writer_sink.h"
#include "source/legacy/legacy.h"

static roast_code check_source(const char *source, roast_error *err)
{
    struct stat status;
    if (stat(source, &status) != 0)
        return fail(err, ROAST_IO, "%s: %s", source, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return fail(err, ROAST_FORMAT, "%s: not a folder; import takes the folder of a measurement", source);
    if (!legacy_is_measurement(source))
        return fail(err, ROAST_FORMAT, "%s: not a measurement of roastcoffea 0.1.x: no metrics.json is in it", source);
    return ROAST_OK;
}

static void remove_unfinished(const char *path)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal", ""};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
            return;
        unlink(name);
        free(name);
    }
}

static roast_code write_run(const char *source, const char *path, const roast_recorder_options *options,
                            roast_error *err)
{
    run_writer *writer;
    roast_code code = run_writer_open(&writer, path, options, err);
    if (code)
        return code;
    record_sink sink = writer_sink(writer);
    code = legacy_read(source, &sink, err);
    if (!code && options && options->name) /* the user's name for it rather than the folder's */
        code = run_write_fact(writer, "name", str_from(options->name), err);
    roast_code closed = run_writer_close(writer, code ? ROAST_INTERRUPTED : ROAST_FINISHED, code ? NULL : err);
    if (!code)
        code = closed;
    if (code)
        remove_unfinished(path);
    return code;
}

/* Beside the target, so that renaming it is one step. */
static roast_code replace_run(const char *source, const char *target, const roast_recorder_options *options,
                              roast_error *err)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.%ld.new", target, (long)getpid()) < 0)
        return fail_memory(err);
    roast_code code = write_run(source, beside, options, err);
    if (!code && rename(beside, target) != 0) {
        code = fail(err, ROAST_IO, "%s: %s", target, strerror(errno));
        remove_unfinished(beside);
    }
    free(beside);
    return code;
}

roast_code roast_import(const char *source, const char *target, const roast_recorder_options *options, roast_error *err)
{
    roast_code code = check_source(source, err);
    if (code)
        return code;
    return options && options->overwrite ? replace_run(source, target, options, err)
                                         : write_run(source, target, options, err);
}
