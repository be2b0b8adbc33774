/* A command of roast: one row of the table in main.c, one file cmd_NAME.c. Help, the man page, docs/cli.md and shell
 * completion are all written from this. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <roast.h>

enum { MOST_OPTIONS = 16, EXIT_FINE = 0, EXIT_NO = 1, EXIT_TROUBLE = 2, EXIT_UNDECIDED = 3 };

typedef struct option {
    const char *name;     /* without the dashes; a list ends with NULL */
    const char *argument; /* "N"; NULL for a switch */
    const char *help;
    const char *choices;                /* what shell completion offers, separated by spaces */
    char letter;                        /* 0 if there is none */
    const char *(*id_at)(size_t index); /* or ids, NULL after the last: the help lists them too */
} option;

typedef struct invocation invocation;

typedef struct command {
    const char *name, *summary;
    const char *operands; /* "RUN", "[NAME...]" */
    const char *details;  /* a paragraph for --help */
    const char *example;
    const option *options;
    int (*run)(const invocation *call);
    size_t fewest, most; /* operands */
    bool hidden;         /* left out of the lists */
    bool groups;         /* "--" stands between two groups of operands and does not end the options */
} command;

/* A command line, understood. */
struct invocation {
    const command *command;
    const char *values[MOST_OPTIONS]; /* by position in the command's options; NULL if not given, "" for a switch */
    const char *const *operands;
    size_t n_operands;
    size_t n_first; /* operands of the first group; all of them if there is no "--" */
};

/* The table, ended by a row without a name. */
extern const command COMMANDS[];

const command *command_find(const char *name); /* NULL if there is none */

/* Options that several commands share. */
#define OPTION_HELP                                                                                                    \
    {                                                                                                                  \
        "help", NULL, "show this help and exit", NULL, 'h'                                                             \
    }
#define OPTION_JSON                                                                                                    \
    {                                                                                                                  \
        "json", NULL, "print JSON instead of tables", NULL, 0                                                          \
    }
#define OPTION_SALVAGE                                                                                                 \
    {                                                                                                                  \
        "salvage", NULL, "read what can be read of a damaged run", NULL, 0                                             \
    }
#define OPTION_WIDTH                                                                                                   \
    {                                                                                                                  \
        "width", "N", "columns to use (default: those of the terminal, or $COLUMNS, or 80)", NULL, 0                   \
    }
#define OPTION_COLOR                                                                                                   \
    {                                                                                                                  \
        "color", "WHEN", "auto, always or never; auto is on a terminal unless NO_COLOR is set", "auto always never", 0 \
    }

#define OPTION_MARKDOWN                                                                                                \
    {                                                                                                                  \
        "markdown", "FILE", "write the tables as Markdown too, for a comment on a pull request; - is standard output", \
            NULL, 'm'                                                                                                  \
    }

/* Reads the arguments after the command's name. EXIT_FINE, or what was wrong has been said and this is the status. */
int options_parse(invocation *out, const command *of, int count, char **arguments);
/* The one of the words that is close to what was typed; NULL if none is. */
const char *closest_word(const char *typed, const char *(*word_at)(const void *context, size_t index),
                         const void *context);

int cmd_compare(const invocation *call);
int cmd_completion(const invocation *call);
int cmd_explain(const invocation *call);
int cmd_export(const invocation *call);
int cmd_gate(const invocation *call);
int cmd_help(const invocation *call);
int cmd_import(const invocation *call);
int cmd_inspect(const invocation *call);
int cmd_man(const invocation *call);
int cmd_metrics(const invocation *call);
int cmd_plot(const invocation *call);
int cmd_report(const invocation *call);
int cmd_scale(const invocation *call);
int cmd_show(const invocation *call);

extern const option COMPARE_OPTIONS[], COMPLETION_OPTIONS[], EXPLAIN_OPTIONS[], EXPORT_OPTIONS[], GATE_OPTIONS[],
    HELP_OPTIONS[], IMPORT_OPTIONS[], INSPECT_OPTIONS[], MAN_OPTIONS[], METRICS_OPTIONS[], PLOT_OPTIONS[],
    REPORT_OPTIONS[], SCALE_OPTIONS[], SHOW_OPTIONS[];

#endif
