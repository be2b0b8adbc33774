/* Names for runs. They are in order of the time when they were written last, which needs none of them to be opened. */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/room.h"
#include "base/str.h"
#include "console.h"

/* ---- What is there ----------------------------------------------------------------------------------------------- */

void cache_folder(buf *out)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') /* the standard says that a relative one is to be ignored */
        buf_format(out, "%s/roastcoffea/runs", cache);
    else
        buf_format(out, "%s/.cache/roastcoffea/runs", home ? home : "");
}

static bool look_beside(const char *path, const char *name, struct stat *status)
{
    buf file = {0};
    buf_format(&file, "%s%s", path, name);
    bool there = !file.code && stat(file.data, status) == 0;
    buf_release(&file);
    return there;
}

bool is_measurement(const char *folder)
{
    struct stat status;
    return look_beside(folder, "/run.roast", &status) || look_beside(folder, "/metrics.json", &status);
}

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

roast_code run_places_add(run_places *out, const char *path, bool named, roast_error *err)
{
    run_place *places = with_room(out->places, out->count, &out->capacity, sizeof *places);
    char *kept = strdup(path);
    if (places)
        out->places = places;
    if (!places || !kept) {
        free(kept);
        return fail_memory(err);
    }
    run_place *place = &places[out->count++];
    *place = (run_place){.path = kept, .named = named};
    struct stat status, log;
    if (stat(path, &status) == 0) {
        place->written = status.st_mtim;
        place->mine = status.st_uid == geteuid();
    }
    place->logged = look_beside(path, "-wal", &log);
    if (place->logged && is_later(log.st_mtim, place->written))
        place->written = log.st_mtim;
    return ROAST_OK;
}

static bool is_run(const char *path, const char *name)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    return S_ISDIR(status.st_mode) ? is_measurement(path)
                                   : S_ISREG(status.st_mode) && str_ends_with(str_from(name), STR(".roast"));
}

roast_code run_places_find(run_places *out, const char *folder, roast_error *err)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return fail(err, errno == ENOENT ? ROAST_MISSING : ROAST_IO, "%s: %s", folder, strerror(errno));
    roast_code code = ROAST_OK;
    buf path = {0};
    const char *slash = str_ends_with(str_from(folder), STR("/")) ? "" : "/";
    for (struct dirent *entry; !code && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.')
            continue;
        buf_clear(&path);
        buf_format(&path, "%s%s%s", folder, slash, entry->d_name);
        if (path.code)
            code = fail_memory(err);
        else if (is_run(path.data, entry->d_name))
            code = run_places_add(out, path.data, false, err);
    }
    buf_release(&path);
    closedir(entries);
    return code;
}

static int compare_places(const void *left, const void *right)
{
    const run_place *a = left, *b = right;
    if (is_later(a->written, b->written) || is_later(b->written, a->written))
        return is_later(a->written, b->written) ? -1 : 1;
    return strcmp(b->path, a->path); /* names begin with the time */
}

void run_places_sort(run_places *places)
{
    if (places->count)
        qsort(places->places, places->count, sizeof *places->places, compare_places);
}

roast_code run_places_cached(run_places *out, roast_error *err)
{
    buf folder = {0};
    run_places found = {0};
    cache_folder(&folder);
    roast_code code = folder.code ? fail_memory(err) : run_places_find(&found, folder.data, err);
    if (code == ROAST_MISSING) /* nothing was recorded yet */
        code = ROAST_OK;
    run_places_sort(&found);
    for (size_t i = 0; i < found.count && !code; i++) {
        code = run_places_add(out, found.places[i].path, false, err);
        if (!code)
            out->places[out->count - 1].number = i + 1;
    }
    run_places_release(&found);
    buf_release(&folder);
    return code;
}

void run_places_release(run_places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        free(places->places[i].path);
        free(places->places[i].name);
    }
    free(places->places);
    *places = (run_places){0};
}

/* ---- latest, @2 -------------------------------------------------------------------------------------------------- */

static roast_run *open_or_null(const char *path)
{
    roast_run *run = NULL;
    roast_open_options options = {.size = sizeof options, .scratch_dir = getenv("TMPDIR")};
    roast_run_load(&run, path, &options, NULL);
    return run;
}

/* A run whose log is beside it may have been given up by its writer: the run itself tells. One that cannot be read is
 * not taken for running, so that whoever asks for it is told why. */
static bool is_running(const run_place *place)
{
    roast_run *run = place->logged ? open_or_null(place->path) : NULL;
    bool running = run && roast_run_outcome(run) == ROAST_RUNNING;
    roast_run_close(run);
    return running;
}

static roast_code fail_empty(const char *what, const char *whose, roast_error *err)
{
    buf folder = {0};
    cache_folder(&folder);
    roast_code code =
        folder.code ? fail_memory(err)
                    : fail(err, ROAST_MISSING, "there is no %s run: no .roast file%s in %s", what, whose, folder.data);
    buf_release(&folder);
    return code;
}

