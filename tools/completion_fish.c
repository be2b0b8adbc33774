/* Completion for fish: a line for each thing to complete, with the condition under which it is offered. */
#include "completion.h"

static const char BEFORE[] = "# fish completion for roast, written by \"roast completion fish\"\n"
                             "function __roast_is\n"
                             "    set -l words (commandline -opc)\n"
                             "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
                             "end\n"
                             "function __roast_begins\n"
                             "    test (count (commandline -opc)) -eq 1\n"
                             "end\n";

static void put_start(buf *out, const command *c)
{
    buf_format(out, "complete -c roast -n '__roast_is %s'", c->name);
}

static void put_help(buf *out, const char *help)
{
    buf_text(out, " -d '");
    completion_escaped(out, help, "\\");
    buf_text(out, "'\n");
}

static void put_option(buf *out, const command *c, const option *o)
{
    bool words = o->choices || o->id_at;
    put_start(out, c);
    buf_format(out, " -l %s", o->name);
    if (o->letter)
        buf_format(out, " -s %c", o->letter);
    if (o->argument)
        buf_text(out, words ? " -x -a '" : " -r");
    if (words) {
        completion_values(out, o);
        buf_char(out, '\'');
    }
    put_help(out, o->help);
}

static void put_command(buf *out, const command *c)
{
    buf_format(out, "complete -c roast -n __roast_begins -f -a %s", c->name);
    put_help(out, c->summary);
    buf words = {0};
    completion_operands(&words, c);
    if (words.len || c->no_files) {
        put_start(out, c);
        buf_format(out, "%s -a '%s'\n", c->no_files ? " -f" : "", words.len ? words.data : "");
    }
    put_option(out, c, &(option)OPTION_HELP);
    for (const option *o = c->options; o->name; o++)
        put_option(out, c, o);
    out->code = out->code ? out->code : words.code;
    buf_release(&words);
}

void completion_fish(buf *out)
{
    buf_text(out, BEFORE);
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_command(out, c);
}
