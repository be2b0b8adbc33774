/* Numbers for people. A ladder is a list of units, each a factor above the one before; a number climbs until it has
 * at most three digits before the point, and is rounded before it is placed, so that nothing reads "1000 kB". */
#include "view/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define MINUS "−"

typedef struct ladder {
    double factor;
    double step_down; /* below this the number takes the unit before it */
    const char *const *units;
    size_t count;
} ladder;

static const char *const DATA_UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
static const char *const MEMORY_UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
static const char *const BIT_UNITS[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"};
static const char *const HERTZ_UNITS[] = {"Hz", "kHz", "MHz", "GHz"};
static const char *const COUNT_UNITS[] = {"", "k", "M", "G", "T", "P"};
static const char *const SHORT_TIME_UNITS[] = {"ns", "µs", "ms", "s"};

#define LADDER(factor, step_down, units)                                                                               \
    {                                                                                                                  \
        factor, step_down, units, sizeof(units) / sizeof(units)[0]                                                     \
    }
static const ladder DATA = LADDER(1000, 1, DATA_UNITS);
static const ladder MEMORY = LADDER(1024, 1, MEMORY_UNITS);
static const ladder BITS = LADDER(1000, 0.5, BIT_UNITS);
static const ladder HERTZ = LADDER(1000, 0.5, HERTZ_UNITS);
static const ladder COUNTS = LADDER(1000, 1, COUNT_UNITS);
static const ladder SHORT_TIMES = LADDER(1000, 1, SHORT_TIME_UNITS);

/* Digits in groups of three. */
static void put_grouped(buf *out, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buf_char(out, ' ');
        buf_char(out, digits[i]);
    }
}

/* Decimals that leave three digits that matter, and never more than it takes to say "0.67". */
static int decimals_for(double number)
{
    return number >= 99.95 ? 0 : number >= 9.995 ? 1 : number >= 0.0995 || number == 0 ? 2 : 3;
}

static double rounded(double number)
{
    double scale = pow(10, decimals_for(number));
    return round(number * scale) / scale;
}

/* Not negative. */
static void put_number(buf *out, double number)
{
    if (number >= 1e15)
        buf_format(out, "%.3g", number);
    else if (number >= 999.5)
        put_grouped(out, (uint64_t)llround(number));
    else if (number > 0 && number < 0.000995)
        buf_format(out, "%.2g", number);
    else
        buf_format(out, "%.*f", decimals_for(number), number);
}

static double put_sign(buf *out, double number)
{
    if (number < 0)
        buf_text(out, MINUS);
    return fabs(number);
}

/* number is in the units of the ladder's rung from. whole: the lowest rung counts things, which have no decimals. */
static void put_on_ladder(buf *out, double number, const ladder *l, size_t from, bool whole)
{
    number = put_sign(out, number);
    size_t rung = from;
    while (rung > 0 && number > 0 && rounded(number) < l->step_down)
        number *= l->factor, rung--;
    while (rung + 1 < l->count && rounded(number) >= (l->factor == 1024 ? 1000 : l->factor))
        number /= l->factor, rung++;
    if (rung == 0 && whole && number == floor(number) && number < 1e15)
        put_grouped(out, (uint64_t)number);
    else
        put_number(out, number);
    if (l->units[rung][0])
        buf_format(out, " %s", l->units[rung]);
}

void format_count(buf *out, int64_t count)
{
    if (count < 0)
        buf_text(out, MINUS);
    uint64_t size = count < 0 ? -(uint64_t)count : (uint64_t)count;
    /* Up to here every digit can be compared with another list; above, nobody reads them all. */
    if (size < 1000000)
        put_grouped(out, size);
    else
        put_on_ladder(out, (double)size, &COUNTS, 0, true);
}

/* A mean of counts: "46.2", "53 211". */
static void format_real_count(buf *out, double count)
{
    double size = put_sign(out, count);
    if (size >= 1e6)
        put_on_ladder(out, size, &COUNTS, 0, false);
    else if (fabs(size - round(size)) <= 1e-6 * size) /* an integral of a constant: "4", not "4.00" */
        put_grouped(out, (uint64_t)llround(size));
    else if (size >= 99.95 && size < 999.95)
        buf_format(out, "%.1f", size);
    else
        put_number(out, size);
}

static void put_whole_unit(buf *out, int64_t number, const char *unit)
{
    put_grouped(out, (uint64_t)number);
    buf_format(out, " %s", unit);
}