/* The newest of mine that has ended; one that goes on only if none has. Either is said. */
static roast_code find_latest(buf *path, const run_places *cached, roast_error *err)
{
    const run_place *running = NULL;
    for (size_t i = 0; i < cached->count; i++) {
        const run_place *place = &cached->places[i];
        if (!place->mine)
            continue;
        if (is_running(place)) {
            running = running ? running : place;
            continue;
        }
        if (running)
            remark("latest is the newest run that has ended; one is still being written: @%zu", running->number);
        buf_text(path, place->path);
        return ROAST_OK;
    }
    if (!running)
        return fail_empty("latest", cached->count ? " of yours" : "", err);
    remark("no run has ended yet: this one is still being written");
    buf_text(path, running->path);
    return ROAST_OK;
}

static roast_code find_number(buf *path, const run_places *cached, const char *argument, roast_error *err)
{
    int64_t number;
    if (!str_to_int(str_from(argument + 1), &number) || number < 1)
        return fail(err, ROAST_USAGE, "%s: not the number of a run: @1 is the newest; all of them: roast list",
                    argument);
    if ((uint64_t)number > cached->count)
        return cached->count ? fail(err, ROAST_MISSING, "%s: there are %zu runs in the cache folder: roast list",
                                    argument, cached->count)
                             : fail_empty(argument, "", err);
    buf_text(path, cached->places[number - 1].path);
    return ROAST_OK;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* How a name may fit: the first way that fits any run is the one that counts. */
typedef enum name_fit { FILE_IS, FILE_BEGINS, RUN_IS, RUN_BEGINS, NAME_FITS } name_fit;

static bool file_fits(roast_str name, roast_str typed, name_fit fit)
{
    if (fit == FILE_BEGINS)
        return str_starts_with(name, typed);
    roast_str stem = name;
    if (str_ends_with(stem, STR(".roast")))
        stem.len -= sizeof ".roast" - 1;
    return str_equal(name, typed) || str_equal(stem, typed);
}

/* Opening a run costs a millisecond or two, so its name is kept; that of one that cannot be read is empty. */
static const char *name_of(run_place *place)
{
    roast_run *run = place->name ? NULL : open_or_null(place->path);
    roast_str name = run ? roast_run_name(run) : str_none();
    if (!place->name)
        place->name = strndup(name.ptr ? name.ptr : "", name.len);
    roast_run_close(run);
    return place->name ? place->name : "";
}

static bool run_fits(run_place *place, roast_str typed, name_fit fit)
{
    roast_str name = str_from(name_of(place));
    return fit == RUN_IS ? str_equal(name, typed) : str_starts_with(name, typed);
}

static bool place_fits(run_place *place, roast_str typed, name_fit fit)
{
    return fit <= FILE_BEGINS ? file_fits(str_last_part(str_from(place->path)), typed, fit)
                              : run_fits(place, typed, fit);
}

static roast_code fail_ambiguous(const char *argument, const run_places *cached, const bool *fits, size_t count,
                                 roast_error *err)
{
    enum { NAMED = 4 };
    buf names = {0};
    size_t named = 0;
    for (size_t i = 0; i < cached->count && named < NAMED; i++)
        if (fits[i])
            buf_format(&names, "%s@%zu %s", named++ ? ", " : "", cached->places[i].number,
                       str_last_part(str_from(cached->places[i].path)).ptr);
    if (count > named)
        buf_format(&names, " and %zu more", count - named);
    roast_code code = names.code ? fail_memory(err)
                                 : fail(err, ROAST_USAGE, "\"%s\" may be %zu runs: %s; roast list tells them apart",
                                        argument, count, names.data);
    buf_release(&names);
    return code;
}

static roast_code find_name(buf *path, run_places *cached, const char *argument, roast_error *err)
{
    roast_str typed = str_from(argument);
    /* Only what cannot be a file's name is worth opening all runs for. */
    name_fit ways = str_ends_with(typed, STR(".roast")) ? RUN_IS : NAME_FITS;
    bool *fits = calloc(cached->count + 1, sizeof *fits);
    if (!fits)
        return fail_memory(err);
    size_t count = 0, last = 0;
    for (name_fit fit = FILE_IS; fit < ways && !count; fit++)
        for (size_t i = 0; i < cached->count; i++)
            if ((fits[i] = place_fits(&cached->places[i], typed, fit)))
                count++, last = i;
    roast_code code = ROAST_OK;
    if (count == 1)
        buf_text(path, cached->places[last].path);
    else if (count)
        code = fail_ambiguous(argument, cached, fits, count, err);
    else if (ways == RUN_IS)
        code = fail(err, ROAST_MISSING, "%s: No such file or directory", argument);
    else
        code = fail(err, ROAST_MISSING, "%s: neither a file nor the name of a run in the cache folder: roast list",
                    argument);
    free(fits);
    return code;
}

roast_code run_argument_path(buf *path, const char *argument, roast_error *err)
{
    struct stat status;
    bool latest = strcmp(argument, "latest") == 0, numbered = argument[0] == '@';
    bool is_path = !latest && (!argument[0] || strchr(argument, '/') || stat(argument, &status) == 0);
    run_places cached = {0};
    roast_code code = is_path ? ROAST_OK : run_places_cached(&cached, err);
    if (is_path)
        buf_text(path, argument);
    else if (!code)
        code = latest     ? find_latest(path, &cached, err)
               : numbered ? find_number(path, &cached, argument, err)
                          : find_name(path, &cached, argument, err);
    run_places_release(&cached);
    return !code && path->code ? fail_memory(err) : code;
}
