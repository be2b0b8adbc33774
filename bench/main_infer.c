/* roast-infer: the statistics of the library for others to judge. One JSON object per line in, one per line out; tests
 * compare with scipy, bench/gate.py throws thousands of samples at it. It is not installed.
 *
 *   {"of": "mann_whitney", "x": [...], "y": [...]}             {"of": "shift", "x": [...], "y": [...], "level": 0.95}
 *   {"of": "walsh", "x": [...]}                                {"of": "median", "x": [...], "level": 0.95}
 *   {"of": "holm", "p": [...]}                                 {"of": "student", "level": 0.95, "degrees": 4}
 *   {"of": "clustered", "x": [...], "first": [...], "second": [...], "level": 0.95, "replicates": 999, "seed": 1}
 *   {"of": "ratio", "first": [[above, below], ...], "second": [...]}
 *   {"of": "sums", "first": [[above, below], ...], "second": [...], "level": 0.95}
 *   {"of": "gate", "x": [...], "y": [...], "noise": 0.03, "alpha": 0.05}
 *   {"of": "scale", "cores": [...], "rate": [...], "law": "usl", "seed": 1}                                      */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gate.h"
#include "analysis/scaling.h"
#include "base/str.h"

typedef struct numbers {
    double *values;
    size_t count;
} numbers;

static void *must(void *memory)
{
    if (memory)
        return memory;
    fputs("roast-infer: out of memory\n", stderr);
    exit(1);
}

static numbers numbers_of(const json_t *request, const char *key)
{
    const json_t *array = json_object_get(request, key);
    numbers n = {must(calloc(json_array_size(array) + 1, sizeof(double))), json_array_size(array)};
    for (size_t i = 0; i < n.count; i++)
        n.values[i] = json_number_value(json_array_get(array, i));
    return n;
}

static numbers sorted_of(const json_t *request, const char *key)
{
    numbers n = numbers_of(request, key);
    qsort(n.values, n.count, sizeof(double), compare_doubles);
    return n;
}

static double number_of(const json_t *request, const char *key, double otherwise)
{
    const json_t *value = json_object_get(request, key);
    return value ? json_number_value(value) : otherwise;
}

/* JSON has no infinities. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval_json(interval i)
{
    return json_pack("{so so so so}", "estimate", real(i.estimate), "low", real(i.low), "high", real(i.high), "level",
                     real(i.level));
}

static json_t *of_mann_whitney(const json_t *request)
{
    numbers x = numbers_of(request, "x"), y = numbers_of(request, "y");
    rank_test test;
    bool done = mann_whitney(&test, x.values, x.count, y.values, y.count);
    free(x.values), free(y.values);
    return done ? json_pack("{so so so so so sb}", "u", real(test.u), "p_greater", real(test.p_greater), "p_less",
                            real(test.p_less), "p", real(test.p), "smallest_p", real(test.smallest_p), "exact",
                            test.exact)
                : NULL;
}

static json_t *of_shift(const json_t *request)
{
    numbers x = sorted_of(request, "x"), y = sorted_of(request, "y");
    interval shift;
    double level = number_of(request, "level", 0.95), upper = 0;
    bool done = shift_interval(&shift, x.values, x.count, y.values, y.count, level) &&
                shift_upper_bound(&upper, x.values, x.count, y.values, y.count, level);
    free(x.values), free(y.values);
    json_t *answer = done ? interval_json(shift) : NULL;
    if (answer)
        json_object_set_new(answer, "upper", real(upper));
    return answer;
}

static json_t *of_walsh(const json_t *request)
{
    numbers x = sorted_of(request, "x");
    json_t *answer = json_pack("{so}", "estimate", real(walsh_median(x.values, x.count)));
    free(x.values);
    return answer;
}

static json_t *of_median(const json_t *request)
{
    numbers x = sorted_of(request, "x");
    json_t *answer = interval_json(median_interval(x.values, x.count, number_of(request, "level", 0.95)));
    free(x.values);
    return answer;
}

static json_t *of_holm(const json_t *request)
{
    numbers p = numbers_of(request, "p");
    bool done = holm_adjust(p.values, p.count);
    json_t *adjusted = json_array();
    for (size_t i = 0; i < p.count; i++)
        json_array_append_new(adjusted, real(p.values[i]));
    free(p.values);
    return done ? json_pack("{so}", "p", adjusted) : NULL;
}

static json_t *of_student(const json_t *request)
{
    double reach = student_reach(number_of(request, "level", 0.95), (size_t)number_of(request, "degrees", 1));
    return json_pack("{so}", "reach", real(reach));
}

static bootstrap_options options_of(const json_t *request)
{
    bootstrap_options options = bootstrap_defaults();
    options.level = number_of(request, "level", options.level);
    options.replicates = (uint32_t)number_of(request, "replicates", options.replicates);
    options.seed = (uint64_t)number_of(request, "seed", 1);
    return options;
}

/* Cluster numbers from 0 to one less than their count. */
static uint32_t *clusters_of(const json_t *request, const char *key, size_t values, size_t *count)
{
    const json_t *array = json_object_get(request, key);
    uint32_t *cluster = must(calloc(values + 1, sizeof *cluster));
    *count = 1;
    for (size_t i = 0; i < values && i < json_array_size(array); i++) {
        cluster[i] = (uint32_t)json_integer_value(json_array_get(array, i));
        *count = cluster[i] >= *count ? cluster[i] + 1 : *count;
    }
    return cluster;
}

