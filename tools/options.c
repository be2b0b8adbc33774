/* Options from the command's table: --name value, --name=value, -o value, -ovalue; "--" ends them, or stands between
 * two groups of operands where a command has such; "-" is an operand. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "console.h"

/* ---- Suggestions --------------------------------------------------------------------------------------------- */

enum { LONGEST_WORD = 32 };

/* Letters to insert, delete, replace or swap to get from one word to the other. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), rows[3][LONGEST_WORD + 1];
    if (la > LONGEST_WORD || lb > LONGEST_WORD)
        return SIZE_MAX;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= lb; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= la; i++) {
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *oldest = before;
        before = last, last = now, now = oldest;
    }
    return last[lb];
}

const char *closest_word(const char *typed, const char *(*word_at)(const void *context, size_t index),
                         const void *context)
{
    const char *closest = NULL, *word;
    size_t typed_length = strlen(typed), smallest = typed_length < 4 ? 2 : 3; /* a guess must be better than this */
    for (size_t i = 0; (word = word_at(context, i)); i++) {
        size_t distance = edit_distance(typed, word);
        if (typed_length >= 2 && strncmp(typed, word, typed_length) == 0)
            distance = 1; /* a front of it */
        if (distance < smallest) {
            smallest = distance;
            closest = word;
        }
    }
    return closest;
}

static const char *option_name_at(const void *context, size_t index)
{
    const option *options = context;
    return options[index].name;
}

/* ---- Parsing ------------------------------------------------------------------------------------------------- */

static int unknown_option(const command *of, const char *typed, const char *name)
{
    const char *close = closest_word(name, option_name_at, of->options);
    if (close)
        return complain("roast %s has no option %s; did you mean --%s?", of->name, typed, close);
    return complain("roast %s has no option %s; see roast %s --help", of->name, typed, of->name);
}

static const option *find_long(const command *of, const char *name, size_t length)
{
    for (const option *o = of->options; o->name; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const option *find_letter(const command *of, char letter)
{
    for (const option *o = of->options; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* Where parsing is; the next argument may be an option's value. */
typedef struct command_line {
    invocation *out;
    char **arguments;
    int count, at;
} command_line;

static int take_value(command_line *s, const option *o, const char *typed, const char *attached)
{
    const char **value = &s->out->values[o - s->out->command->options];
    if (!o->argument) {
        if (attached)
            return complain("--%s takes no value", o->name);
        *value = "";
        return EXIT_FINE;
    }
    if (!attached) {
        if (s->at + 1 >= s->count)
            return complain("%s needs a value: %s", typed, o->argument);
        attached = s->arguments[++s->at];
    }
    *value = attached;
    return EXIT_FINE;
}

static int take_long(command_line *s, const char *typed)
{
    const char *name = typed + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *o = find_long(s->out->command, name, length);
    if (!o) {
        char only_name[LONGEST_WORD + 1] = "";
        if (length <= LONGEST_WORD)
            memcpy(only_name, name, length);
        return unknown_option(s->out->command, typed, only_name);
    }
    return take_value(s, o, typed, equals ? equals + 1 : NULL);
}

static int take_letters(command_line *s, const char *typed)
{
    for (const char *letter = typed + 1; *letter; letter++) {
        const option *o = find_letter(s->out->command, *letter);
        if (!o)
            return unknown_option(s->out->command, typed, "");
        bool takes_rest = o->argument && letter[1];
        int status = take_value(s, o, typed, takes_rest ? letter + 1 : NULL);
        if (status != EXIT_FINE || o->argument)
            return status;
    }
    return EXIT_FINE;
}

static int check_operands(const invocation *call)
{
    const command *c = call->command;
    if (call->n_operands < c->fewest)
        return complain("something is missing: roast %s %s; see roast %s --help", c->name, c->operands, c->name);
    if (call->n_operands > c->most)
        return complain("\"%s\" is one too many: roast %s %s; see roast %s --help", call->operands[c->most], c->name,
                        c->operands, c->name);
    return EXIT_FINE;
}

int options_parse(invocation *out, const command *of, int count, char **arguments)
{
    *out = (invocation){.command = of, .operands = (const char *const *)arguments};
    command_line s = {out, arguments, count, 0};
    bool only_operands = false, second_group = false;
    for (; s.at < count; s.at++) {
        char *typed = arguments[s.at];
        int status = EXIT_FINE;
        if (only_operands || typed[0] != '-' || typed[1] == '\0')
            arguments[out->n_operands++] = typed; /* operands gather at the front of the array */
        else if (strcmp(typed, "--") == 0 && of->groups && second_group)
            status = complain("\"--\" stands between two groups of runs, once; see roast %s --help", of->name);
        else if (strcmp(typed, "--") == 0 && of->groups)
            second_group = true, out->n_first = out->n_operands;
        else if (strcmp(typed, "--") == 0)
            only_operands = true;
        else
            status = typed[1] == '-' ? take_long(&s, typed) : take_letters(&s, typed);
        if (status != EXIT_FINE)
            return status;
    }
    if (!second_group)
        out->n_first = out->n_operands;
    return check_operands(out);
}
