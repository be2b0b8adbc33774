/* Options from the command's table: --name value, --name=value, -o value, -ovalue; "--" ends them, or stands between
 * two groups of operands where a command has such; "-" is an operand. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/closest.h"
#include "base/str.h"
#include "command.h"
#include "console.h"

static const char *option_name_at(const void *context, size_t index)
{
    const option *options = context;
    return options[index].name;
}

/* ---- Parsing ------------------------------------------------------------------------------------------------- */

static int unknown_option(const command *of, const char *typed, roast_str name)
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

/* The words that an option takes, one at a time. */
typedef struct choice_words {
    const option *of;
    char text[256]; /* each ended by a NUL, the last by two */
} choice_words;

static const char *choice_at(const void *context, size_t index)
{
    const choice_words *words = context;
    if (words->of->id_at)
        return words->of->id_at(index);
    const char *word = words->text;
    while (*word && index--)
        word += strlen(word) + 1;
    return *word ? word : NULL;
}

static int unknown_choice(const choice_words *words, roast_str value)
{
    int length = value.len < 64 ? (int)value.len : 64;
    const char *name = words->of->name, *close = closest_word(value, choice_at, words);
    if (close)
        return complain("--%s: there is no \"%.*s\"; did you mean \"%s\"?", name, length, value.ptr, close);
    buf list = {0};
    for (size_t i = 0; choice_at(words, i); i++)
        buf_format(&list, "%s%s", i ? ", " : "", choice_at(words, i));
    int status = complain("--%s %.*s: not one of %s", name, length, value.ptr, list.code ? "those" : list.data);
    buf_release(&list);
    return status;
}

static bool is_choice(const choice_words *words, roast_str value)
{
    const char *word;
    for (size_t i = 0; (word = choice_at(words, i)); i++)
        if (str_equal(str_from(word), value))
            return true;
    return false;
}

/* The value of an option that takes one of some words, or several of them. */
static int check_choice(const option *o, const char *value)
{
    choice_words words = {.of = o};
    roast_str rest = str_from(value);
    if ((!o->choices && !o->id_at) || o->others)
        return EXIT_FINE;
    for (size_t i = 0; o->choices && o->choices[i] && i + 2 < sizeof words.text; i++)
        words.text[i] = o->choices[i] == ' ' ? '\0' : o->choices[i];
    while (!str_absent(rest)) {
        roast_str one = o->several ? str_trim(str_split(&rest, ',')) : rest;
        if (!is_choice(&words, one))
            return unknown_choice(&words, one);
        rest = o->several ? rest : str_none();
    }
    return EXIT_FINE;
}

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
    return check_choice(o, attached);
}

static int take_long(command_line *s, const char *typed)
{
    const char *name = typed + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *o = find_long(s->out->command, name, length);
    if (!o)
        return unknown_option(s->out->command, typed, (roast_str){name, length});
    return take_value(s, o, typed, equals ? equals + 1 : NULL);
}

static int take_letters(command_line *s, const char *typed)
{
    for (const char *letter = typed + 1; *letter; letter++) {
        const option *o = find_letter(s->out->command, *letter);
        if (!o)
            return unknown_option(s->out->command, typed, STR(""));
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
