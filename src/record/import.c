/* Turning what other programs left behind into a run file. A target is either complete or not there: what failed on
 * the way is removed, and an existing file is replaced only by a complete one. */
#include <errno.h>
#include <fcntl.h>
#include <roast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"
#include "record/load.h"
#include "record/recorder.h"

static roast_code find_source(const char *path, const run_source **found, roast_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
    *found = run_source_of(path, true);
    if (*found)
        return ROAST_OK;
    if (!S_ISDIR(status.st_mode))
        return fail(err, ROAST_FORMAT, "%s: not a folder; import takes the folder of a measurement", path);
    return fail(err, ROAST_FORMAT, "%s: not a measurement of roastcoffea 0.1.x: no metrics.json is in it", path);
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

static roast_code write_run(const run_source *source, const char *from, const char *path,
                            const roast_recorder_options *options, roast_error *err)
{
    roast_recorder *recorder;
    roast_code code = roast_recorder_open(&recorder, path, options, err);
    if (code)
        return code;
    record_sink sink = recorder_sink(recorder);
    code = source->read(from, &sink, err);
    if (!code && options->name) /* the user's name for it rather than the folder's */
        code = sink.fact(recorder, "name", str_from(options->name), err);
    roast_code closed = roast_recorder_close(recorder, code ? ROAST_INTERRUPTED : ROAST_FINISHED, code ? NULL : err);
    if (!code)
        code = closed;
    if (code)
        remove_unfinished(path);
    return code;
}

static roast_code fail_exists(const char *target, roast_error *err)
{
    return fail(err, ROAST_USAGE, "%s: exists already; choose another name, or replace it with --force", target);
}

/* Puts the finished file in its place; unless asked to, never over another one, even if that came in the meantime. */
static roast_code put_in_place(const char *complete, const char *target, bool overwrite, roast_error *err)
{
    int failed = renameat2(AT_FDCWD, complete, AT_FDCWD, target, overwrite ? 0 : RENAME_NOREPLACE);
    if (failed && (errno == EINVAL || errno == ENOSYS)) { /* a file system that cannot promise it */
        if (!overwrite && access(target, F_OK) == 0)
            errno = EEXIST;
        else
            failed = rename(complete, target);
    }
    if (!failed)
        return ROAST_OK;
    roast_code code = errno == EEXIST ? fail_exists(target, err)
                                      : fail(err, ROAST_IO, "%s: cannot be written: %s", target, strerror(errno));
    unlink(complete);
    return code;
}

/* Messages name the file that was asked for, not the one that it was to become. */
static void rename_in_message(roast_error *err, const char *beside, const char *target)
{
    size_t length = strlen(beside);
    if (strncmp(err->message, beside, length) != 0)
        return;
    roast_error as_said = *err;
    fail(err, as_said.code, "%s%s", target, as_said.message + length);
}

roast_code roast_import(const char *source, const char *target, const roast_recorder_options *given, roast_error *err)
{
    roast_recorder_options options = {.size = sizeof options};
    SIZED_OPTIONS(&options, given, overwrite);
    roast_error unused;
    err = err ? err : &unused;
    const run_source *kind = NULL;
    roast_code code = find_source(source, &kind, err);
    if (!code && !options.overwrite && access(target, F_OK) == 0)
        code = fail_exists(target, err);
    if (!code && options.overwrite)
        code = run_check_replaceable(target, err);
    char *beside = NULL; /* the target, so that renaming it is one step */
    if (!code && asprintf(&beside, "%s.%ld.part", target, (long)getpid()) < 0)
        return fail_memory(err);
    if (!code)
        code = write_run(kind, source, beside, &options, err);
    if (!code)
        code = put_in_place(beside, target, options.overwrite, err);
    if (code && beside)
        rename_in_message(err, beside, target);
    free(beside);
    return code;
}
