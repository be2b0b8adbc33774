/* roast compare: what changed between two runs, or two groups of runs. */
#include "base/error.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "picture.h"
#include "runs.h"

enum { ALL, JSON, OUTPUT, HTML, MARKDOWN, SALVAGE, WIDTH, COLOR };
const option COMPARE_OPTIONS[] = {
    [ALL] = {"all", NULL, "every part of the difference; otherwise the largest eight", NULL, 'a'},
    [JSON] = OPTION_JSON,
    [OUTPUT] = {"output", "FILE", "draw where the difference came from, by phase (.svg, .png or .json) too", NULL, 'o'},
    [HTML] = {"html", "FILE", "write tables and charts as one HTML page too; - is standard output", NULL, 0},
    [MARKDOWN] = OPTION_MARKDOWN,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

enum { PARTS_SHOWN = 8 };

static roast_code write_as(const char *path, const roast_comparison *c, roast_form form, const roast_look *look,
                           roast_error *err)
{
    buf text = {0};
    if (!path)
        return ROAST_OK;
    roast_error why = {0};
    roast_code code = roast_comparison_render(&text, c, form, look, &why);
    if (code == ROAST_USAGE) /* what cannot be drawn */
        fail(err, code, "%s: %s", path, why.message);
    else if (code)
        *err = why;
    return output_text(path, code, &text, err);
}

static int print_comparison(const roast_comparison *c, const invocation *call, roast_form picture,
                            const roast_look *look)
{
    roast_error err = {0};
    buf out = {0};
    bool json = call->values[JSON];
    roast_code code = write_as(call->values[OUTPUT], c, picture, look, &err);
    if (!code && !json)
        code = write_as(call->values[MARKDOWN], c, ROAST_MARKDOWN, look, &err);
    if (!code && !json)
        code = write_as(call->values[HTML], c, ROAST_HTML, look, &err);
    if (!code)
        code = roast_comparison_render(&out, c, json ? ROAST_JSON : ROAST_TERMINAL, look, &err);
    return console_show(code, &out, &err);
}

int cmd_compare(const invocation *call)
{
    roast_look look;
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status != EXIT_FINE)
        return status;
    roast_form picture;
    status = picture_choose(&picture, call->values[OUTPUT], NULL);
    if (status != EXIT_FINE)
        return status;
    look.limit = call->values[ALL] ? 0 : PARTS_SHOWN;
    size_t n_a = call->n_first, n_b = call->n_operands - call->n_first;
    if (n_b == 0 && n_a == 2)
        n_a = n_b = 1;
    if (n_a == 0 || n_b == 0)
        return complain("say which runs to compare with which: roast compare A... -- B...");
    roast_subject *inputs;
    roast_comparison *c = NULL;
    roast_error err = {0};
    roast_code code = run_arguments_open(&inputs, call->operands, n_a + n_b, call->values[SALVAGE], &err);
    if (!code)
        code = roast_compare(&c, inputs, n_a, inputs + n_a, n_b, &err);
    run_arguments_close(inputs, n_a + n_b);
    status = code ? complain_of(&err) : print_comparison(c, call, picture, &look);
    roast_comparison_free(c);
    return status;
}
