/* raw_span_metrics: Dask's fine metrics. Their keys were tuples, and are written as Python shows a tuple:
 * "('execute', 'Proc', 'thread-cpu', 'seconds')". Scripts also give them without the unit. */
#include <math.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/intern.h"
#include "source/legacy/parts.h"

#define TUPLE_LENGTH 4

/* ---- A tuple of strings, as Python shows it ---------------------------------------------------------------------- */

typedef struct tuple {
    buf text; /* of all items, one after the other */
    size_t ends[TUPLE_LENGTH];
    size_t count;
} tuple;

static void skip_spaces(cursor *c)
{
    while (cursor_left(c) && *c->at == ' ')
        cursor_skip(c, 1);
}

static void write_utf8(buf *out, uint32_t code)
{
    if (code < 0x80) {
        buf_char(out, (char)code);
        return;
    }
    if (code < 0x800) {
        buf_char(out, (char)(0xC0 | code >> 6));
    } else if (code < 0x10000) {
        buf_char(out, (char)(0xE0 | code >> 12));
        buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
    } else {
        buf_char(out, (char)(0xF0 | code >> 18));
        buf_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
        buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
    }
    buf_char(out, (char)(0x80 | (code & 0x3F)));
}

static bool read_hex(cursor *c, size_t digits, uint32_t *code)
{
    *code = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = cursor_u8(c);
        if (digit >= '0' && digit <= '9')
            digit -= '0';
        else if (digit >= 'a' && digit <= 'f')
            digit -= 'a' - 10;
        else
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
}

/* What follows a backslash; repr writes no others than these. */
static bool read_escape(cursor *c, buf *out)
{
    uint32_t code;
    uint8_t letter = cursor_u8(c);
    switch (letter) {
    case '\\':
    case '\'':
    case '"':
        buf_char(out, (char)letter);
        return true;
    case 'n':
        buf_char(out, '\n');
        return true;
    case 'r':
        buf_char(out, '\r');
        return true;
    case 't':
        buf_char(out, '\t');
        return true;
    case 'x':
    case 'u':
    case 'U':
        if (!read_hex(c, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, &code))
            return false;
        write_utf8(out, code);
        return true;
    default:
        return false;
    }
}

static bool read_quoted(cursor *c, buf *out)
{
    uint8_t quote = cursor_u8(c);
    if (quote != '\'' && quote != '"')
        return false;
    while (cursor_left(c)) {
        uint8_t byte = cursor_u8(c);
        if (byte == quote)
            return true;
        if (byte != '\\')
            buf_char(out, (char)byte);
        else if (!read_escape(c, out))
            return false;
    }
    return false;
}

/* True for four strings, or three. */
static bool read_tuple(roast_str text, tuple *t)
{
    cursor c = cursor_over(text.ptr, text.len);
    buf_clear(&t->text);
    t->count = 0;
    if (cursor_u8(&c) != '(')
        return false;
    for (;;) {
        skip_spaces(&c);
        if (t->count == TUPLE_LENGTH || !read_quoted(&c, &t->text))
            return false;
        t->ends[t->count++] = t->text.len;
        skip_spaces(&c);
        uint8_t next = cursor_u8(&c);
        if (next == ')')
            return t->count >= TUPLE_LENGTH - 1 && !c.failed && cursor_left(&c) == 0;
        if (next != ',')
            return false;
    }
}

static roast_str tuple_item(const tuple *t, size_t index)
{
    size_t start = index ? t->ends[index - 1] : 0;
    return (roast_str){t->text.data ? t->text.data + start : "", t->ends[index] - start};
}

/* The unit of a key that has none: what Dask counts in bytes, and times. */
static roast_str usual_unit(roast_str activity)
{
    static const roast_str in_bytes[] = {{"memory-read", 11}, {"disk-read", 9}, {"disk-write", 10}};
    for (size_t i = 0; i < sizeof in_bytes / sizeof *in_bytes; i++)
        if (str_equal(activity, in_bytes[i]))
            return STR("bytes");
    return STR("seconds");
}

/* ---- Whose tasks ran the processor --------------------------------------------------------------------------------
 */

typedef struct prefix_times {
    double cpu, noncpu;
} prefix_times;

typedef struct spans {
    legacy_reader *r;
    tuple key;
    intern prefixes;
    prefix_times *times; /* by number of the prefix */
    size_t times_capacity;
    size_t unreadable; /* keys that are no such tuple */
} spans;

static bool is_of_the_engine(roast_str prefix)
{
    static const roast_str names[] = {{"automatic_retries", 17}, {"reduce", 6}, {"lambda", 6}, {"N/A", 3}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(prefix, names[i]))
            return true;
    return false;
}

