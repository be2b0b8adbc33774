/* Numbers for people. A ladder is a list of units, each a factor above the one before; a number climbs until it has
 * at most three digits before the point, and is rounded before it is placed, so that nothing reads "1000 kB". The
 * numbers of a column are compared with each other: all of them stand where its largest does. */
#include "view/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/facts.h"
#include "view/text.h"

#define MINUS "−"

typedef struct ladder {
    double factor;
    const char *const *units;
    size_t count;
} ladder;

static const char *const DATA_UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
static const char *const MEMORY_UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
static const char *const BIT_UNITS[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"};
static const char *const HERTZ_UNITS[] = {"Hz", "kHz", "MHz", "GHz"};
static const char *const COUNT_UNITS[] = {"", "k", "M", "G", "T", "P"};
static const char *const SHORT_TIME_UNITS[] = {"ns", "µs", "ms", "s"};

#define LADDER(factor, units)                                                                                          \
    {                                                                                                                  \
        factor, units, sizeof(units) / sizeof(units)[0]                                                                \
    }
static const ladder DATA = LADDER(1000, DATA_UNITS);
static const ladder MEMORY = LADDER(1024, MEMORY_UNITS);
static const ladder BITS = LADDER(1000, BIT_UNITS);
static const ladder HERTZ = LADDER(1000, HERTZ_UNITS);
static const ladder COUNTS = LADDER(1000, COUNT_UNITS);
static const ladder SHORT_TIMES = LADDER(1000, SHORT_TIME_UNITS);

/* A number, and the largest of those that it stands among: itself, if it stands alone. */
typedef struct figure {
    double value, largest;
} figure;

static figure alone(double value)
{
    return (figure){value, fabs(value)};
}

static figure scaled(figure f, double scale)
{
    return (figure){f.value * scale, f.largest * scale};
}

static bool is_alone(figure f)
{
    return fabs(f.value) == f.largest;
}

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

/* Of a column: a number that would be nothing but zeros in its unit is only bounded, whatever its sign. */
static void put_among(buf *out, double number, bool among)
{
    if (among && number != 0 && fabs(number) < 0.0005) {
        buf_text(out, "< 0.001");
        return;
    }
    number = put_sign(out, number);
    if (number == 0)
        buf_char(out, '0');
    else
        put_number(out, number);
}

/* Numbers are in the units of the ladder's rung from. whole: the lowest rung counts things, which have no decimals. */
static void put_on_ladder(buf *out, figure f, const ladder *l, size_t from, bool whole)
{
    double number = f.value, largest = f.largest;
    size_t rung = from;
    while (rung > 0 && largest > 0 && rounded(largest) < 1)
        number *= l->factor, largest *= l->factor, rung--;
    while (rung + 1 < l->count && rounded(largest) >= (l->factor == 1024 ? 1000 : l->factor))
        number /= l->factor, largest /= l->factor, rung++;
    if (rung == 0 && whole && number == floor(number) && fabs(number) < 1e15)
        put_grouped(out, (uint64_t)put_sign(out, number));
    else
        put_among(out, number, !is_alone(f));
    if (l->units[rung][0])
        buf_format(out, " %s", l->units[rung]);
}

/* Up to here every digit of a count can be compared with another list; above, nobody reads them all. */
static const double MOST_DIGITS = 1e6;

static void put_count(buf *out, int64_t count, double largest)
{
    uint64_t size = count < 0 ? -(uint64_t)count : (uint64_t)count;
    if (largest >= MOST_DIGITS) {
        put_on_ladder(out, (figure){(double)count, largest}, &COUNTS, 0, true);
        return;
    }
    if (count < 0)
        buf_text(out, MINUS);
    put_grouped(out, size);
}

void format_count(buf *out, int64_t count)
{
    put_count(out, count, fabs((double)count));
}

void format_things(buf *out, int64_t count, const char *one, const char *many)
{
    format_count(out, count);
    buf_format(out, " %s", count == 1 ? one : many);
}

void format_whole(buf *out, int64_t count)
{
    put_grouped(out, (uint64_t)put_sign(out, (double)count));
}

/* A mean of counts: "46.2", "53 211". */
static void put_real_count(buf *out, figure f)
{
    if (f.largest >= MOST_DIGITS) {
        put_on_ladder(out, f, &COUNTS, 0, false);
        return;
    }
    double size = put_sign(out, f.value);
    if (fabs(size - round(size)) <= 1e-6 * size) /* an integral of a constant: "4", not "4.00" */
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

static const double LONGEST_SHORT = 99.95; /* seconds that are not minutes yet */

/* Minutes of a column of hours: "44 min", "0.1 min". */
static void put_minutes(buf *out, double minutes)
{
    if (minutes >= 9.95 || minutes == 0)
        put_whole_unit(out, llround(minutes), "min");
    else if (minutes < 0.05)
        buf_text(out, "< 0.1 min");
    else
        buf_format(out, "%.1f min", minutes);
}

/* Where the largest is a matter of minutes, or of hours: parts of the same units, so that they can be compared. */
static void put_long_time(buf *out, double seconds, double largest)
{
    int64_t whole = llround(seconds), minutes = llround(seconds / 60);
    if (llround(largest / 60) >= 100 * 60) { /* core hours: what computing time is counted in */
        if (seconds >= 99.5 * 3600)
            put_grouped(out, (uint64_t)llround(seconds / 3600));
        else
            put_among(out, seconds / 3600, true);
        buf_text(out, " h");
    } else if (llround(largest) >= 3600 && whole < 3600) {
        put_minutes(out, seconds / 60);
    } else if (whole >= 3600) {
        put_whole_unit(out, minutes / 60, "h");
        buf_format(out, " %d min", (int)(minutes % 60));
    } else if (seconds >= LONGEST_SHORT) {
        put_whole_unit(out, whole / 60, "min");
        buf_format(out, " %d s", (int)(whole % 60));
    } else {
        put_among(out, seconds, true);
        buf_text(out, " s");
    }
}

static void put_seconds(buf *out, figure f)
{
    if (f.largest == 0)
        buf_text(out, "0 s");
    else if (f.largest < 1e-9)
        buf_format(out, "%.2g s", f.value);
    else if (f.largest < LONGEST_SHORT)
        put_on_ladder(out, f, &SHORT_TIMES, 3, false);
    else if (f.largest > 1e15)
        buf_format(out, "%.3g s", f.value);
    else
        put_long_time(out, put_sign(out, f.value), f.largest);
}

void format_seconds(buf *out, double seconds)
{
    put_seconds(out, alone(seconds));
}

static void put_data(buf *out, figure f)
{
    put_on_ladder(out, f, &DATA, 0, true);
}

void format_data(buf *out, double bytes)
{
    put_data(out, alone(bytes));
}

static void put_memory(buf *out, figure f)
{
    put_on_ladder(out, f, &MEMORY, 0, true);
}

static void put_percent(buf *out, figure f)
{
    double percent = fabs(f.value);
    if (percent > 0 && percent < 0.05) { /* of either sign: it is nothing that matters */
        buf_text(out, "< 0.1 %");
        return;
    }
    put_sign(out, f.value);
    if (percent == 0)
        buf_text(out, "0");
    else if (percent < 999.95)
        buf_format(out, "%.1f", percent);
    else
        put_number(out, percent);
    buf_text(out, " %");
}

void format_percent(buf *out, double percent)
{
    put_percent(out, alone(percent));
}

void format_percent_short(buf *out, double percent)
{
    if (percent != 0 && fabs(percent) < 0.5)
        buf_text(out, "< 1 %");
    else
        buf_format(out, "%.0f %%", put_sign(out, percent));
}

static void put_ratio(buf *out, figure f)
{
    put_number(out, put_sign(out, f.value));
}

static void put_hertz(buf *out, figure kilohertz)
{
    put_on_ladder(out, kilohertz, &HERTZ, 1, false);
}

static void put_hertz_per_core(buf *out, figure kilohertz)
{
    put_hertz(out, kilohertz);
    buf_text(out, "/core");
}

static void put_data_rate(buf *out, figure bytes_per_second)
{
    put_data(out, bytes_per_second);
    buf_text(out, "/s");
}

static void put_gigabits(buf *out, figure gigabits)
{
    put_on_ladder(out, gigabits, &BITS, 3, false);
}

/* What the units of the catalogue look like; scale brings the value to what the function takes. */
static const struct unit_format {
    const char *unit;
    double scale;
    void (*put)(buf *out, figure f);
} UNIT_FORMATS[] = {
    {"s", 1, put_seconds},
    {"us", 1e-6, put_seconds},
    {"B", 1, put_data},
    {"GB", 1e9, put_data},
    {"MiB", 1048576, put_memory},
    {"B/s", 1, put_data_rate},
    {"MB/s", 1e6, put_data_rate},
    {"Gbit/s", 1, put_gigabits},
    {"kHz", 1, put_hertz},
    {"kHz/core", 1, put_hertz_per_core},
    {"Hz/core", 1e-3, put_hertz_per_core},
    {"%", 1, put_percent},
    {"ratio", 1, put_ratio},
    {"count", 1, put_real_count},
};

static void put_in_unit(buf *out, figure f, const char *unit)
{
    for (size_t i = 0; i < sizeof UNIT_FORMATS / sizeof UNIT_FORMATS[0]; i++)
        if (strcmp(UNIT_FORMATS[i].unit, unit) == 0) {
            UNIT_FORMATS[i].put(out, scaled(f, UNIT_FORMATS[i].scale));
            return;
        }
    put_ratio(out, f);
    if (unit[0])
        buf_format(out, " %s", unit);
}

static void put_real(buf *out, figure f, const char *unit, format_form form)
{
    if (!isfinite(f.value)) {
        buf_text(out, isnan(f.value) ? "n/a" : f.value < 0 ? MINUS "∞" : "∞");
        return;
    }
    switch (form) {
    case FORM_UNIT:
    case FORM_ERROR:
    case FORM_WORKER:
        put_in_unit(out, f, unit);
        break;
    case FORM_MEMORY:
        put_memory(out, f);
        break;
    case FORM_PERCENT:
        put_percent(out, scaled(f, 100));
        break;
    case FORM_WHOLE:
        format_percent_short(out, f.value * 100);
        break;
    case FORM_FINE:
        put_number(out, put_sign(out, f.value * 100));
        buf_text(out, " %");
        break;
    case FORM_TIMES:
        put_ratio(out, f);
        buf_text(out, " ×");
        break;
    case FORM_SHORT:
        put_in_unit(out, f, strcmp(unit, "kHz/core") == 0 ? "kHz" : unit);
        break;
    }
}

static double number_in(roast_value value)
{
    return value.kind == ROAST_INT ? (double)value.as.integer : value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

void format_value(buf *out, roast_value value, const char *unit, format_form form)
{
    format_among(out, value, unit, form, fabs(number_in(value)));
}

void format_among(buf *out, roast_value value, const char *unit, format_form form, double largest)
{
    switch (value.kind) {
    case ROAST_NOTHING:
        buf_text(out, "n/a");
        break;
    case ROAST_TEXT:
        if (form == FORM_ERROR)
            text_error(out, value.as.text);
        else
            buf_str(out, form == FORM_WORKER ? without_scheme(value.as.text) : value.as.text);
        break;
    case ROAST_INT:
        if (form == FORM_UNIT && strcmp(unit, "count") == 0)
            put_count(out, value.as.integer, largest);
        else if (strcmp(unit, "id") == 0 || unit[0] == '\0')
            buf_format(out, "%" PRId64, value.as.integer);
        else
            put_real(out, (figure){(double)value.as.integer, largest}, unit, form);
        break;
    case ROAST_REAL:
        put_real(out, (figure){value.as.real, largest}, unit, form);
        break;
    }
}
