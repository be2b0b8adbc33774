/* roast: the table of commands, and the way from the command line to one of them. Adding a command is one row here
 * and one file. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "console.h"
#include "help.h"

const command COMMANDS[] = {
    {
        .name = "show",
        .summary = "tables of one run",
        .operands = "RUN",
        .details =
            "RUN is a .roast file, a measurement directory (also of roastcoffea 0.1.x), or \"latest\" for the newest "
            "run in the cache directory. A run that is still being written can be shown too.",
        .example = "roast show latest --only chunks,workers",
        .options = SHOW_OPTIONS,
        .run = cmd_show,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "explain",
        .summary = "what held a run back, with evidence",
        .operands = "RUN",
        .details =
            "Findings come in the order of what fixing them would save, each with what it cost, the numbers that show "
            "it and what to do. Savings come from replaying the recorded chunks; how far the replay is from what "
            "happened is printed with --what-if, and above 15 % it does not answer. docs/explain.md says what each "
            "finding means.",
        .example = "roast explain latest --what-if",
        .options = EXPLAIN_OPTIONS,
        .run = cmd_explain,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "plot",
        .summary = "charts of one run",
        .operands = "RUN NAME",
        .details =
            "Draws the chart with this name as SVG, PNG or JSON, by the ending of the output. Without -o it is SVG on "
            "standard output. PNG needs librsvg.",
        .example = "roast plot latest chunk_lanes -o lanes.svg",
        .options = PLOT_OPTIONS,
        .run = cmd_plot,
        .most = 2,
    },
    {
        .name = "compare",
        .summary = "what changed between two runs, with statistics",
        .operands = "A B | A... -- B...",
        .details =
            "Two runs are compared chunk by chunk: what it says is about these two runs. For what will happen again, "
            "give several runs of either kind with -- between them.",
        .example = "roast compare before-*.roast -- after-*.roast",
        .options = COMPARE_OPTIONS,
        .run = cmd_compare,
        .fewest = 2,
        .most = SIZE_MAX,
        .groups = true,
    },
    {
        .name = "gate",
        .summary = "whether new runs are worse than a baseline, as an exit status for CI",
        .operands = "BASELINE... -- NEW...",
        .details =
            "Exit status 0: a change for the worse by more than the noise is ruled out. 1: it got worse. 3: these "
            "runs cannot tell; the answer says how many would. Five runs on either side are a good start. "
            "Without --, the first run is the baseline.",
        .example = "roast gate main-*.roast -- branch-*.roast --noise 3% --markdown gate.md",
        .options = GATE_OPTIONS,
        .run = cmd_gate,
        .fewest = 2,
        .most = SIZE_MAX,
        .groups = true,
    },
    {
        .name = "scale",
        .summary = "throughput against cores, over runs",
        .operands = "RUN...",
        .details =
            "The same analysis with different numbers of workers. From six runs on, the Universal Scalability Law "
            "and Amdahl's law are fitted, which say how many workers are worth their cost.",
        .example = "roast scale with-*-workers.roast --cost-per-core-hour 0.04",
        .options = SCALE_OPTIONS,
        .run = cmd_scale,
        .fewest = 1,
        .most = SIZE_MAX,
    },
    {
        .name = "metrics",
        .summary = "the catalogue: what every number means",
        .operands = "[WORD...]",
        .details = "Lists the metrics whose names contain one of the words, or all of them.",
        .example = "roast metrics rate",
        .options = METRICS_OPTIONS,
        .run = cmd_metrics,
        .most = SIZE_MAX,
    },
    {
        .name = "report",
        .summary = "one HTML page of a run, to keep and to share",
        .operands = "RUN",
        .details = "The page needs nothing else and loads nothing: it opens offline, years later, in any browser. It "
                   "is written "
                   "beside the run (run.roast becomes run.html) or where -o says.",
        .example = "roast report latest -o report.html",
        .options = REPORT_OPTIONS,
        .run = cmd_report,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "inspect",
        .summary = "what ROOT files hold: trees, branches, compression",
        .operands = "FILE...",
        .details = "FILE is a path, a pattern in quotes, or an http://, https:// or root:// address. Only descriptions "
                   "are read, "
                   "never the data. Several files are added up and compared.",
        .example = "roast inspect nano.root --branches --filter 'Jet_*'",
        .options = INSPECT_OPTIONS,
        .run = cmd_inspect,
        .most = SIZE_MAX,
    },
    {
        .name = "export",
        .summary = "a run as JSON, CSV, OpenMetrics or a trace",
        .operands = "RUN --to FORMAT",
        .details =
            "JSON is one object with every metric under each of its names. CSV is a table per file: into a folder, or "
            "one of them, chosen with --only. OpenMetrics is for Prometheus. The trace of --to perfetto opens in "
            "ui.perfetto.dev and in chrome://tracing.",
        .example = "roast export latest --to csv --only chunks -o chunks.csv",
        .options = EXPORT_OPTIONS,
        .run = cmd_export,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "import",
        .summary = "turn a measurement of roastcoffea 0.1.x into a run file",
        .operands = "DIRECTORY -o FILE.roast",
        .details = "The measurement is only read. The run file appears under its name when it is complete.",
        .example = "roast import benchmarks/2024-05-17 -o benchmarks/2024-05-17.roast",
        .options = IMPORT_OPTIONS,
        .run = cmd_import,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "help",
        .summary = "what roast can do, or how one command is used",
        .operands = "[COMMAND]",
        .example = "roast help export",
        .options = HELP_OPTIONS,
        .run = cmd_help,
        .most = 1,
    },
    {
        .name = "completion",
        .summary = "completion for a shell",
        .operands = "bash",
        .details = "Prints a script that makes the shell complete commands, options and their values.",
        .example = "source <(roast completion bash)",
        .options = COMPLETION_OPTIONS,
        .run = cmd_completion,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "man",
        .summary = "the manual page, as troff",
        .operands = "",
        .example = "roast man | man -l -",
        .options = MAN_OPTIONS,
        .run = cmd_man,
        .hidden = true,
    },
    {.name = NULL},
};

const command *command_find(const char *name)
{
    for (const command *c = COMMANDS; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* A descriptor that was closed by our parent must not become that of a file we open: what we print would end up in
 * it. The place is filled so that reading or writing there fails as it should. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_TROUBLE);
}

static const char *command_name_at(const void *context, size_t index)
{
    (void)context;
    return COMMANDS[index].name;
}

static int unknown_command(const char *name)
{
    const char *close = closest_word(name, command_name_at, NULL);
    if (close)
        return complain("there is no command \"%s\"; did you mean \"%s\"? All of them: roast help", name, close);
    return complain("there is no command \"%s\"; all of them: roast help", name);
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        help_overview(stderr);
        return EXIT_TROUBLE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("roast %s\n", roast_version());
        return EXIT_FINE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_overview(stdout);
        return EXIT_FINE;
    }
    if (name[0] == '-')
        return complain("unknown option %s before a command; see roast --help", name);
    const command *c = command_find(name);
    if (!c)
        return unknown_command(name);
    for (int i = 2; i < count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) {
            help_command(stdout, c);
            return EXIT_FINE;
        }
    invocation call;
    int status = options_parse(&call, c, count - 2, arguments + 2);
    return status == EXIT_FINE ? c->run(&call) : status;
}

int main(int count, char **arguments)
{
    fill_standard_descriptors();
    signal(SIGPIPE, SIG_IGN); /* files that are being written elsewhere are completed or removed first */
    return console_finish(dispatch(count, arguments));
}
