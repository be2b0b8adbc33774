/* roast inspect: what ROOT files hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "source/root/many.h"
#include "view/html_tables.h"
#include "view/inspect.h"
#include "view/terminal.h"

enum { TREE, BRANCHES, FILTER, SORT, PICK, CHUNK, LIST, JOBS, TIMEOUT, ALL, JSON, HTML, WIDTH, COLOR };
const option INSPECT_OPTIONS[] = {
    [TREE] = {"tree", "NAME", "only the trees of this name or path", NULL, 't'},
    [BRANCHES] = {"branches", NULL, "each branch instead of collections", NULL, 'b'},
    [FILTER] = {"filter", "PATTERN", "only branches that match, for example 'Jet_*'", NULL, 'f'},
    [SORT] = {"sort", "BY", "order of the branches: size, name, ratio, basket or file", "size name ratio basket file",
              0},
    [PICK] = {"pick", "SHARE", "the branches that make up this share of the bytes, for example 15%", NULL, 0},
    [CHUNK] = {"chunk", "EVENTS", "how many events a job will read at a time (default: 100000)", NULL, 0},
    [LIST] = {"list", "FILE", "read more paths and addresses from a file, one per line; - is standard input", NULL, 0},
    [JOBS] = {"jobs", "N", "files to read at the same time (default: one per processor, at most 8)", NULL, 'j'},
    [TIMEOUT] = {"timeout", "SECONDS", "how long to wait for a server (default: 30)", NULL, 0},
    [ALL] = {"all", NULL, "every row of the tables that are otherwise cut", NULL, 'a'},
    [JSON] = OPTION_JSON,
    [HTML] = {"html", "FILE", "write one self-contained page instead of printing tables; - is standard output", NULL,
              0},
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { ROWS_SHOWN = 25 };
#define LARGEST_NUMBER INT64_C(1000000000000)

typedef struct inspection {
    root_paths paths;
    root_options reading;
    inspect_options showing;
    int64_t chunk, jobs;
    survey survey;
    int64_t begin_ns;
    size_t done;
    bool progress; /* stderr is a terminal */
    int status;
} inspection;

/* ---- Options ------------------------------------------------------------------------------------------------ */

static int parse_number(int64_t *out, const char *text, const char *name)
{
    if (!text)
        return EXIT_FINE;
    if (!str_to_int(str_from(text), out) || *out <= 0 || *out > LARGEST_NUMBER)
        return complain("--%s needs a whole number above 0, not \"%s\"", name, text);
    return EXIT_FINE;
}

static int parse_share(double *out, const char *text)
{
    if (!text)
        return EXIT_FINE;
    roast_str digits = str_from(text);
    bool percent = str_ends_with(digits, STR("%"));
    digits.len -= percent;
    if (!str_to_real(str_trim(digits), out) || !(*out > 0) || *out > (percent ? 100 : 1))
        return complain("--pick needs a share like 15%% or 0.15, not \"%s\"", text);
    if (percent)
        *out /= 100;
    return EXIT_FINE;
}

