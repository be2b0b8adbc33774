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
    const char *choices;                /* what it takes, separated by spaces: for completion, and checked */
    char letter;                        /* 0 if there is none */
    const char *(*id_at)(size_t index); /* or ids, NULL after the last: the help lists them too */
    bool several;                       /* it takes several of them, separated by commas */
    bool others;                        /* and words that are not among them */
} option;

typedef struct invocation invocation;

/* What commands are for, in the order of the overview. */
typedef enum command_group {
    GROUP_LOOK,
    GROUP_COMPARE,
    GROUP_FILES,
    GROUP_DATA,
    GROUP_SELF,
    COMMAND_GROUPS
} command_group;

extern const char *const GROUP_TITLES[COMMAND_GROUPS];

typedef struct command {
    const char *name, *summary;
    command_group group;
    const char *operands; /* "RUN", "[NAME...]" */
    const char *details;  /* a paragraph for --help */
    const char *example;
    const option *options;
    int (*run)(const invocation *call);
    size_t fewest, most; /* operands */
    bool hidden;         /* left out of the lists */
    const char *words;   /* what completion offers for operands, separated by spaces, beside files … */
    const char *(*word_at)(size_t index); /* … and ids, NULL after the last */
    bool no_files;                        /* operands are no files */
    bool groups;                          /* "--" stands between two groups of operands and does not end the options */
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
/* Names of commands that are not hidden, NULL after the last. */
const char *command_name_at(size_t index);
int command_unknown(const char *name);
const char *completion_shell(size_t index); /* NULL after the last */

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

#define OPTION_NO_PAGER                                                                                                \
    {                                                                                                                  \
        "no-pager", NULL, "print what is longer than the terminal at once, not through $PAGER or less", NULL, 0        \
    }

#define OPTION_MARKDOWN                                                                                                \
    {                                                                                                                  \
        "markdown", "FILE", "write the tables as Markdown too, for a comment on a pull request; - is standard output", \
            NULL, 'm'                                                                                                  \
    }

/* Reads the arguments after the command's name. EXIT_FINE, or what was wrong has been said and this is the status. */
int options_parse(invocation *out, const command *of, int count, char **arguments);
int cmd_compare(const invocation *call);
int cmd_completion(const invocation *call);
int cmd_explain(const invocation *call);
int cmd_export(const invocation *call);
int cmd_gate(const invocation *call);
int cmd_help(const invocation *call);
int cmd_import(const invocation *call);
int cmd_inspect(const invocation *call);
int cmd_list(const invocation *call);
int cmd_man(const invocation *call);
int cmd_metrics(const invocation *call);
int cmd_plot(const invocation *call);
int cmd_report(const invocation *call);
int cmd_rm(const invocation *call);
int cmd_scale(const invocation *call);
int cmd_show(const invocation *call);

extern const option COMPARE_OPTIONS[], COMPLETION_OPTIONS[], EXPLAIN_OPTIONS[], EXPORT_OPTIONS[], GATE_OPTIONS[],
    HELP_OPTIONS[], IMPORT_OPTIONS[], INSPECT_OPTIONS[], LIST_OPTIONS[], MAN_OPTIONS[], METRICS_OPTIONS[],
    PLOT_OPTIONS[], REPORT_OPTIONS[], RM_OPTIONS[], SCALE_OPTIONS[], SHOW_OPTIONS[];

#endif
