/* roast rm: removes run files, and what SQLite has beside them. All is looked at before anything is removed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cache.h"
#include "command.h"
#include "console.h"
#include "runs.h"
#include "view/text.h"

enum { YES, FORCE };
const option RM_OPTIONS[] = {
    [YES] = {"yes", NULL, "do not ask; needed where nobody can be asked", NULL, 'y'},
    [FORCE] = {"force", NULL, "also runs that are still being written", NULL, 'f'},
    {.name = NULL},
};

/* The run first: what is left if this is interrupted is of no run. */
static const char *const PARTS[] = {"", "-wal", "-shm", "-journal"};
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

/* ---- What may be removed ----------------------------------------------------------------------------------------- */

static bool writer_is_elsewhere(const roast_run *run)
{
    char here[256] = "";
    gethostname(here, sizeof here - 1);
    roast_str writer = roast_run_fact(run, "writer_process");
    return !str_equal(str_split(&writer, ' '), str_from(here));
}

/* Of a writer on another machine, or of a run that cannot be opened, it is only known when it wrote last. Recorders
 * write every second. */
static bool may_go_on(const roast_run *run, const run_place *place)
{
    enum { SILENCE_S = 60 };
    if (run && roast_run_outcome(run) == ROAST_RUNNING)
        return true;
    bool ended =
        run ? !str_equal(roast_run_fact(run, "state"), STR("recording")) || !writer_is_elsewhere(run) : !place->logged;
    return !ended && clock_wall_ns() / NS_PER_S - place->written.tv_sec < SILENCE_S;
}

static roast_code check_kind(const char *path, roast_error *err)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return fail(err, errno == ENOENT ? ROAST_MISSING : ROAST_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(err, ROAST_USAGE, "%s: a folder; roast rm removes run files, and never a folder", path);
    if (S_ISLNK(status.st_mode))
        return fail(err, ROAST_USAGE, "%s: a link; name the run file that it leads to", path);
    return ROAST_OK;
}

/* Only what is a run file of ours. One that is called damaged has been recognised as such. */
static roast_code check_run(const run_place *place, bool force, roast_error *err)
{
    roast_run *run = NULL;
    roast_open_options options = {.salvage = true, .scratch_dir = getenv("TMPDIR")};
    roast_code code = check_kind(place->path, err);
    if (!code)
        code = roast_run_open(&run, place->path, &options, err);
    if (code && code != ROAST_CORRUPT)
        return code;
    code = ROAST_OK;
    if (!force && may_go_on(run, place))
        code = fail(err, ROAST_USAGE, "%s: still being written; to remove it all the same: --force", place->path);
    roast_run_close(run);
    return code;
}

static roast_code find_runs(run_places *places, const invocation *call, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < call->n_operands && !code; i++) {
        buf path = {0};
        code = run_argument_path(&path, call->operands[i], err);
        if (!code)
            code = run_places_add(places, path.data, true, err);
        if (!code)
            code = check_run(&places->places[i], call->values[FORCE] != NULL, err);
        buf_release(&path);
    }
    return code;
}

static const char *find_repeated(const run_places *places)
{
    const char **paths = calloc(places->count + 1, sizeof *paths);
    for (size_t i = 0; paths && i < places->count; i++)
        paths[i] = places->places[i].path;
    const char *repeated = paths ? run_argument_repeated(paths, places->count) : NULL;
    free(paths);
    return repeated;
}

/* ---- Asking and removing ----------------------------------------------------------------------------------------- */

static int ask(const run_places *places)
{
    if (!console_asks())
        return complain("nobody can be asked here: --yes removes without asking");
    for (size_t i = 0; i < places->count; i++)
        remark("to be removed: %s", places->places[i].path);
    if (agreed(places->count == 1 ? "Remove this run?" : "Remove these runs?"))
        return EXIT_FINE;
    remark("nothing was removed");
    return EXIT_NO;
}

static roast_code remove_part(const char *path, const char *suffix, roast_error *err)
{
    buf part = {0};
    buf_format(&part, "%s%s", path, suffix);
    roast_code code = part.code ? fail_memory(err) : ROAST_OK;
    if (!code && unlink(part.data) != 0 && (errno != ENOENT || !suffix[0]))
        code = fail(err, ROAST_IO, "%s: cannot be removed: %s", part.data, strerror(errno));
    buf_release(&part);
    return code;
}

static roast_code remove_run(const char *path, buf *said, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < PART_COUNT && !code; i++)
        code = remove_part(path, PARTS[i], err);
    if (code)
        return code;
    buf_text(said, "removed ");
    text_safe(said, str_from(path), console_utf8());
    buf_char(said, '\n');
    return ROAST_OK;
}

int cmd_rm(const invocation *call)
{
    run_places places = {0};
    roast_error err = {0};
    roast_code code = find_runs(&places, call, &err);
    const char *repeated = code ? NULL : find_repeated(&places);
    if (repeated)
        code = fail(&err, ROAST_USAGE, "%s: named twice", repeated);
    int status = code || call->values[YES] ? EXIT_FINE : ask(&places);
    buf said = {0};
    for (size_t i = 0; i < places.count && !code && status == EXIT_FINE; i++)
        code = remove_run(places.places[i].path, &said, &err);
    run_places_release(&places);
    int printed = console_print(&said); /* what has gone is said, whatever came after it */
    if (code)
        return complain_of(&err);
    return status == EXIT_FINE ? printed : status;
}