static json_t *of_clustered(const json_t *request)
{
    numbers x = numbers_of(request, "x");
    bootstrap_options options = options_of(request);
    clustered_values v = {.values = x.values, .count = x.count};
    v.first = clusters_of(request, "first", x.count, &v.n_first);
    v.second = clusters_of(request, "second", x.count, &v.n_second);
    interval found;
    bool done = clustered_walsh_interval(&found, &v, &options);
    free(x.values), free(v.first), free(v.second);
    return done ? interval_json(found) : NULL;
}

static cluster_sum *sums_of(const json_t *request, const char *key, size_t *count)
{
    const json_t *array = json_object_get(request, key);
    *count = json_array_size(array);
    cluster_sum *sums = must(calloc(*count + 1, sizeof *sums));
    for (size_t i = 0; i < *count; i++) {
        const json_t *pair = json_array_get(array, i);
        sums[i].above = json_number_value(json_array_get(pair, 0));
        sums[i].below = json_number_value(json_array_get(pair, 1));
    }
    return sums;
}

static json_t *of_ratio(const json_t *request)
{
    size_t n_first, n_second;
    cluster_sum *first = sums_of(request, "first", &n_first), *second = sums_of(request, "second", &n_second);
    bootstrap_options options = options_of(request);
    interval found;
    bool done = clustered_ratio_interval(&found, first, n_first, second, n_second, &options);
    free(first), free(second);
    return done ? interval_json(found) : NULL;
}

static json_t *of_sums(const json_t *request)
{
    size_t n_first, n_second;
    cluster_sum *first = sums_of(request, "first", &n_first), *second = sums_of(request, "second", &n_second);
    interval found = clustered_sums_interval(first, n_first, second, n_second, number_of(request, "level", 0.95));
    free(first), free(second);
    return interval_json(found);
}

static json_t *of_gate(const json_t *request)
{
    static const char *const verdicts[] = {
        [ROAST_NOT_WORSE] = "fine", [ROAST_WORSE] = "regression", [ROAST_UNDECIDED] = "undecided"};
    numbers x = numbers_of(request, "x"), y = numbers_of(request, "y");
    roast_gate_options options = roast_gate_defaults();
    options.noise = number_of(request, "noise", options.noise);
    options.alpha = number_of(request, "alpha", options.alpha);
    gated_metric metric;
    bool done = gate_values(&metric, x.values, x.count, y.values, y.count,
                            judged_metric_find(STR("elapsed_time_seconds")), &options);
    free(x.values), free(y.values);
    json_t *answer = done ? interval_json(metric.log_ratio) : NULL;
    if (answer) {
        json_object_set_new(answer, "verdict", json_string(verdicts[metric.verdict]));
        json_object_set_new(answer, "p", real(metric.p));
        json_object_set_new(answer, "worst", real(metric.worst));
        json_object_set_new(answer, "runs_needed", json_integer((json_int_t)metric.runs_needed));
    }
    return answer;
}

static json_t *of_scale(const json_t *request)
{
    numbers cores = numbers_of(request, "cores"), rate = numbers_of(request, "rate");
    const char *law = json_string_value(json_object_get(request, "law"));
    bootstrap_options options = options_of(request);
    scaling_law found;
    bool done = scaling_fit(&found, cores.values, rate.values, cores.count,
                            law && strcmp(law, "amdahl") == 0 ? LAW_AMDAHL : LAW_USL, &options);
    free(cores.values), free(rate.values);
    return done
               ? json_pack("{so so so so so so}", "rate", interval_json(found.rate), "contention",
                           interval_json(found.contention), "coherence", interval_json(found.coherence), "knee",
                           interval_json(found.knee), "peak", interval_json(found.peak), "scatter", real(found.scatter))
               : NULL;
}

static const struct {
    const char *name;
    json_t *(*answer)(const json_t *request);
} QUESTIONS[] = {
    {"mann_whitney", of_mann_whitney},
    {"shift", of_shift},
    {"walsh", of_walsh},
    {"median", of_median},
    {"holm", of_holm},
    {"student", of_student},
    {"clustered", of_clustered},
    {"ratio", of_ratio},
    {"sums", of_sums},
    {"gate", of_gate},
    {"scale", of_scale},
};

static json_t *answer(const json_t *request)
{
    const char *of = json_string_value(json_object_get(request, "of"));
    for (size_t i = 0; of && i < sizeof QUESTIONS / sizeof QUESTIONS[0]; i++)
        if (strcmp(of, QUESTIONS[i].name) == 0)
            return must(QUESTIONS[i].answer(request));
    return NULL;
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    while (!status && getline(&line, &capacity, stdin) > 0) {
        json_error_t error;
        json_t *request = json_loads(line, 0, &error), *found = answer(request);
        if (found) {
            json_dumpf(found, stdout, JSON_COMPACT);
            putchar('\n');
        } else {
            fprintf(stderr, "roast-infer: not understood: %.80s\n", line);
            status = 2;
        }
        json_decref(found);
        json_decref(request);
    }
    free(line);
    return status;
}
