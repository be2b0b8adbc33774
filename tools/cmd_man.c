/* roast man: the manual page, as troff. The build installs it. */
#include "base/buf.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "help.h"

const option MAN_OPTIONS[] = {{.name = NULL}};

/* A dash is a hyphen to troff, a dot or quote at the start of a line is a request, and a backslash an escape. */
static void put_troff(buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool starts_line = out->len == 0 || out->data[out->len - 1] == '\n';
        if (starts_line && (*c == '.' || *c == '\''))
            buf_text(out, "\\&");
        if (*c == '-')
            buf_text(out, "\\-");
        else if (*c == '\\')
            buf_text(out, "\\e");
        else
            buf_char(out, *c);
    }
}

static void put_option(buf *out, const option *o)
{
    buf_text(out, ".TP\n\\fB");
    if (o->letter)
        buf_format(out, "\\-%c\\fR, \\fB", o->letter);
    buf_text(out, "\\-\\-");
    put_troff(out, o->name);
    buf_text(out, "\\fR");
    if (o->argument)
        buf_format(out, " \\fI%s\\fR", o->argument);
    buf_char(out, '\n');
    buf help = {0};
    help_option(&help, o);
    put_troff(out, help.code ? o->help : help.data);
    buf_release(&help);
    buf_char(out, '\n');
}

static void put_command(buf *out, const command *c)
{
    buf_format(out, ".SS roast %s ", c->name);
    put_troff(out, c->operands);
    buf_char(out, '\n');
    put_troff(out, c->summary);
    buf_text(out, ".\n");
    if (c->details) {
        put_troff(out, c->details);
        buf_char(out, '\n');
    }
    for (const option *o = c->options; o->name; o++)
        put_option(out, o);
    buf_text(out, ".PP\nExample:\n.PP\n.RS\n.EX\n");
    put_troff(out, c->example);
    buf_text(out, "\n.EE\n.RE\n");
}

int cmd_man(const invocation *call)
{
    (void)call;
    buf out = {0};
    buf_format(&out, ".TH ROAST 1 \"\" \"roast %s\" \"User commands\"\n", roast_version());
    buf_text(&out, ".SH NAME\nroast \\- how fast a Coffea analysis was, and where its time went\n"
                   ".SH SYNOPSIS\n.B roast\n.I COMMAND\n[\\fIARGUMENT\\fR...]\n.SH COMMANDS\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_command(&out, c);
    buf_text(&out, ".SH EXIT STATUS\n"
                   "0 fine, 1 the answer is no, 2 wrong usage or bad input, 3 not enough evidence.\n"
                   ".SH ENVIRONMENT\n"
                   ".TP\n.B COLUMNS\nThe width of tables, before that of the terminal.\n"
                   ".TP\n.B NO_COLOR\nIf set and not empty, no colours unless \\-\\-color=always is given.\n"
                   ".TP\n.B LC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\n"
                   "Without UTF\\-8 in the first of them that is set, tables are ASCII.\n"
                   ".TP\n.B XDG_CACHE_HOME\nWhere \"latest\" looks for runs, in roastcoffea/ (default: ~/.cache).\n");
    return console_print(&out);
}
