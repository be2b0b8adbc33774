/* Output files are written under a temporary name beside the target and renamed: nobody ever reads half of one. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "console.h"

/* ---- What must not be written over ---------------------------------------------------------------------------- */

typedef struct place {
    dev_t device;
    ino_t inode;
} place;

static buf protected_places; /* of struct place */

static void protect_file(const struct stat *status)
{
    buf_bytes(&protected_places, &(place){status->st_dev, status->st_ino}, sizeof(place));
}

void output_protect(const char *path)
{
    static const char *const parts[] = {"run.roast", "metrics.json", "metadata.json", "config.json",
                                        "start_end_time.txt"};
    struct stat status;
    if (stat(path, &status) != 0)
        return;
    if (!S_ISDIR(status.st_mode)) {
        protect_file(&status);
        return;
    }
    buf part = {0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        buf_clear(&part);
        buf_format(&part, "%s/%s", path, parts[i]);
        if (!part.code && stat(part.data, &status) == 0)
            protect_file(&status);
    }
    buf_release(&part);
}

static bool is_protected(const struct stat *status)
{
    for (size_t at = 0; at < protected_places.len; at += sizeof(place)) {
        place known;
        memcpy(&known, protected_places.data + at, sizeof known);
        if (known.device == status->st_dev && known.inode == status->st_ino)
            return true;
    }
    return false;
}

/* ---- Writing -------------------------------------------------------------------------------------------------- */

static roast_code fail_output(const output *out, roast_error *err)
{
    return fail(err, ROAST_IO, "%s: cannot be written: %s", out->target.len ? out->target.data : "standard output",
                strerror(errno));
}

/* Where the file really is: a link stays a link. */
static void resolve(buf *target, const char *path)
{
    char *real = realpath(path, NULL);
    buf_text(target, real ? real : path);
    free(real);
}

static roast_code open_temporary(output *out, roast_error *err)
{
    buf_format(&out->temporary, "%s.XXXXXX", out->target.data);
    if (out->temporary.code)
        return fail_memory(err);
    int fd = mkstemp(out->temporary.data);
    if (fd < 0) {
        buf_clear(&out->temporary);
        return fail_output(out, err);
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0 || !(out->to = fdopen(fd, "w"))) {
        roast_code code = fail_output(out, err);
        close(fd);
        return code;
    }
    return ROAST_OK;
}

roast_code output_open(output *out, const char *path, roast_error *err)
{
    *out = (output){.to = stdout};
    if (!path || strcmp(path, "-") == 0)
        return ROAST_OK;
    out->to = NULL;
    resolve(&out->target, path);
    struct stat status;
    roast_code code = out->target.code || protected_places.code ? fail_memory(err) : ROAST_OK;
    bool exists = !code && stat(out->target.data, &status) == 0;
    if (exists && is_protected(&status)) {
        code = fail(err, ROAST_USAGE, "%s: is what is being read; choose another name for the output", path);
    } else if (exists && S_ISDIR(status.st_mode)) {
        code = fail(err, ROAST_USAGE, "%s: a folder, where a file was expected", path);
    } else if (exists && !S_ISREG(status.st_mode)) { /* a device or a pipe takes what it is given */
        out->to = fopen(out->target.data, "w");
        if (!out->to)
            code = fail_output(out, err);
    } else if (!code) {
        code = open_temporary(out, err);
    }
    return code ? output_finish(out, code, err) : code;
}

roast_code output_write(output *out, roast_str bytes, roast_error *err)
{
    if (out->to == stdout)
        return console_write(bytes) ? ROAST_OK : fail_output(out, err);
    return fwrite(bytes.ptr, 1, bytes.len, out->to) == bytes.len ? ROAST_OK : fail_output(out, err);
}

roast_code output_finish(output *out, roast_code code, roast_error *err)
{
    if (out->to && out->to != stdout) {
        bool flushed = fflush(out->to) == 0;
        if (!flushed && !code)
            code = fail_output(out, err);
        if (fclose(out->to) != 0 && !code)
            code = fail_output(out, err);
    }
    if (out->temporary.len && !code && rename(out->temporary.data, out->target.data) != 0)
        code = fail_output(out, err);
    if (out->temporary.len && code)
        unlink(out->temporary.data);
    buf_release(&out->target);
    buf_release(&out->temporary);
    out->to = NULL;
    return code;
}

roast_code output_buffer(const char *path, buf *text, roast_error *err)
{
    output out;
    roast_code code = text->code ? fail(err, text->code, "%s", roast_code_text(text->code)) : ROAST_OK;
    if (!code)
        code = output_open(&out, path, err);
    if (!code)
        code = output_finish(&out, output_write(&out, buf_view(text), err), err);
    buf_release(text);
    return code;
}

roast_code output_text(const char *path, roast_code code, buf *text, roast_error *err)
{
    if (!code)
        return output_buffer(path, text, err);
    buf_release(text);
    return code;
}
