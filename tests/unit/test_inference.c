/* The statistics behind compare, gate and scale, on samples that can be worked out by hand; scipy judges larger ones in
 * tests/python/test_inference.py. */
#include "analysis/inference.h"

#include <math.h>

#include "analysis/gate.h"
#include "analysis/scaling.h"
#include "unit.h"

static void assert_near(double found, double expected, double distance)
{
    if (!(fabs(found - expected) <= distance))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* ---- Ranks --------------------------------------------------------------------------------------------------- */

static void samples_apart_are_one_arrangement_of_all(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3}, y[] = {4, 5, 6};
    rank_test t;
    assert_true(mann_whitney(&t, x, 3, y, 3));
    assert_true(t.exact);
    assert_near(t.u, 9, 0);
    assert_near(t.p_greater, 1.0 / 20, 1e-12); /* of 6 over 3 arrangements */
    assert_near(t.p_less, 1, 1e-12);
    assert_near(t.p, 2.0 / 20, 1e-12);
    assert_near(smallest_p(3, 3), 1.0 / 20, 1e-12);
}

static void samples_that_overlap_are_counted(void **state)
{
    (void)state;
    const double x[] = {1, 4}, y[] = {2, 3, 5};
    rank_test t;
    assert_true(mann_whitney(&t, x, 2, y, 3));
    assert_near(t.u, 4, 0);
    assert_near(t.p_greater, 4.0 / 10, 1e-12); /* u = 0…6 in 1, 1, 2, 2, 2, 1, 1 arrangements */
    assert_near(t.p_less, 8.0 / 10, 1e-12);
}

static void equal_values_tell_nothing(void **state)
{
    (void)state;
    const double x[] = {7, 7, 7};
    rank_test t;
    assert_true(mann_whitney(&t, x, 3, x, 3));
    assert_near(t.u, 4.5, 0);
    assert_near(t.p, 1, 1e-12);
    assert_true(mann_whitney(&t, x, 0, x, 3));
    assert_true(isnan(t.p));
}

static void ties_take_from_the_variance_of_large_samples(void **state)
{
    (void)state;
    double x[60], y[60];
    for (int i = 0; i < 60; i++) {
        x[i] = i >= 40;
        y[i] = i >= 20;
    }
    rank_test t;
    assert_true(mann_whitney(&t, x, 60, y, 60));
    assert_false(t.exact);
    assert_near(t.u, 40 * 40 + 0.5 * (40 * 20 + 20 * 40), 0);
    double variance = 60 * 60 / 12.0 * (121 - 2 * (60.0 * 60 * 60 - 60) / (120.0 * 119));
    assert_near(t.p_greater, 0.5 * erfc((600 - 0.5) / sqrt(2 * variance)), 1e-12);
    assert_near(t.p, 0.0002799200856776178, 1e-12); /* as scipy says */
}

static void the_shift_is_the_median_of_all_differences(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3}, y[] = {4, 6, 9};
    interval i;
    assert_true(shift_interval(&i, x, 3, y, 3, 0.9));
    assert_near(i.estimate, 4, 1e-12); /* of 1 2 3 3 4 5 6 7 8 */
    assert_near(i.low, 1, 1e-12);      /* the widest there is has a level of 1 − 2/20 */
    assert_near(i.high, 8, 1e-12);
    assert_near(i.level, 0.9, 1e-12);
    assert_true(shift_interval(&i, x, 3, y, 3, 0.99));
    assert_near(i.level, 0.9, 1e-12); /* and says so */
    double bound;
    assert_true(shift_upper_bound(&bound, x, 2, y, 2, 0.95)); /* 1/6 is the smallest p of two and two */
    assert_true(isinf(bound));
}

static void the_middle_of_a_sample_is_that_of_its_pairs(void **state)
{
    (void)state;
    const double values[] = {1, 2, 10};
    assert_near(walsh_median(values, 3), 3.75, 1e-12); /* of 1 1.5 2 5.5 6 10 */
    const double six[] = {1, 2, 3, 4, 5, 6};
    interval i = median_interval(six, 6, 0.95);
    assert_near(i.estimate, 3.5, 1e-12);
    assert_near(i.low, 1, 0);
    assert_near(i.high, 6, 0);
    assert_near(i.level, 1 - 2.0 / 64, 1e-12); /* all six above the median, or all below */
}

static void holm_adjusts_for_those_that_count(void **state)
{
    (void)state;
    double p[] = {0.04, (double)NAN, 0.01, 0.03};
    assert_true(holm_adjust(p, 4));
    assert_near(p[2], 0.03, 1e-12); /* times three */
    assert_near(p[3], 0.06, 1e-12); /* times two */
    assert_near(p[0], 0.06, 1e-12); /* never below one that was smaller */
    assert_true(isnan(p[1]));
}

/* ---- The gate ------------------------------------------------------------------------------------------------ */

/* Runs around a value, each a tenth of a percent from the next. */
static gated_metric judge(const char *metric, double baseline, double fresh, size_t runs)
{
    double a[8], b[8];
    gated_metric out;
    roast_gate_options options = roast_gate_defaults();
    for (size_t i = 0; i < runs; i++) {
        a[i] = baseline * (1 + 0.001 * (double)i);
        b[i] = fresh * (1 + 0.001 * (double)(runs - i));
    }
    assert_true(gate_values(&out, a, runs, b, runs, judged_metric_find(str_from(metric)), &options));
    return out;
}

