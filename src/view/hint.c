/* Hints are copied and run: the path stands in them as a shell, or as Python, takes it. */
#include "view/hint.h"

#include <string.h>

#include "base/str.h"
#include "view/json.h"
#include "view/table.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_@%+=:,./-", c));
}

static void put_shell_word(buf *out, roast_str word)
{
    bool plain = word.len > 0;
    for (size_t i = 0; i < word.len; i++)
        plain &= is_plain(word.ptr[i]);
    if (plain) {
        buf_str(out, word);
        return;
    }
    buf_char(out, '\'');
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '\'')
            buf_text(out, "'\\''");
        else
            buf_char(out, word.ptr[i]);
    buf_char(out, '\'');
}

static void put_command(buf *out, const roast_summary *s, const char *command)
{
    buf_format(out, "roast %s ", command);
    if (str_absent(s->path))
        buf_text(out, "RUN");
    else
        put_shell_word(out, s->path);
}

/* JSON's escapes are Python's. */
void hint_run(buf *out, const roast_summary *s)
{
    buf_text(out, "roastcoffea.open_run(");
    if (str_absent(s->path))
        buf_text(out, "…");
    else
        json_put_quoted(out, s->path);
    buf_text(out, ")");
}

void hint_show(buf *out, const roast_summary *s, const char *tables)
{
    if (!s->for_python) {
        put_command(out, s, "show");
        buf_format(out, " --only %s", tables);
    } else if (strcmp(tables, "missing") == 0) {
        hint_run(out, s);
        buf_text(out, ".missing");
    } else {
        buf_text(out, "print(");
        hint_run(out, s);
        buf_format(out, ".summary.text(only=\"%s\"))", tables);
    }
}

/* A line that each of them is copied from. */
void hint_more(buf *out, const roast_summary *s)
{
    if (s->for_python) {
        buf_text(out, "run = ");
        hint_run(out, s);
        buf_text(out, TABLE_DOT "run.explain()" TABLE_DOT "run.report(\"report.html\")" TABLE_DOT
                                "run.print_summary(full=True)");
        return;
    }
    put_command(out, s, "explain");
    buf_text(out, TABLE_DOT);
    put_command(out, s, "report");
    buf_text(out, TABLE_DOT);
    put_command(out, s, "show");
    buf_text(out, " --all");
}

void hint_explain(buf *out, const roast_summary *s)
{
    if (!s->for_python) {
        put_command(out, s, "explain");
        return;
    }
    hint_run(out, s);
    buf_text(out, ".explain()");
}
