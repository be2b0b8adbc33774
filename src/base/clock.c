/* Clocks and calendar text, without the C library's time zones: every time here is UTC. */
#include "base/clock.h"

#include <math.h>
#include <time.h>

#include "base/str.h"

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* Days since 1970-01-01 of a date in the Gregorian calendar; years are counted from March so that the leap day
 * comes last. */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    *month = month_from_march + (month_from_march < 10 ? 3 : -9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

/* Takes exactly this many digits off the front. */
static bool take_digits(roast_str *s, size_t digits, int64_t *out)
{
    if (s->len < digits)
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        if (s->ptr[i] < '0' || s->ptr[i] > '9')
            return false;
        value = value * 10 + (s->ptr[i] - '0');
    }
    *s = (roast_str){s->ptr + digits, s->len - digits};
    *out = value;
    return true;
}

static bool take_char(roast_str *s, const char *any_of)
{
    if (s->len == 0 || !strchr(any_of, s->ptr[0]) || s->ptr[0] == '\0')
        return false;
    *s = (roast_str){s->ptr + 1, s->len - 1};
    return true;
}

/* Digits after the point, as nanoseconds; further ones are dropped. */
static bool take_fraction(roast_str *s, int64_t *ns)
{
    *ns = 0;
    if (!take_char(s, ".,"))
        return true;
    int64_t unit = NS_PER_S, digit;
    size_t digits = 0;
    for (; take_digits(s, 1, &digit); digits++)
        *ns += digit * (unit /= 10);
    return digits > 0;
}

static bool take_zone(roast_str *s, int64_t *offset_seconds)
{
    *offset_seconds = 0;
    if (s->len == 0 || take_char(s, "Zz"))
        return true;
    int64_t sign = s->ptr[0] == '-' ? -1 : 1, hours, minutes = 0;
    if (!take_char(s, "+-") || !take_digits(s, 2, &hours))
        return false;
    take_char(s, ":");
    if (s->len && !take_digits(s, 2, &minutes))
        return false;
    *offset_seconds = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

bool clock_parse_iso(roast_str s, int64_t *ns)
{
    int64_t year, month, day, hour, minute, second, fraction, offset;
    bool read = take_digits(&s, 4, &year) && take_char(&s, "-") && take_digits(&s, 2, &month) && take_char(&s, "-") &&
                take_digits(&s, 2, &day) && take_char(&s, "Tt ") && take_digits(&s, 2, &hour) && take_char(&s, ":") &&
                take_digits(&s, 2, &minute) && take_char(&s, ":") && take_digits(&s, 2, &second) &&
                take_fraction(&s, &fraction) && take_zone(&s, &offset) && s.len == 0;
    if (!read || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
        return false;
    if (year < 1900 || year > 2200) /* what 64 bits of nanoseconds hold, with room to add and subtract */
        return false;
    int64_t seconds = days_from_date(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
    *ns = seconds * NS_PER_S + fraction;
    return true;
}

void clock_format_utc(buf *out, int64_t ns)
{
    int64_t seconds = ns / NS_PER_S - (ns % NS_PER_S < 0);
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int64_t of_day = seconds - days * 86400, year, month, day;
    date_from_days(days, &year, &month, &day);
    buf_format(out, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)year, (int)month, (int)day, (int)(of_day / 3600),
               (int)(of_day / 60 % 60), (int)(of_day % 60));
}

int64_t clock_ns_from_seconds(double seconds)
{
    if (!isfinite(seconds) || fabs(seconds) > 7e9)
        return ROAST_ABSENT;
    /* Whole and fractional part apart: a product of 1e18 would lose the nanoseconds. */
    double whole = floor(seconds);
    return (int64_t)whole * NS_PER_S + (int64_t)llround((seconds - whole) * 1e9);
}

double clock_seconds(int64_t ns)
{
    return ns == ROAST_ABSENT ? (double)NAN : (double)ns / 1e9;
}