static void a_clear_slow_down_is_a_regression(void **state)
{
    (void)state;
    gated_metric slower = judge("elapsed_time_seconds", 100, 120, 5);
    assert_int_equal(slower.verdict, ROAST_WORSE);
    assert_near(slower.log_ratio.estimate, log(1.2), 0.005);
    assert_null(slower.why);
    assert_int_equal(judge("elapsed_time_seconds", 100, 80, 5).verdict, ROAST_NOT_WORSE);
}

static void a_change_within_the_noise_is_none(void **state)
{
    (void)state;
    gated_metric same = judge("elapsed_time_seconds", 100, 101, 5);
    assert_int_equal(same.verdict, ROAST_NOT_WORSE);
    assert_true(same.worst < log(1.03));
}

static void two_runs_tell_nothing_whatever_they_say(void **state)
{
    (void)state;
    for (int slower = 0; slower < 2; slower++) {
        gated_metric few = judge("elapsed_time_seconds", 100, slower ? 200 : 100, 2);
        assert_int_equal(few.verdict, ROAST_UNDECIDED);
        assert_non_null(few.why);
        assert_true(few.runs_needed > 2);
    }
}

static void more_is_better_for_rates(void **state)
{
    (void)state;
    assert_int_equal(judge("event_rate_elapsed_khz", 100, 80, 5).verdict, ROAST_WORSE);
    assert_int_equal(judge("event_rate_elapsed_khz", 100, 120, 5).verdict, ROAST_NOT_WORSE);
}

/* ---- Scaling ------------------------------------------------------------------------------------------------- */

enum { POINTS = 8 };

static scaling_law fit_exact(scaling_kind kind, double contention, double coherence)
{
    double cores[POINTS], rates[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double n = cores[i] = 1 << i;
        rates[i] = 50 * n / (1 + contention * (n - 1) + coherence * n * (n - 1));
    }
    bootstrap_options options = bootstrap_defaults();
    options.replicates = 19;
    scaling_law law;
    assert_true(scaling_fit(&law, cores, rates, POINTS, kind, &options));
    return law;
}

static void a_law_without_scatter_is_found_exactly(void **state)
{
    (void)state;
    scaling_law law = fit_exact(LAW_USL, 0.02, 0.0004);
    assert_near(law.rate.estimate, 50, 1e-6);
    assert_near(law.contention.estimate, 0.02, 1e-8);
    assert_near(law.coherence.estimate, 0.0004, 1e-10);
    assert_near(law.peak.estimate, sqrt((1 - 0.02) / 0.0004), 1e-3);
    assert_near(law.scatter, 0, 1e-6);
    assert_near(scaling_rate(&law, 10), 500 / (1 + 0.18 + 0.036), 1e-6);
}

static void amdahls_law_has_a_limit_and_no_peak(void **state)
{
    (void)state;
    scaling_law law = fit_exact(LAW_AMDAHL, 0.05, 0);
    assert_near(law.contention.estimate, 0.05, 1e-8);
    assert_near(law.coherence.estimate, 0, 0);
    assert_near(law.highest_rate.estimate, 50 / 0.05, 1e-3);
    assert_true(isinf(law.peak.estimate));
}

static void runs_with_as_many_cores_give_no_law(void **state)
{
    (void)state;
    const double cores[] = {4, 4, 4, 4, 4, 4}, rates[] = {9, 10, 11, 9, 10, 11};
    bootstrap_options options = bootstrap_defaults();
    scaling_law law;
    assert_true(scaling_fit(&law, cores, rates, 6, LAW_USL, &options));
    assert_true(isnan(law.rate.estimate));
}

/* ---- The bootstrap ------------------------------------------------------------------------------------------- */

static void the_bootstrap_is_the_same_each_time_and_not_with_another_seed(void **state)
{
    (void)state;
    cluster_sum first[6], second[6];
    for (int i = 0; i < 6; i++) {
        first[i] = (cluster_sum){10 + i, 100};
        second[i] = (cluster_sum){12 + 2 * (i % 3), 100};
    }
    bootstrap_options options = bootstrap_defaults();
    interval i, again, other;
    assert_true(clustered_ratio_interval(&i, first, 6, second, 6, &options));
    assert_true(clustered_ratio_interval(&again, first, 6, second, 6, &options));
    options.seed++;
    assert_true(clustered_ratio_interval(&other, first, 6, second, 6, &options));
    assert_near(i.estimate, log((84.0 / 600) / (75.0 / 600)), 1e-12);
    assert_true(i.low == again.low && i.high == again.high);
    assert_true(i.low != other.low);
    assert_true(i.low < i.estimate && i.estimate < i.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_apart_are_one_arrangement_of_all),
        cmocka_unit_test(samples_that_overlap_are_counted),
        cmocka_unit_test(equal_values_tell_nothing),
        cmocka_unit_test(ties_take_from_the_variance_of_large_samples),
        cmocka_unit_test(the_shift_is_the_median_of_all_differences),
        cmocka_unit_test(the_middle_of_a_sample_is_that_of_its_pairs),
        cmocka_unit_test(holm_adjusts_for_those_that_count),
        cmocka_unit_test(a_clear_slow_down_is_a_regression),
        cmocka_unit_test(a_change_within_the_noise_is_none),
        cmocka_unit_test(two_runs_tell_nothing_whatever_they_say),
        cmocka_unit_test(more_is_better_for_rates),
        cmocka_unit_test(a_law_without_scatter_is_found_exactly),
        cmocka_unit_test(amdahls_law_has_a_limit_and_no_peak),
        cmocka_unit_test(runs_with_as_many_cores_give_no_law),
        cmocka_unit_test(the_bootstrap_is_the_same_each_time_and_not_with_another_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