static roast_code add_times(spans *s, const roast_activity *activity)
{
    bool added;
    uint32_t prefix = intern_add(&s->prefixes, activity->prefix, &added);
    if (prefix == INTERN_NONE || !legacy_grow((void **)&s->times, &s->times_capacity, prefix, sizeof *s->times))
        return fail_memory(s->r->err);
    if (added)
        s->times[prefix] = (prefix_times){0};
    if (str_equal(activity->activity, STR("thread-cpu")))
        s->times[prefix].cpu += activity->value;
    else if (str_equal(activity->activity, STR("thread-noncpu")))
        s->times[prefix].noncpu += activity->value;
    return ROAST_OK;
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* The totals of the processor that the measurement states, under the names of two generations. */
static roast_code stated_times(spans *s, prefix_times *stated)
{
    static const char *const cpu[] = {"processor_cpu_time_seconds", "cpu_time_seconds"};
    static const char *const noncpu[] = {"processor_noncpu_time_seconds", "processor_io_wait_time_seconds",
                                         "io_time_seconds"};
    *stated = (prefix_times){(double)NAN, (double)NAN};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && isnan(stated->cpu) && i < sizeof cpu / sizeof *cpu; i++) {
        json_place at = place_member(&s->r->metrics_file, cpu[i]);
        code = json_read_real(&at, json_object_get(s->r->metrics, cpu[i]), &stated->cpu, s->r->err);
    }
    for (size_t i = 0; !code && isnan(stated->noncpu) && i < sizeof noncpu / sizeof *noncpu; i++) {
        json_place at = place_member(&s->r->metrics_file, noncpu[i]);
        code = json_read_real(&at, json_object_get(s->r->metrics, noncpu[i]), &stated->noncpu, s->r->err);
    }
    return code;
}

/* The prefix whose times are the ones stated for the processor. If those are the sum over all prefixes, no processor
 * was given to the collector, and none is named here. If they fit nothing, the prefix that is not of the engine's
 * own helpers, where there is only one. */
static uint32_t find_processor(const spans *s, prefix_times stated)
{
    prefix_times all = {0};
    uint32_t candidate = INTERN_NONE;
    size_t candidates = 0;
    for (uint32_t i = 0; i < s->prefixes.count; i++) {
        const prefix_times *own = &s->times[i];
        if (own->cpu > 0 && is_close(own->cpu, stated.cpu) && is_close(own->noncpu, stated.noncpu))
            return i;
        all.cpu += own->cpu;
        all.noncpu += own->noncpu;
        if (own->cpu + own->noncpu > 0 && !is_of_the_engine(s->prefixes.strings[i])) {
            candidate = i;
            candidates++;
        }
    }
    bool everything = is_close(all.cpu, stated.cpu) && is_close(all.noncpu, stated.noncpu);
    return candidates == 1 && !everything ? candidate : INTERN_NONE;
}

static roast_code name_processor(spans *s)
{
    prefix_times stated;
    roast_str name;
    json_place at = place_member(&s->r->metrics_file, "processor_name");
    roast_code code = json_read_text(&at, json_object_get(s->r->metrics, "processor_name"), &name, s->r->err);
    if (!code)
        code = stated_times(s, &stated);
    if (code)
        return code;
    uint32_t prefix = str_absent(name) ? find_processor(s, stated) : INTERN_NONE;
    if (prefix != INTERN_NONE)
        name = s->prefixes.strings[prefix];
    return str_absent(name) ? ROAST_OK : s->r->sink->fact(s->r->sink->context, "processor", name, s->r->err);
}

/* ---- The activities
 * -------------------------------------------------------------------------------------------------- */

static roast_code read_activity(spans *s, const json_place *at, const char *key, const json_t *value)
{
    roast_activity activity = roast_activity_none();
    roast_code code = json_read_real(at, value, &activity.value, s->r->err);
    if (code || isnan(activity.value))
        return code;
    bool readable = read_tuple(str_from(key), &s->key);
    if (s->key.text.code)
        return fail_memory(s->r->err);
    if (!readable) {
        s->unreadable++;
        return ROAST_OK;
    }
    activity.context = tuple_item(&s->key, 0);
    activity.prefix = tuple_item(&s->key, 1);
    activity.activity = tuple_item(&s->key, 2);
    activity.unit = s->key.count == TUPLE_LENGTH ? tuple_item(&s->key, 3) : usual_unit(activity.activity);
    code = add_times(s, &activity);
    return code ? code : s->r->sink->activity(s->r->sink->context, &activity, s->r->err);
}

roast_code spans_read(legacy_reader *r)
{
    spans s = {.r = r};
    json_place place = place_member(&r->metrics_file, "raw_span_metrics");
    json_t *object, *value;
    const char *key;
    roast_code code = json_read_object(&place, json_object_get(r->metrics, "raw_span_metrics"), &object, r->err);
    if (code)
        return code;
    json_object_foreach(object, key, value)
    {
        json_place at = place_member(&place, key);
        if (!code)
            code = read_activity(&s, &at, key, value);
    }
    if (!code)
        code = name_processor(&s);
    if (!code && s.unreadable)
        code =
            legacy_note(r, "warning", "raw_span_metrics: %zu %s not (context, prefix, activity, unit), and left out.",
                        s.unreadable, s.unreadable == 1 ? "key is" : "keys are");
    buf_release(&s.key.text);
    intern_release(&s.prefixes);
    free(s.times);
    return code;
}
