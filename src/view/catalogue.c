/* The metric catalogue as tables: name, unit, meaning, where it is on the screen and other names, scope by scope. A
 * metric is found by any of them: by names and labels if these have what was typed, else by what it means. */
#include "view/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/error.h"
#include "base/str.h"
#include "view/labels.h"
#include "view/table_writer.h"

static const table_column COLUMNS[] = {
    {"name"},
    {"unit", .priority = 2},
    {"meaning", .most_lines = 6},
    {"on the screen", .most_lines = 6, .priority = 1},
    {"also answers to", .most_lines = 6, .priority = 3},
};

/* ---- Finding --------------------------------------------------------------------------------------------------- */

/* Letters in lower case, and one space for whatever is between words: "Event rate, per core" is event_rate_per_core. */
static void put_plain(buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool upper = *c >= 'A' && *c <= 'Z', letter = upper || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        if (letter || (unsigned char)*c >= 0x80)
            buf_char(out, upper ? (char)(*c - 'A' + 'a') : *c);
        else if (out->len && out->data[out->len - 1] != ' ')
            buf_char(out, ' ');
    }
    while (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

typedef enum looked_at { IN_NAMES, IN_MEANING, WORD_BY_WORD, PLACES } looked_at;

/* What a metric can be found by: its names and labels, and what it means. */
static void put_searched(buf *out, metric_id id, looked_at place)
{
    const roast_metric *metric = metric_info(id);
    if (place != IN_MEANING) {
        buf_format(out, "%s | %s | ", metric->name, metric->aliases);
        buf labels = {0};
        labels_put(&labels, id);
        buf_str(out, buf_view(&labels));
        out->code = out->code ? out->code : labels.code;
        buf_release(&labels);
    }
    if (place != IN_NAMES)
        buf_format(out, " | %s | %s", metric->help, metric->formula);
}

static bool has_every_word(const char *text, roast_str phrase)
{
    bool all = phrase.len > 0;
    while (all && !str_absent(phrase)) {
        roast_str word = str_split(&phrase, ' ');
        all = memmem(text, strlen(text), word.ptr, word.len) != NULL;
    }
    return all;
}

static bool tells_of(const char *text, roast_str phrase, looked_at place)
{
    if (place == WORD_BY_WORD)
        return has_every_word(text, phrase);
    return phrase.len && memmem(text, strlen(text), phrase.ptr, phrase.len);
}

/* Marks the metrics that tell of a phrase there, and says how many; sticky errors are in plain. */
static size_t mark(bool *chosen, roast_str phrase, looked_at place, buf *plain)
{
    size_t found = 0;
    buf text = {0};
    for (metric_id id = 0; id < METRIC_COUNT && !plain->code; id++) {
        buf_clear(&text);
        buf_clear(plain);
        put_searched(&text, id, place);
        put_plain(plain, text.data ? text.data : "");
        plain->code = plain->code ? plain->code : text.code;
        bool tells = !plain->code && plain->len && tells_of(plain->data, phrase, place);
        chosen[id] |= tells;
        found += tells;
    }
    buf_release(&text);
    return found;
}

/* As one phrase, if names or labels have it; else each word for itself, in the first place that has it. */
static roast_code choose(bool *chosen, const char *const *words, size_t n_words, roast_error *err)
{
    buf phrase = {0}, plain = {0};
    for (size_t i = 0; i < n_words; i++) {
        buf_char(&phrase, ' ');
        put_plain(&phrase, words[i]);
    }
    bool found = n_words > 1 && phrase.len && mark(chosen, str_trim(buf_view(&phrase)), IN_NAMES, &plain);
    for (size_t i = 0; i < n_words && !found; i++) {
        buf_clear(&phrase);
        put_plain(&phrase, words[i]);
        for (looked_at place = 0; place < PLACES && !plain.code; place++)
            if (mark(chosen, buf_view(&phrase), place, &plain))
                break;
    }
    roast_code code = phrase.code || plain.code ? fail_memory(err) : ROAST_OK;
    buf_release(&phrase);
    buf_release(&plain);
    return code;
}

static const char *word_to_guess(size_t index)
{
    return index < METRIC_COUNT ? metric_info((metric_id)index)->name : labels_line(index - METRIC_COUNT);
}

static roast_code fail_to_find(const char *typed, roast_error *err)
{
    const char *close = closest_id(str_from(typed), word_to_guess);
    if (close)
        return fail(err, ROAST_MISSING, "no metric tells of \"%s\"; did you mean \"%s\"? All of them: roast metrics",
                    typed, close);
    return fail(err, ROAST_MISSING, "no metric tells of \"%s\"; all of them: roast metrics", typed);
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

static void write_scope(table_writer *w, roast_scope scope, const bool *chosen)
{
    const char *name = roast_scope_name(scope);
    bool begun = false;
    for (metric_id id = metric_first(scope); id < METRIC_COUNT && metric_info(id)->scope == scope; id++) {
        const roast_metric *metric = metric_info(id);
        if (!chosen[id])
            continue;
        if (!begun)
            writer_begin(w, name, name, COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0], metric_count(scope));
        begun = true;
        writer_text(w, str_from(metric->name), TONE_STRONG);
        writer_text(w, str_from(metric->unit), TONE_QUIET);
        writer_text(w, str_from(metric->help), TONE_PLAIN);
        labels_put(&w->text, id);
        writer_cell(w, TONE_PLAIN, NOTHING);
        writer_text(w, str_from(metric->aliases), TONE_QUIET);
    }
}

roast_code catalogue_tables(table_set *out, const char *const *words, size_t n_words, roast_error *err)
{
    table_writer w;
    bool chosen[METRIC_COUNT] = {false};
    *out = (table_set){0};
    if (!n_words)
        memset(chosen, true, sizeof chosen);
    roast_code code = choose(chosen, words, n_words, err);
    if (code)
        return code;
    if (!memchr(chosen, true, sizeof chosen))
        return fail_to_find(words[0], err);
    writer_init(&w, out, ROAST_SCOPE_COUNT);
    for (size_t scope = 0; scope < ROAST_SCOPE_COUNT; scope++)
        write_scope(&w, (roast_scope)scope, chosen);
    return writer_finish(&w, err);
}
