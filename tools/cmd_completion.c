/* roast completion: a script for the shell, with the commands and options as they are in the table. */
#include <string.h>

#include "base/buf.h"
#include "command.h"
#include "console.h"
#include "help.h"

const option COMPLETION_OPTIONS[] = {{.name = NULL}};

static const char BEFORE[] = "# bash completion for roast, written by \"roast completion bash\"\n"
                             "_roast() {\n"
                             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                             "    COMPREPLY=()\n";
static const char AFTER[] = "}\n"
                            "complete -o filenames -F _roast roast\n";

static void put_commands(buf *out)
{
    buf_text(out, "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W \"");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            buf_format(out, "%s ", c->name);
    buf_text(out, "--help --version\" -- \"$word\"))\n        return\n    fi\n");
}

/* After an option with choices: those. After one that takes something else: files. */
static void put_values(buf *out, const command *c)
{
    for (const option *o = c->options; o->name; o++) {
        if (!o->argument)
            continue;
        buf_format(out, "    %s:--%s", c->name, o->name);
        if (o->letter)
            buf_format(out, " | %s:-%c", c->name, o->letter);
        if (o->choices || o->id_at) {
            buf_text(out, ") COMPREPLY=($(compgen -W \"");
            buf_text(out, o->choices ? o->choices : "");
            if (o->id_at)
                help_ids(out, o, " ");
            buf_text(out, "\" -- \"$word\")); return ;;\n");
        } else {
            buf_text(out, ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
        }
    }
}

static void put_options(buf *out, const command *c)
{
    buf_format(out, "    %s) options=\"--help", c->name);
    for (const option *o = c->options; o->name; o++)
        buf_format(out, " --%s", o->name);
    buf_char(out, '"');
    if (c->operands[0] && strncmp(c->operands, "RUN", 3) == 0)
        buf_text(out, " words=latest");
    else if (strcmp(c->operands, "bash") == 0)
        buf_text(out, " words=bash");
    buf_text(out, " ;;\n");
}

int cmd_completion(const invocation *call)
{
    if (strcmp(call->operands[0], "bash") != 0)
        return complain("there is completion for bash, not for \"%s\"", call->operands[0]);
    buf out = {0};
    buf_text(&out, BEFORE);
    put_commands(&out);
    buf_text(&out, "    case \"${COMP_WORDS[1]}:$before\" in\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_values(&out, c);
    buf_text(&out, "    esac\n    local options=\"\" words=\"\"\n    case \"${COMP_WORDS[1]}\" in\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_options(&out, c);
    buf_text(&out, "    esac\n"
                   "    if [[ $word == -* ]]; then\n"
                   "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                   "    else\n"
                   "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
                   "    fi\n");
    buf_text(&out, AFTER);
    return console_print(&out);
}
