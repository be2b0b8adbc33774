/* roast list: the runs in the cache folder, or in folders. Each is read for what is shown, and closed again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "busy.h"
#include "cache.h"
#include "command.h"
#include "console.h"
#include "runs.h"

enum { SORT, REVERSE, NEWEST, JSON, WIDTH, COLOR };
const option LIST_OPTIONS[] = {
    [SORT] = {"sort", "COLUMN", "largest first, names from A to Z; default: as they were written last:", NULL, 's',
              roast_list_column},
    [REVERSE] = {"reverse", NULL, "the other way round", NULL, 'r'},
    [NEWEST] = {"newest", "N", "only so many, those that were written last", NULL, 'n'},
    [JSON] = OPTION_JSON,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !is_measurement(path);
}

static roast_code add_operand(run_places *places, const char *operand, roast_error *err)
{
    if (is_folder(operand))
        return run_places_find(places, operand, err);
    buf path = {0};
    roast_code code = run_argument_path(&path, operand, err);
    struct stat status;
    if (!code && stat(path.data, &status) != 0)
        code = fail(err, errno == ENOENT ? ROAST_MISSING : ROAST_IO, "%s: %s", path.data, strerror(errno));
    if (!code)
        code = run_places_add(places, path.data, true, err);
    buf_release(&path);
    return code;
}

static roast_code find_runs(run_places *places, const invocation *call, roast_error *err)
{
    roast_code code = call->n_operands ? ROAST_OK : run_places_cached(places, err);
    for (size_t i = 0; i < call->n_operands && !code; i++)
        code = add_operand(places, call->operands[i], err);
    run_places_sort(places);
    return code;
}

/* Why it cannot be read, without its name, which stands before. */
static char *reason(const char *path, const roast_error *err)
{
    const char *text = err->message[0] ? err->message : roast_code_text(err->code);
    size_t length = strlen(path);
    bool named = strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    return strdup(named ? text + length + 2 : text);
}

typedef struct listing {
    run_places places;
    roast_listed *runs;
    size_t count;
    bool refused; /* a run that was asked for by name cannot be read */
} listing;

static void listing_release(listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        roast_summary_free((roast_summary *)l->runs[i].summary);
        free((char *)l->runs[i].why);
    }
    free(l->runs);
    run_places_release(&l->places);
}

static roast_code read_run(listing *l, const run_place *place, roast_error *err)
{
    roast_listed *listed = &l->runs[l->count];
    roast_run *run;
    roast_summary *summary = NULL;
    roast_error why = {0};
    *listed = (roast_listed){.number = place->number, .path = place->path};
    roast_code code = roast_run_load(&run, place->path, &(roast_open_options){.scratch_dir = getenv("TMPDIR")}, &why);
    if (!code)
        code = roast_summarize_briefly(&summary, run, &why);
    roast_run_close(run);
    listed->summary = summary;
    if (code == ROAST_MEMORY || (code && !(listed->why = reason(place->path, &why))))
        return fail_memory(err);
    l->refused |= code && place->named;
    l->count++;
    return ROAST_OK;
}

static roast_code read_runs(listing *l, size_t most, roast_error *err)
{
    size_t count = l->places.count < most ? l->places.count : most;
    l->runs = calloc(count + 1, sizeof *l->runs);
    roast_code code = l->runs ? ROAST_OK : fail_memory(err);
    busy_begin("reading", "runs");
    for (size_t i = 0; i < count && !code; i++)
        code = read_run(l, &l->places.places[i], err);
    busy_end();
    return code;
}

static void say_none(const invocation *call)
{
    buf folder = {0};
    cache_folder(&folder);
    remark("no runs in %s", call->n_operands ? call->operands[0] : folder.code ? "the cache folder" : folder.data);
    buf_release(&folder);
}

static int parse_newest(size_t *most, const char *text)
{
    int64_t number = 0;
    *most = SIZE_MAX;
    if (!text)
        return EXIT_FINE;
    if (!str_to_int(str_from(text), &number) || number < 1)
        return complain("--newest %s: not a number of runs from 1 on", text);
    *most = (size_t)number;
    return EXIT_FINE;
}

int cmd_list(const invocation *call)
{
    roast_look look;
    size_t most;
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status == EXIT_FINE)
        status = parse_newest(&most, call->values[NEWEST]);
    if (status != EXIT_FINE)
        return status;
    listing l = {0};
    roast_error err = {0};
    bool json = call->values[JSON] != NULL;
    roast_code code = find_runs(&l.places, call, &err);
    if (!code)
        code = read_runs(&l, most, &err);
    if (!code && !l.count && !json)
        say_none(call);
    buf out = {0};
    if (!code && (l.count || json))
        code = roast_list_render(&out, l.runs, l.count, call->values[SORT], call->values[REVERSE] != NULL,
                                 json ? ROAST_JSON : ROAST_TERMINAL, &look, &err);
    bool refused = l.refused;
    listing_release(&l);
    status = console_show(code, &out, &err);
    return status == EXIT_FINE && refused ? EXIT_TROUBLE : status;
}
