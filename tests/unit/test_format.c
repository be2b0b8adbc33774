/* Numbers for people. The expected texts are what a person would write, not what the code printed. */
#include <math.h>

#include "unit.h"
#include "view/format.h"

static void expect(roast_value value, const char *unit, format_form form, const char *text)
{
    buf out = {0};
    format_value(&out, value, unit, form);
    if (!str_equal(buf_view(&out), str_from(text)))
        fail_msg("\"%s\", expected \"%s\"", out.data, text);
    buf_release(&out);
}

static void real(double value, const char *unit, const char *text)
{
    expect((roast_value){.kind = ROAST_REAL, .as.real = value}, unit, FORM_UNIT, text);
}

static void integer(int64_t value, const char *unit, const char *text)
{
    expect((roast_value){.kind = ROAST_INT, .as.integer = value}, unit, FORM_UNIT, text);
}

static void memory(int64_t value, const char *text)
{
    expect((roast_value){.kind = ROAST_INT, .as.integer = value}, "B", FORM_MEMORY, text);
}

static void seconds_get_the_unit_that_suits_them(void **state)
{
    (void)state;
    real(0, "s", "0 s");
    real(25e-9, "s", "25.0 ns");
    real(1.5e-6, "s", "1.50 µs");
    real(0.0123, "s", "12.3 ms");
    real(0.364, "s", "364 ms");
    real(12.34, "s", "12.3 s");
    real(99.9, "s", "99.9 s");
    real(761, "s", "12 min 41 s");
    real(4320, "s", "1 h 12 min");
    real(38 * 3600 + 12 * 60, "s", "38 h 12 min");
    real(3812.4 * 3600, "s", "3 812 h");
    real(-12.3, "s", "−12.3 s");
    real(1397, "us", "1.40 ms");
}

static void a_time_that_rounds_up_takes_the_next_unit(void **state)
{
    (void)state;
    real(0.9999, "s", "1.00 s");
    real(99.96, "s", "1 min 40 s");
    real(119.6, "s", "2 min 0 s");
    real(3599.7, "s", "1 h 0 min");
    real(7199, "s", "2 h 0 min");
    real(359999, "s", "100 h");
}

static void data_counts_in_thousands_and_memory_in_1024(void **state)
{
    (void)state;
    integer(0, "B", "0 B");
    integer(999, "B", "999 B");
    integer(1000, "B", "1.00 kB");
    integer(412600000000, "B", "413 GB");
    integer(999600, "B", "1.00 MB");
    memory(872415232, "832 MiB");
    memory(1023, "1.00 KiB");
    memory((int64_t)8 << 30, "8.00 GiB");
    memory(INT64_MAX, "8.00 EiB");
    real(-2, "MiB", "−2.00 MiB");
    real(1.5, "GB", "1.50 GB");
    real(542.2, "MB/s", "542 MB/s");
    real(0.05, "MB/s", "50.0 kB/s");
}

static void rates_keep_three_digits(void **state)
{
    (void)state;
    real(1.2449, "Gbit/s", "1.24 Gbit/s");
    real(0.0004066, "Gbit/s", "407 kbit/s");
    real(129.3, "kHz", "129 kHz");
    real(0.67, "kHz", "670 Hz");
    real(0.00536, "kHz", "5.36 Hz");
    real(2.5, "kHz/core", "2.50 kHz/core");
    real(2.68, "Hz/core", "2.68 Hz/core");
    expect((roast_value){.kind = ROAST_REAL, .as.real = 0.67}, "kHz/core", FORM_SHORT, "670 Hz");
}

static void counts_are_grouped_until_nobody_reads_all_digits(void **state)
{
    (void)state;
    integer(0, "count", "0");
    integer(999, "count", "999");
    integer(1842, "count", "1 842");
    integer(999999, "count", "999 999");
    integer(98400000, "count", "98.4 M");
    integer(1234567890123, "count", "1.23 T");
    integer(-1842, "count", "−1 842");
    integer(INT64_MAX, "count", "9 223 P");
    real(46.2, "count", "46.2");
    real(1.9999999999999996, "count", "2");
    real(184.8, "count", "184.8");
    real(53211.4, "count", "53 211");
}

