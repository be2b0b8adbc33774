/* Completion for zsh: arguments as its function _arguments wants them. To be sourced, or a file _roast in $fpath. */
#include "completion.h"

static const char AFTER[] = "    esac\n"
                            "}\n"
                            "if [[ $funcstack[1] == _roast ]]; then _roast \"$@\"; else compdef _roast roast; fi\n";

static void put_commands(buf *out)
{
    buf_text(out, "    if ((CURRENT == 2)); then\n        local -a commands=(\n");
    for (const command *c = COMMANDS; c->name; c++) {
        if (c->hidden)
            continue;
        buf_format(out, "            '%s:", c->name);
        completion_escaped(out, c->summary, "");
        buf_text(out, "'\n");
    }
    buf_text(out, "        )\n        _describe command commands\n        return\n    fi\n");
}

/* '(-o --output)'{-o+,--output=}'[file to write]:PATH:_files' */
static void put_option(buf *out, const option *o)
{
    buf_text(out, " \\\n            ");
    if (o->letter)
        buf_format(out, "'(-%c --%s)'{-%c%s,--%s%s}", o->letter, o->name, o->letter, o->argument ? "+" : "", o->name,
                   o->argument ? "=" : "");
    else
        buf_format(out, "--%s%s", o->name, o->argument ? "=" : "");
    buf_text(out, "'[");
    completion_escaped(out, o->help, "[]:\\");
    buf_char(out, ']');
    if (o->argument && (o->choices || o->id_at)) {
        buf_format(out, o->several ? ":%s:_values -s , %s " : ":%s:(", o->argument, o->argument);
        completion_values(out, o);
        buf_text(out, o->several ? "" : ")");
    } else if (o->argument) {
        buf_format(out, ":%s:_files", o->argument);
    }
    buf_char(out, '\'');
}

static void put_command(buf *out, const command *c)
{
    buf words = {0};
    completion_operands(&words, c);
    buf_format(out, "    %s)\n        _arguments -S", c->name);
    put_option(out, &(option)OPTION_HELP);
    for (const option *o = c->options; o->name; o++)
        put_option(out, o);
    if (words.len || !c->no_files)
        buf_text(out, " \\\n            '*:argument:_alternative");
    if (words.len)
        buf_format(out, " \"words:word:(%s)\"", words.data);
    if (!c->no_files)
        buf_text(out, " \"files:file:_files\"");
    buf_text(out, words.len || !c->no_files ? "' ;;\n" : " ;;\n");
    out->code = out->code ? out->code : words.code;
    buf_release(&words);
}

void completion_zsh(buf *out)
{
    buf_text(out, "#compdef roast\n# zsh completion for roast, written by \"roast completion zsh\"\n_roast() {\n");
    put_commands(out);
    buf_text(out, "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_command(out, c);
    buf_text(out, AFTER);
}
