/* Completion for bash, which shows words and nothing beside them. */
#include "completion.h"

static const char BEFORE[] = "# bash completion for roast, written by \"roast completion bash\"\n"
                             "_roast() {\n"
                             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                             "    COMPREPLY=()\n";
static const char AFTER[] = "    esac\n"
                            "    if [[ $word == -* ]]; then\n"
                            "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                            "    else\n"
                            "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                            "        [[ $files ]] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                            "    fi\n"
                            "}\n"
                            "complete -o filenames -F _roast roast\n";

static void put_commands(buf *out)
{
    buf_text(out, "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; command_name_at(i); i++)
        buf_format(out, "%s ", command_name_at(i));
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
        buf_text(out, ") COMPREPLY=($(compgen ");
        if (o->choices || o->id_at) {
            buf_text(out, "-W \"");
            completion_values(out, o);
            buf_char(out, '"');
        } else {
            buf_text(out, "-f");
        }
        buf_text(out, " -- \"$word\")); return ;;\n");
    }
}

static void put_options(buf *out, const command *c)
{
    buf_format(out, "    %s) options=\"--help", c->name);
    for (const option *o = c->options; o->name; o++)
        buf_format(out, " --%s", o->name);
    buf_text(out, "\" words=\"");
    completion_operands(out, c);
    buf_format(out, "\"%s ;;\n", c->no_files ? "" : " files=yes");
}

void completion_bash(buf *out)
{
    buf_text(out, BEFORE);
    put_commands(out);
    buf_text(out, "    case \"${COMP_WORDS[1]}:$before\" in\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_values(out, c);
    buf_text(out, "    esac\n    local options=\"\" words=\"\" files=\"\"\n    case \"${COMP_WORDS[1]}\" in\n");
    for (const command *c = COMMANDS; c->name; c++)
        if (!c->hidden)
            put_options(out, c);
    buf_text(out, AFTER);
}
