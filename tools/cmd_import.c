/* roast import: a measurement of roastcoffea 0.1.x as a run file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "command.h"
#include "console.h"

enum { OUTPUT, NAME, FORCE };
const option IMPORT_OPTIONS[] = {
    [OUTPUT] = {"output", "FILE", "run file to write", NULL, 'o'},
    [NAME] = {"name", "TEXT", "what to call the run (default: the name of the directory)", NULL, 'n'},
    [FORCE] = {"force", NULL, "replace the file if it exists", NULL, 'f'},
    {.name = NULL},
};

static roast_code fail_exists(const char *target, roast_error *err)
{
    return fail(err, ROAST_USAGE, "%s: exists already; choose another name, or replace it with --force", target);
}

/* Puts the finished file in its place; without force never over another one, even if that came in the meantime. */
static roast_code put_in_place(const char *temporary, const char *target, bool force, roast_error *err)
{
    int failed = renameat2(AT_FDCWD, temporary, AT_FDCWD, target, force ? 0 : RENAME_NOREPLACE);
    if (failed && (errno == EINVAL || errno == ENOSYS)) { /* a file system that cannot promise it */
        if (!force && access(target, F_OK) == 0)
            errno = EEXIST;
        else
            failed = rename(temporary, target);
    }
    if (!failed)
        return ROAST_OK;
    roast_code code = errno == EEXIST ? fail_exists(target, err)
                                      : fail(err, ROAST_IO, "%s: cannot be written: %s", target, strerror(errno));
    unlink(temporary);
    return code;
}

/* Messages name the file that was asked for, not the one that it was to become. */
static void rename_in_message(roast_error *err, const char *temporary, const char *target)
{
    size_t length = strlen(temporary);
    if (strncmp(err->message, temporary, length) != 0)
        return;
    roast_error as_said = *err;
    fail(err, as_said.code, "%s%s", target, as_said.message + length);
}

int cmd_import(const invocation *call)
{
    const char *target = call->values[OUTPUT];
    bool force = call->values[FORCE] != NULL;
    roast_error err = {0};
    if (!target)
        return complain("say where to write: -o FILE.roast");
    if (!force && access(target, F_OK) == 0) {
        fail_exists(target, &err);
        return complain_of(&err);
    }
    buf temporary = {0};
    buf_format(&temporary, "%s.%ld.part", target, (long)getpid());
    roast_recorder_options options = {.name = call->values[NAME]};
    roast_code code =
        temporary.code ? fail_memory(&err) : roast_import(call->operands[0], temporary.data, &options, &err);
    if (!code)
        code = put_in_place(temporary.data, target, force, &err);
    if (code && !temporary.code)
        rename_in_message(&err, temporary.data, target);
    buf_release(&temporary);
    return code ? complain_of(&err) : EXIT_FINE;
}