static void parse_sort(inspect_sort *out, const char *text)
{
    static const char *const names[] = {"size", "name", "ratio", "basket", "file"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            *out = (inspect_sort)i;
}

static int parse_options(inspection *in, const invocation *call)
{
    int64_t seconds = 30;
    int status = parse_number(&in->chunk, call->values[CHUNK], "chunk");
    if (!status)
        status = parse_number(&in->jobs, call->values[JOBS], "jobs");
    if (!status)
        status = parse_number(&seconds, call->values[TIMEOUT], "timeout");
    if (!status)
        status = parse_share(&in->showing.pick, call->values[PICK]);
    parse_sort(&in->showing.sort, call->values[SORT]);
    if (!status && call->values[JSON] && call->values[HTML])
        status = complain("--json and --html: one of them, please");
    in->reading = (root_options){.timeout_ms = seconds * 1000, .tree = call->values[TREE]};
    in->showing.branches = call->values[BRANCHES];
    in->showing.filter = call->values[FILTER];
    bool everything = call->values[ALL] || call->values[HTML] || call->values[PICK];
    in->showing.limit = everything ? 0 : ROWS_SHOWN;
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static roast_code add_list(root_paths *paths, const char *name, roast_error *err)
{
    if (strcmp(name, "-") == 0)
        return root_paths_add_list(paths, stdin, "standard input", err);
    FILE *list = fopen(name, "r");
    if (!list)
        return fail(err, ROAST_IO, "%s: %s", name, strerror(errno));
    roast_code code = root_paths_add_list(paths, list, name, err);
    fclose(list);
    return code;
}

static int find_paths(inspection *in, const invocation *call)
{
    roast_error err = {0};
    int status = EXIT_FINE;
    for (size_t i = 0; i < call->n_operands; i++)
        if (root_paths_add(&in->paths, call->operands[i], &err))
            status = complain_of(&err);
    if (call->values[LIST])
        output_protect(call->values[LIST]);
    if (call->values[LIST] && add_list(&in->paths, call->values[LIST], &err))
        status = complain_of(&err);
    if (call->n_operands == 0 && !call->values[LIST])
        return complain("no file is named; see roast inspect --help");
    in->status = status;
    return in->paths.count ? EXIT_FINE : status;
}

/* On a terminal, for what takes more than a second. */
static void show_progress(inspection *in, bool last)
{
    if (!in->progress || clock_monotonic_ns() - in->begin_ns < NS_PER_S)
        return;
    if (last)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r%zu of %zu files", in->done, in->paths.count);
    fflush(stderr);
}

static roast_code take_file(void *context, const char *path, const root_file *file, const roast_error *why,
                            roast_error *err)
{
    inspection *in = context;
    in->done++;
    show_progress(in, false);
    if (file)
        return survey_add(&in->survey, file, err);
    show_progress(in, true);
    in->status = complain_of(why);
    return survey_add_failure(&in->survey, path, why, err);
}

static int read_files(inspection *in)
{
    roast_error err = {0};
    in->begin_ns = clock_monotonic_ns();
    in->progress = isatty(STDERR_FILENO);
    roast_code code = root_read_many(&in->paths, &in->reading, (size_t)in->jobs, take_file, in, &err);
    show_progress(in, true);
    if (!code)
        code = survey_finish(&in->survey, in->chunk, &err);
    if (code)
        return complain_of(&err);
    if (in->showing.pick > 0)
        survey_pick(&in->survey, in->showing.pick);
    return EXIT_FINE;
}

/* ---- Printing ----------------------------------------------------------------------------------------------- */

static int write_page(const table_set *set, const inspection *in, const char *path)
{
    buf page = {0};
    roast_error err = {0};
    roast_str title = in->survey.n_files == 1 ? in->survey.files[0].url : STR("ROOT files");
    html_tables(&page, set, NULL, title);
    for (size_t i = 0; i < in->paths.count; i++)
        output_protect(in->paths.items[i]);
    return output_buffer(path, &page, &err) ? complain_of(&err) : EXIT_FINE;
}

static int print_tables(const inspection *in, const invocation *call, const roast_look *look)
{
    table_set set;
    roast_error err = {0};
    buf out = {0};
    int status;
    if (inspect_tables(&set, &in->survey, &in->showing, &err)) {
        status = complain_of(&err);
    } else if (call->values[HTML]) {
        status = write_page(&set, in, call->values[HTML]);
    } else {
        terminal_tables(&out, &set, &(terminal_options){look->columns, look->colour, !look->ascii});
        status = console_print(&out);
    }
    tables_release(&set);
    return status;
}

/* A tree that was asked for by name and is in none of the files is a mistake, not an answer. */
static int check_found(const inspection *in, const invocation *call)
{
    if (in->survey.failed == in->survey.n_files)
        return EXIT_TROUBLE;
    if (call->values[TREE] && in->survey.n_trees == 0 && in->survey.n_hints == 0)
        return complain("there is no tree %s; without --tree all are shown", call->values[TREE]);
    return EXIT_FINE;
}

static int inspect(inspection *in, const invocation *call, const roast_look *look)
{
    int status = find_paths(in, call);
    if (!status)
        status = read_files(in);
    if (!status)
        status = check_found(in, call);
    if (status && !call->values[JSON])
        return status;
    if (call->values[JSON]) {
        buf out = {0};
        inspect_json(&out, &in->survey, &in->showing);
        int printed = console_print(&out);
        return status ? status : printed;
    }
    return print_tables(in, call, look);
}

int cmd_inspect(const invocation *call)
{
    roast_look look;
    inspection in = {0};
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (!status)
        status = parse_options(&in, call);
    if (!status)
        status = inspect(&in, call, &look);
    for (size_t i = 0; i < in.survey.n_hints; i++)
        if (in.survey.hints[i].weight == SURVEY_TROUBLE)
            in.status = EXIT_TROUBLE;
    survey_release(&in.survey);
    root_paths_release(&in.paths);
    return status ? status : in.status;
}
