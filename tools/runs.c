/* The argument RUN. "latest" is the newest run file in the cache directory, where collectors keep theirs. */
#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "busy.h"
#include "output.h"

static void cache_folder(buf *out)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') /* the standard says that a relative one is to be ignored */
        buf_format(out, "%s/roastcoffea/runs", cache);
    else
        buf_format(out, "%s/.cache/roastcoffea/runs", home ? home : "");
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
        return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* The newest run file in the folder, or nothing. */
static void find_newest(buf *newest, const char *folder, DIR *entries)
{
    struct stat newest_status = {0};
    buf path = {0};
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat status;
        if (!str_ends_with(str_from(entry->d_name), STR(".roast")))
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", folder, entry->d_name);
        if (path.code || stat(path.data, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        if (newest->len == 0 || is_newer(&status, &newest_status)) {
            newest_status = status;
            buf_clear(newest);
            buf_str(newest, buf_view(&path));
        }
    }
    buf_release(&path);
}

static roast_code find_latest(buf *path, roast_error *err)
{
    buf folder = {0};
    cache_folder(&folder);
    roast_code code = folder.code ? fail_memory(err) : ROAST_OK;
    DIR *entries = code ? NULL : opendir(folder.data);
    if (entries) {
        find_newest(path, folder.data, entries);
        closedir(entries);
    }
    if (!code && !entries && errno != ENOENT)
        code = fail(err, ROAST_IO, "%s: %s", folder.data, strerror(errno));
    else if (!code && path->code)
        code = fail_memory(err);
    else if (!code && path->len == 0)
        code = fail(err, ROAST_MISSING, "there is no latest run: no .roast file in %s", folder.data);
    buf_release(&folder);
    return code;
}

roast_code run_argument_open(roast_run **out, const char *argument, bool salvage, roast_error *err)
{
    *out = NULL;
    roast_open_options options = {.salvage = salvage, .scratch_dir = getenv("TMPDIR")};
    buf path = {0};
    roast_code code = ROAST_OK;
    if (strcmp(argument, "latest") == 0)
        code = find_latest(&path, err);
    else
        buf_text(&path, argument);
    if (!code && path.code)
        code = fail_memory(err);
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