void format_seconds(buf *out, double seconds)
{
    if (fabs(seconds) < 99.95) {
        if (seconds == 0)
            buf_text(out, "0 s");
        else if (fabs(seconds) < 1e-9)
            buf_format(out, "%.2g s", seconds);
        else
            put_on_ladder(out, seconds, &SHORT_TIMES, 3, false);
        return;
    }
    seconds = put_sign(out, seconds);
    if (seconds > 1e15) {
        buf_format(out, "%.3g s", seconds);
        return;
    }
    int64_t whole = llround(seconds), minutes = llround(seconds / 60), hours = llround(seconds / 3600);
    if (whole < 3600) {
        put_whole_unit(out, whole / 60, "min");
        buf_format(out, " %d s", (int)(whole % 60));
    } else if (minutes < 100 * 60) {
        put_whole_unit(out, minutes / 60, "h");
        buf_format(out, " %d min", (int)(minutes % 60));
    } else {
        put_whole_unit(out, hours, "h"); /* core hours: what computing time is counted in */
    }
}

void format_data(buf *out, double bytes)
{
    put_on_ladder(out, bytes, &DATA, 0, true);
}

static void format_memory(buf *out, double bytes)
{
    put_on_ladder(out, bytes, &MEMORY, 0, true);
}

void format_percent(buf *out, double percent)
{
    percent = put_sign(out, percent);
    if (percent == 0)
        buf_text(out, "0");
    else if (percent < 0.05)
        buf_format(out, percent < 0.0005 ? "%.1g" : "%.3f", percent);
    else if (percent < 999.95)
        buf_format(out, "%.1f", percent);
    else
        put_number(out, percent);
    buf_text(out, " %");
}

static void format_ratio(buf *out, double ratio)
{
    put_number(out, put_sign(out, ratio));
}

static void format_hertz(buf *out, double kilohertz)
{
    put_on_ladder(out, kilohertz, &HERTZ, 1, false);
}

static void format_hertz_per_core(buf *out, double kilohertz)
{
    format_hertz(out, kilohertz);
    buf_text(out, "/core");
}

static void format_data_rate(buf *out, double bytes_per_second)
{
    format_data(out, bytes_per_second);
    buf_text(out, "/s");
}

static void format_gigabits(buf *out, double gigabits)
{
    put_on_ladder(out, gigabits, &BITS, 3, false);
}

/* What the units of the catalogue look like; scale brings the value to what the function takes. */
static const struct unit_format {
    const char *unit;
    double scale;
    void (*put)(buf *out, double value);
} UNIT_FORMATS[] = {
    {"s", 1, format_seconds},
    {"us", 1e-6, format_seconds},
    {"B", 1, format_data},
    {"GB", 1e9, format_data},
    {"MiB", 1048576, format_memory},
    {"B/s", 1, format_data_rate},
    {"MB/s", 1e6, format_data_rate},
    {"Gbit/s", 1, format_gigabits},
    {"kHz", 1, format_hertz},
    {"kHz/core", 1, format_hertz_per_core},
    {"Hz/core", 1e-3, format_hertz_per_core},
    {"%", 1, format_percent},
    {"ratio", 1, format_ratio},
    {"count", 1, format_real_count},
};

static void put_in_unit(buf *out, double number, const char *unit)
{
    for (size_t i = 0; i < sizeof UNIT_FORMATS / sizeof UNIT_FORMATS[0]; i++)
        if (strcmp(UNIT_FORMATS[i].unit, unit) == 0) {
            UNIT_FORMATS[i].put(out, number * UNIT_FORMATS[i].scale);
            return;
        }
    format_ratio(out, number);
    if (unit[0])
        buf_format(out, " %s", unit);
}

static void put_real(buf *out, double number, const char *unit, format_form form)
{
    if (!isfinite(number)) {
        buf_text(out, isnan(number) ? "n/a" : number < 0 ? MINUS "∞" : "∞");
        return;
    }
    switch (form) {
    case FORM_UNIT:
        put_in_unit(out, number, unit);
        break;
    case FORM_MEMORY:
        format_memory(out, number);
        break;
    case FORM_PERCENT:
        format_percent(out, number * 100);
        break;
    case FORM_TIMES:
        format_ratio(out, number);
        buf_text(out, " ×");
        break;
    case FORM_SHORT:
        put_in_unit(out, number, strcmp(unit, "kHz/core") == 0 ? "kHz" : unit);
        break;
    }
}

void format_value(buf *out, roast_value value, const char *unit, format_form form)
{
    switch (value.kind) {
    case ROAST_NOTHING:
        buf_text(out, "n/a");
        break;
    case ROAST_TEXT:
        buf_str(out, value.as.text);
        break;
    case ROAST_INT:
        if (form == FORM_UNIT && strcmp(unit, "count") == 0)
            format_count(out, value.as.integer);
        else if (strcmp(unit, "id") == 0 || unit[0] == '\0')
            buf_format(out, "%" PRId64, value.as.integer);
        else
            put_real(out, (double)value.as.integer, unit, form);
        break;
    case ROAST_REAL:
        put_real(out, value.as.real, unit, form);
        break;
    }
}
