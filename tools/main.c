/* roast: the table of commands, and the way from the command line to one of them. Adding a command is one row here
 * and one file. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/closest.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "help.h"

const char *const GROUP_TITLES[COMMAND_GROUPS] = {
    [GROUP_LOOK] = "Look at runs",        [GROUP_COMPARE] = "Compare runs", [GROUP_FILES] = "Run files",
    [GROUP_DATA] = "What is in the data", [GROUP_SELF] = "This command",
};

const command COMMANDS[] = {
    {
        .name = "list",
        .summary = "the runs that there are",
        .group = GROUP_LOOK,
        .operands = "[FOLDER|RUN...]",
        .details =
            "The runs in the cache directory, or in folders, or those named. The newest, which was written last, comes "
            "first, and is called @1 wherever a run is named. What cannot be read is listed with the reason.",
        .example = "roast list --sort rate",
        .options = LIST_OPTIONS,
        .run = cmd_list,
        .most = SIZE_MAX,
        .words = "latest",
    },
    {
        .name = "show",
        .summary = "a run on one screen, or its tables",
        .group = GROUP_LOOK,
        .operands = "RUN",
        .details =
            "RUN is a .roast file, a measurement directory (also of roastcoffea 0.1.x), or a run in the cache "
            "directory: "
            "\"latest\" for your newest that has ended, @2 for the second of roast list, or the front of the name of "
            "its "
            "file or of its processor, if that is one run's alone. Of a run that is still being written it says how "
            "far it is. What is longer "
            "than the terminal goes through a pager. docs/show.md says what each line means.",
        .example = "roast show latest --only chunks,workers",
        .options = SHOW_OPTIONS,
        .run = cmd_show,
        .fewest = 1,
        .most = 1,
        .words = "latest",
    },
    {
        .name = "explain",
        .summary = "what held a run back, with evidence",
        .group = GROUP_LOOK,
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
        .words = "latest",
    },
    {
        .name = "report",
        .summary = "one HTML page of a run, to keep and to share",
        .group = GROUP_LOOK,
        .operands = "RUN",
        .details = "The page needs nothing else and loads nothing: it opens offline, years later, in any browser. It "
                   "is written "
                   "beside the run (run.roast becomes run.html) or where -o says.",
        .example = "roast report latest -o report.html",
        .options = REPORT_OPTIONS,
        .run = cmd_report,
        .fewest = 1,
        .most = 1,
        .words = "latest",
    },
    {
        .name = "plot",
        .summary = "charts of one run",
        .group = GROUP_LOOK,
        .operands = "RUN NAME",
        .details =
            "Draws the chart with this name as SVG, PNG or JSON, by the ending of the output. Without -o it is SVG on "
            "standard output. PNG needs librsvg.",
        .example = "roast plot latest chunk_lanes -o lanes.svg",
        .options = PLOT_OPTIONS,
        .run = cmd_plot,
        .most = 2,
        .words = "latest",
        .word_at = roast_chart_id,
    },
    {
        .name = "compare",
        .summary = "what changed between two runs, with statistics",
        .group = GROUP_COMPARE,
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
        .words = "latest",
    },
    {
        .name = "gate",
        .summary = "whether new runs are worse than a baseline, as an exit status for CI",
        .group = GROUP_COMPARE,
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
        .words = "latest",
    },
    {
        .name = "scale",
        .summary = "throughput against cores, over runs",
        .group = GROUP_COMPARE,
        .operands = "RUN...",
        .details =
            "The same analysis with different numbers of workers. From six runs on, the Universal Scalability Law "
            "and Amdahl's law are fitted, which say how many workers are worth their cost.",
        .example = "roast scale with-*-workers.roast --cost-per-core-hour 0.04",
        .options = SCALE_OPTIONS,
        .run = cmd_scale,
        .fewest = 1,
        .most = SIZE_MAX,
        .words = "latest",
    },
    {
        .name = "export",
        .summary = "a run as JSON, CSV, OpenMetrics or a trace",
        .group = GROUP_FILES,
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
        .words = "latest",
    },
    {
        .name = "import",
        .summary = "turn a measurement of roastcoffea 0.1.x into a run file",
        .group = GROUP_FILES,
        .operands = "DIRECTORY -o FILE.roast",
        .details = "The measurement is only read. The run file appears under its name when it is complete.",
        .example = "roast import benchmarks/2024-05-17 -o benchmarks/2024-05-17.roast",
        .options = IMPORT_OPTIONS,
        .run = cmd_import,
        .fewest = 1,
        .most = 1,
    },
    {
        .name = "rm",
        .summary = "remove run files",
        .group = GROUP_FILES,
        .operands = "RUN...",
        .details = "Removes run files, with what belongs to them, after asking. Anything that is not a run file, a "
                   "folder, and "
                   "a run that is still being written are refused, and then nothing is removed.",
        .example = "roast rm @2 @3",
        .options = RM_OPTIONS,
        .run = cmd_rm,
        .fewest = 1,
        .most = SIZE_MAX,
        .words = "latest",
    },
    {
        .name = "inspect",
        .summary = "what ROOT files hold: trees, branches, compression",
        .group = GROUP_DATA,
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
        .name = "metrics",
        .summary = "the catalogue: what every number means",
        .group = GROUP_DATA,
        .operands = "[WORD...]",
        .details =
            "Lists all metrics, or those that a word tells of: as tables call them, by name, or by what they mean. "
            "Several words are one phrase if there is such a label, else each is looked for.",
        .example = "roast metrics \"waiting for a CPU core\"",
        .options = METRICS_OPTIONS,
        .run = cmd_metrics,
        .most = SIZE_MAX,
        .no_files = true,
    },
    {
        .name = "help",
        .summary = "what roast can do, or how one command is used",
        .group = GROUP_SELF,
        .operands = "[COMMAND]",
        .example = "roast help export",
        .options = HELP_OPTIONS,
        .run = cmd_help,
        .most = 1,
        .word_at = command_name_at,
        .no_files = true,
    },
    {
        .name = "completion",
        .summary = "completion for a shell",
        .group = GROUP_SELF,
        .operands = "SHELL",
        .details = "Prints a script that makes bash, zsh or fish complete commands, options and their values.",
        .example = "source <(roast completion zsh)",
        .options = COMPLETION_OPTIONS,
        .run = cmd_completion,
        .fewest = 1,
        .most = 1,
        .word_at = completion_shell,
        .no_files = true,
    },
    {
        .name = "man",
        .summary = "the manual page, as troff",
        .group = GROUP_SELF,
        .operands = "",
        .example = "roast man | man -l -",
        .options = MAN_OPTIONS,
        .run = cmd_man,
        .hidden = true,
        .no_files = true,
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

const char *command_name_at(size_t index)
{
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden && index-- == 0)
            return c->name;
    return NULL;
}

int command_unknown(const char *name)
{
    const char *close = closest_id(str_from(name), command_name_at);
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
        return command_unknown(name);
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