static void shares_and_ratios_say_what_they_are(void **state)
{
    (void)state;
    real(41, "%", "41.0 %");
    real(0, "%", "0 %");
    real(0.25, "%", "0.2 %"); /* a half goes to the even digit, as the C library rounds */
    real(0.012, "%", "< 0.1 %");
    real(-7e-5, "%", "< 0.1 %");
    real(-0.06, "%", "−0.1 %");
    real(2345.6, "%", "2 346 %");
    real(0.7367, "ratio", "0.74");
    expect((roast_value){.kind = ROAST_REAL, .as.real = 0.978}, "ratio", FORM_PERCENT, "97.8 %");
    expect((roast_value){.kind = ROAST_REAL, .as.real = 3.1}, "ratio", FORM_TIMES, "3.10 ×");
}

static void among(double value, double largest, const char *unit, format_form form, const char *text)
{
    buf out = {0};
    format_among(&out, (roast_value){.kind = ROAST_REAL, .as.real = value}, unit, form, largest);
    if (!str_equal(buf_view(&out), str_from(text)))
        fail_msg("\"%s\", expected \"%s\"", out.data, text);
    buf_release(&out);
}

static void numbers_of_a_column_have_the_unit_of_its_largest(void **state)
{
    (void)state;
    among(0.34, 12.3, "s", FORM_UNIT, "0.34 s");
    among(2e-5, 12.3, "s", FORM_UNIT, "< 0.001 s");
    among(-2e-5, 12.3, "s", FORM_UNIT, "< 0.001 s");
    among(0, 0.012, "s", FORM_UNIT, "0 ms");
    among(0.34, 300, "s", FORM_UNIT, "0.34 s");
    among(130, 300, "s", FORM_UNIT, "2 min 10 s");
    among(5.09, 7200, "s", FORM_UNIT, "0.1 min");
    among(0.16, 7200, "s", FORM_UNIT, "< 0.1 min");
    among(2647, 7200, "s", FORM_UNIT, "44 min");
    among(4000, 7200, "s", FORM_UNIT, "1 h 7 min");
    among(1800, 4e5, "s", FORM_UNIT, "0.50 h");
    among(3e6, 412e9, "B", FORM_UNIT, "0.003 GB");
    among(512 * 1048576.0, 4294967296.0, "B", FORM_MEMORY, "0.50 GiB");
    among(0.0441, 12, "kHz", FORM_UNIT, "0.044 kHz");
    among(24810, 18.2e6, "count", FORM_UNIT, "0.025 M");
    among(24810, 75079, "count", FORM_UNIT, "24 810");
    among(0.012, 87, "%", FORM_UNIT, "< 0.1 %");
}

static void identities_are_not_grouped(void **state)
{
    (void)state;
    integer(1234567, "id", "1234567");
    integer(5, "", "5");
}

static void what_is_absent_is_not_zero(void **state)
{
    (void)state;
    expect((roast_value){.kind = ROAST_NOTHING}, "s", FORM_UNIT, "n/a");
    real((double)NAN, "s", "n/a");
    real((double)INFINITY, "B", "∞");
    real(-(double)INFINITY, "kHz", "−∞");
}

static void numbers_of_any_size_stay_short(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-12, 1e-6, 1e6, 1e12, 1e18, 1e30, 1e300};
    static const char *const units[] = {"s", "us", "B", "MiB", "GB", "B/s", "Gbit/s", "kHz", "%", "ratio", "count"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
            buf out = {0};
            format_value(&out, (roast_value){.kind = ROAST_REAL, .as.real = sizes[i]}, units[j], FORM_UNIT);
            assert_int_equal(out.code, ROAST_OK);
            if (out.len > 24)
                fail_msg("%g %s is \"%s\"", sizes[i], units[j], out.data);
            buf_release(&out);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_get_the_unit_that_suits_them),
        cmocka_unit_test(a_time_that_rounds_up_takes_the_next_unit),
        cmocka_unit_test(data_counts_in_thousands_and_memory_in_1024),
        cmocka_unit_test(rates_keep_three_digits),
        cmocka_unit_test(numbers_of_a_column_have_the_unit_of_its_largest),
        cmocka_unit_test(counts_are_grouped_until_nobody_reads_all_digits),
        cmocka_unit_test(shares_and_ratios_say_what_they_are),
        cmocka_unit_test(identities_are_not_grouped),
        cmocka_unit_test(what_is_absent_is_not_zero),
        cmocka_unit_test(numbers_of_any_size_stay_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
