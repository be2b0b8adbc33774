/* roast completion: a script for a shell, with the commands and options as they are in the table. */
#include <string.h>

#include "base/closest.h"
#include "base/str.h"
#include "command.h"
#include "completion.h"
#include "console.h"
#include "help.h"

const option COMPLETION_OPTIONS[] = {{.name = NULL}};

void completion_values(buf *out, const option *o)
{
    buf_text(out, o->choices ? o->choices : "");
    if (o->id_at)
        help_ids(out, o->id_at, " ");
}

void completion_operands(buf *out, const command *c)
{
    buf_text(out, c->words ? c->words : "");
    if (c->words && c->word_at)
        buf_char(out, ' ');
    if (c->word_at)
        help_ids(out, c->word_at, " ");
}

void completion_escaped(buf *out, const char *text, const char *special)
{
    for (const char *c = text; *c; c++) {
        if (*c == ':' && !c[1]) /* before the ids of --help */
            continue;
        if (*c == '\'') {
            buf_text(out, "'\\''");
            continue;
        }
        if (strchr(special, *c))
            buf_char(out, '\\');
        buf_char(out, *c);
    }
}

static const struct shell {
    const char *name;
    void (*write)(buf *out);
} SHELLS[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

enum { SHELL_COUNT = sizeof SHELLS / sizeof SHELLS[0] };

const char *completion_shell(size_t index)
{
    return index < SHELL_COUNT ? SHELLS[index].name : NULL;
}

int cmd_completion(const invocation *call)
{
    const char *name = call->operands[0];
    for (size_t i = 0; i < SHELL_COUNT; i++)
        if (strcmp(name, SHELLS[i].name) == 0) {
            buf out = {0};
            SHELLS[i].write(&out);
            return console_print(&out);
        }
    const char *close = closest_id(str_from(name), completion_shell);
    if (close)
        return complain("there is no completion for \"%s\"; did you mean \"%s\"?", name, close);
    return complain("there is completion for bash, zsh and fish, not for \"%s\"", name);
}
