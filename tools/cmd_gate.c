/* roast gate: an exit status for CI. */
#include <string.h>

#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "runs.h"
#include "view/text.h"

enum { METRIC, NOISE, ALPHA, MARKDOWN, JSON, SALVAGE, WIDTH, COLOR };
const option GATE_OPTIONS[] = {
    [METRIC] = {"metric", "NAMES",
                "what must not get worse, by the names of roast metrics, separated by commas (default: "
                "elapsed_time_seconds)",
                "elapsed_time_seconds event_rate_elapsed_khz event_rate_core_khz total_cpu_time chunk_duration_p50 "
                "chunk_duration_p95 time_per_event_us_p50 chunk_cpu_seconds_total chunk_noncpu_seconds_total "
                "chunk_open_seconds_total core_efficiency peak_memory_bytes",
                0, .several = true, .others = true},
    [NOISE] = {"noise", "SHARE", "a change for the worse by this much does not matter: 3% or 0.03 (the default)", NULL,
               0},
    [ALPHA] = {"alpha", "SHARE", "how often an alarm may be false: 5% or 0.05 (the default)", NULL, 0},
    [MARKDOWN] = OPTION_MARKDOWN,
    [JSON] = OPTION_JSON,
    [SALVAGE] = OPTION_SALVAGE,
    [WIDTH] = OPTION_WIDTH,
    [COLOR] = OPTION_COLOR,
    {.name = NULL},
};

/* "3%", "3 %" or "0.03" */
static bool share_of(const char *text, double *share)
{
    roast_str number = str_trim(str_from(text));
    bool percent = str_ends_with(number, STR("%"));
    if (percent)
        number = str_trim((roast_str){number.ptr, number.len - 1});
    if (!str_to_real(number, share))
        return false;
    *share = percent ? *share / 100 : *share;
    return true;
}

static int read_options(roast_gate_options *out, const invocation *call)
{
    *out = roast_gate_defaults();
    out->metrics = call->values[METRIC];
    const char *noise = call->values[NOISE], *alpha = call->values[ALPHA];
    if (noise && (!share_of(noise, &out->noise) || !(out->noise >= 0 && out->noise < 1)))
        return complain("--noise %s: not a share such as 3%% or 0.03", noise);
    if (alpha && (!share_of(alpha, &out->alpha) || !(out->alpha > 0 && out->alpha < 0.5)))
        return complain("--alpha %s: not a probability above 0 and below 50%%", alpha);
    return EXIT_FINE;
}

/* The table goes first, so that the last line of the log is the answer. */
static void put_answer(buf *out, const roast_gate *gate, bool utf8)
{
    buf line = {0};
    roast_gate_line(&line, gate);
    buf_text(out, "\nroast gate: ");
    text_safe(out, buf_view(&line), utf8);
    buf_char(out, '\n');
    if (line.code)
        out->code = line.code;
    buf_release(&line);
}

static int print_gate(const roast_gate *gate, const invocation *call, const roast_look *look)
{
    static const int statuses[] = {
        [ROAST_NOT_WORSE] = EXIT_FINE, [ROAST_WORSE] = EXIT_NO, [ROAST_UNDECIDED] = EXIT_UNDECIDED};
    roast_error err = {0};
    buf out = {0}, markdown = {0};
    bool json = call->values[JSON];
    roast_code code = ROAST_OK;
    if (!json && call->values[MARKDOWN])
        code = output_text(call->values[MARKDOWN], roast_gate_render(&markdown, gate, ROAST_MARKDOWN, look, &err),
                           &markdown, &err);
    if (!code)
        code = roast_gate_render(&out, gate, json ? ROAST_JSON : ROAST_TERMINAL, look, &err);
    if (!code && !json)
        put_answer(&out, gate, !look->ascii);
    int status = console_show(code, &out, &err);
    return status == EXIT_FINE ? statuses[roast_gate_verdict(gate)] : status;
}

int cmd_gate(const invocation *call)
{
    roast_look look;
    roast_gate_options wanted;
    int status = console_look(&look, call->values[WIDTH], call->values[COLOR]);
    if (status == EXIT_FINE)
        status = read_options(&wanted, call);
    if (status != EXIT_FINE)
        return status;
    size_t n_baseline = call->n_first, n_fresh = call->n_operands - call->n_first;
    if (n_fresh == 0) { /* without "--": one baseline, and new runs */
        n_baseline = 1;
        n_fresh = call->n_operands - 1;
    }
    if (n_baseline == 0)
        return complain("there is no baseline before \"--\": roast gate BASELINE... -- NEW...");
    const char *repeated = run_argument_repeated(call->operands, n_baseline + n_fresh);
    if (repeated)
        return complain("%s: is given twice; a run counts once", repeated);
    roast_subject *inputs;
    roast_gate *gate = NULL;
    roast_error err = {0};
    roast_code code = run_arguments_open(&inputs, call->operands, n_baseline + n_fresh, call->values[SALVAGE], &err);
    if (!code)
        code = roast_gate_runs(&gate, inputs, n_baseline, inputs + n_baseline, n_fresh, &wanted, &err);
    run_arguments_close(inputs, n_baseline + n_fresh);
    status = code ? complain_of(&err) : print_gate(gate, call, &look);
    roast_gate_free(gate);
    return status;
}
