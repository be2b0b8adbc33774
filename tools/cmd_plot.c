/* roast plot: one chart, or all of them, as SVG, PNG or JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/closest.h"
#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "picture.h"
#include "runs.h"
#include "view/json.h"

enum { OUTPUT, ALL, LIST, FORMAT, TIME, SIZE, SCALE, JSON, SALVAGE };
const option PLOT_OPTIONS[] = {
    [OUTPUT] = {"output", "PATH", "file to write (.svg, .png or .json), or folder for --all; - is standard output",
                NULL, 'o'},
    [ALL] = {"all", NULL, "every chart, into a folder", NULL, 'a'},
    [LIST] = {"list", NULL, "the names of the charts", NULL, 'l'},
    [FORMAT] = {"format", "FORMAT", "svg, png or json, where the name of the output does not say", "svg png json", 0},
    [TIME] = {"time", "WHICH", "times from the start of the run, in UTC, or local: elapsed, utc, local",
              "elapsed utc local", 0},
    [SIZE] = {"size", "WxH", "size in pixels, 900x500; default: as the chart proposes", NULL, 0},
    [SCALE] = {"scale", "N", "pixels of a PNG per pixel of the chart, 2 by default", NULL, 0},
    [JSON] = {"json", NULL, "with --list: as JSON", NULL, 0},
    [SALVAGE] = OPTION_SALVAGE,
    {.name = NULL},
};

typedef struct plot {
    roast_form form;
    roast_look look;
    char zone[32];
} plot;

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static roast_code write_chart(const roast_charts *charts, size_t index, const plot *p, const char *path,
                              roast_error *err)
{
    buf text = {0};
    return output_text(path, roast_charts_render(&text, charts, index, p->form, &p->look, err), &text, err);
}

static roast_code write_all(const roast_charts *charts, const plot *p, const char *folder, roast_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(err, ROAST_IO, "%s: the folder cannot be made: %s", folder, strerror(errno));
    roast_code code = ROAST_OK;
    buf path = {0};
    for (size_t i = 0; i < roast_charts_count(charts) && !code; i++) {
        buf_clear(&path);
        buf_format(&path, "%s/%s%s", folder, roast_charts_id(charts, i), picture_ending(p->form));
        code = path.code ? fail_memory(err) : write_chart(charts, i, p, path.data, err);
    }
    buf_release(&path);
    return code;
}

/* ---- The list -------------------------------------------------------------------------------------------------- */

static int list_charts(bool as_json)
{
    buf out = {0};
    json_writer w = {.out = &out};
    if (as_json)
        json_put_open(&w, NULL, '[');
    for (size_t i = 0; roast_chart_id(i); i++) {
        const char *id = roast_chart_id(i);
        if (!as_json) {
            buf_format(&out, "%-40s %s\n", id, roast_chart_title(id));
            continue;
        }
        json_put_open(&w, NULL, '{');
        json_put_text(&w, "id", str_from(id));
        json_put_text(&w, "title", str_from(roast_chart_title(id)));
        json_put_close(&w, '}');
    }
    if (as_json) {
        json_put_close(&w, ']');
        buf_char(&out, '\n');
    }
    return console_print(&out);
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static bool parse_size(roast_look *out, const char *text)
{
    roast_str rest = str_from(text), width = str_split(&rest, 'x');
    int64_t across, down;
    if (str_absent(rest) || !str_to_int(width, &across) || !str_to_int(rest, &down))
        return false;
    out->width = (double)across;
    out->height = (double)down;
    return across >= 120 && across <= 20000 && down >= 120 && down <= 20000;
}

/* The zone of this machine at the time of the run. */
static void choose_local(plot *p, int64_t t_ns)
{
    time_t when = (time_t)(t_ns / NS_PER_S);
    struct tm local;
    if (!localtime_r(&when, &local))
        return;
    p->look.utc_offset_s = local.tm_gmtoff;
    snprintf(p->zone, sizeof p->zone, "%s", local.tm_zone ? local.tm_zone : "local");
    p->look.zone = p->zone;
}

static int choose(plot *p, const invocation *call)
{
    const char *size = call->values[SIZE], *scale = call->values[SCALE], *when = call->values[TIME];
    const char *path = call->values[OUTPUT];
    int status = picture_choose(&p->form, call->values[ALL] ? NULL : path, call->values[FORMAT]);
    if (status != EXIT_FINE)
        return status;
    if (size && !parse_size(&p->look, size))
        return complain("--size %s: not a width and a height of 120 to 20000, like 900x500", size);
    if (scale && (!str_to_real(str_from(scale), &p->look.scale) || !(p->look.scale >= 0.1 && p->look.scale <= 20)))
        return complain("--scale %s: not a number from 0.1 to 20", scale);
    p->look.clock = when && strcmp(when, "elapsed") != 0;
    return EXIT_FINE;
}

static int check_operands(const invocation *call)
{
    bool all = call->values[ALL] != NULL;
    if (call->n_operands == 0)
        return complain("say which run and which chart: roast plot RUN NAME; their names: roast plot --list");
    if (all && call->n_operands > 1)
        return complain("--all draws every chart; leave out \"%s\"", call->operands[1]);
    if (all && (!call->values[OUTPUT] || strcmp(call->values[OUTPUT], "-") == 0))
        return complain("all charts go into a folder: -o FOLDER");
    if (!all && call->n_operands < 2)
        return complain("say which chart: roast plot RUN NAME; their names: roast plot --list");
    if (all || roast_chart_title(call->operands[1]))
        return EXIT_FINE;
    const char *close = closest_id(str_from(call->operands[1]), roast_chart_id);
    return close ? complain("there is no chart \"%s\"; did you mean \"%s\"?", call->operands[1], close)
                 : complain("there is no chart \"%s\"; their names: roast plot --list", call->operands[1]);
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

int cmd_plot(const invocation *call)
{
    if (call->values[LIST])
        return list_charts(call->values[JSON]);
    plot p = {.look = {.size = sizeof p.look}};
    int status = check_operands(call);
    if (status == EXIT_FINE)
        status = choose(&p, call);
    if (status != EXIT_FINE)
        return status;
    roast_error err = {0};
    roast_run *run;
    roast_summary *summary;
    roast_charts *charts = NULL;
    const char *path = call->values[OUTPUT], *when = call->values[TIME];
    bool all = call->values[ALL] != NULL;
    roast_code code = run_argument_summarize(&summary, &run, call->operands[0], call->values[SALVAGE], &err);
    int64_t begun = ROAST_ABSENT, ended;
    if (!code && when && strcmp(when, "local") == 0)
        roast_summary_window(summary, &begun, &ended);
    if (begun != ROAST_ABSENT)
        choose_local(&p, begun);
    if (!code)
        code = roast_charts_build(&charts, run, summary, all ? NULL : call->operands[1], &p.look, &err);
    if (!code)
        code = all ? write_all(charts, &p, path, &err) : write_chart(charts, 0, &p, path, &err);
    roast_charts_free(charts);
    roast_summary_free(summary);
    roast_run_close(run);
    return code ? complain_of(&err) : EXIT_FINE;
}
