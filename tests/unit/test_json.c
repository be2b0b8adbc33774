/* JSON, read back with another library. */
#include <jansson.h>
#include <math.h>

#include "summaries.h"
#include "view/json.h"

static json_t *parse(const buf *out)
{
    json_error_t error;
    assert_int_equal(out->code, ROAST_OK);
    json_t *parsed = json_loadb(out->data, out->len, JSON_REJECT_DUPLICATES, &error);
    if (!parsed)
        fail_msg("%s in\n%s", error.text, out->data);
    return parsed;
}

static json_t *parsed_summary(const roast_summary *summary)
{
    buf out = {0};
    json_summary(&out, summary);
    json_t *parsed = parse(&out);
    buf_release(&out);
    return parsed;
}

static void every_metric_answers_to_each_of_its_names(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        if (metric_info(id)->scope == ROAST_SCOPE_RUN)
            summary_set_int(summary, id, 1000 + (int64_t)id);
    json_t *parsed = parsed_summary(summary);
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        if (metric_info(id)->scope != ROAST_SCOPE_RUN)
            continue;
        assert_int_equal(json_integer_value(json_object_get(parsed, metric_info(id)->name)), 1000 + (int64_t)id);
        char aliases[256], *rest = aliases;
        snprintf(aliases, sizeof aliases, "%s", metric_info(id)->aliases);
        for (char *alias; (alias = strsep(&rest, " "));) {
            char *dot = strchr(alias, '.');
            if (dot)
                *dot = '\0';
            json_t *value = *alias ? json_object_get(parsed, alias) : json_object_get(parsed, metric_info(id)->name);
            assert_int_equal(json_integer_value(dot ? json_object_get(value, dot + 1) : value), 1000 + (int64_t)id);
        }
    }
    json_decref(parsed);
    roast_summary_free(summary);
}

static void absent_is_null_and_says_why(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary->why[M_run_total_events] = "no coffea report";
    json_t *parsed = parsed_summary(summary);
    assert_true(json_is_null(json_object_get(parsed, "total_events")));
    assert_true(json_is_null(json_object_get(parsed, "t_start_ns")));
    assert_true(json_is_null(json_object_get(json_object_get(parsed, "runtime_vs_events"), "slope")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(parsed, "why_absent"), "total_events")),
                        "no coffea report");
    json_decref(parsed);
    roast_summary_free(summary);
}

static void numbers_that_json_lacks_are_null(void **state)
{
    (void)state;
    static const double values[] = {0.1, (double)NAN, (double)INFINITY};
    buf out = {0};
    json_writer w = {.out = &out};
    json_put_open(&w, NULL, '[');
    for (size_t i = 0; i < 3; i++)
        json_put_real(&w, NULL, values[i]);
    json_put_close(&w, ']');
    json_t *parsed = parse(&out);
    assert_close(json_real_value(json_array_get(parsed, 0)), 0.1, 0);
    assert_true(json_is_null(json_array_get(parsed, 1)));
    assert_true(json_is_null(json_array_get(parsed, 2)));
    json_decref(parsed);
    buf_release(&out);
}

static void doubles_come_back_as_they_were(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252;
    for (int i = 0; i < 2000; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        double value, back;
        memcpy(&value, &seed, sizeof value);
        if (!isfinite(value))
            continue;
        buf out = {0};
        json_writer w = {.out = &out};
        json_put_real(&w, NULL, value);
        back = strtod(out.data, NULL);
        assert_memory_equal(&value, &back, sizeof value);
        buf_release(&out);
    }
}

static void text_of_any_bytes_becomes_valid_utf8(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary->run_name = (roast_str){"\xff\0\"\\\n\x1b", 6};
    assert_true(summary_add_rows(summary, ROAST_SCOPE_DATASET, 1));
    summary_cell_text(summary, M_dataset_dataset, 0, STR("d\xc3"));
    buf out = {0};
    json_summary(&out, summary);
    json_error_t error;
    json_t *parsed = json_loadb(out.data, out.len, JSON_ALLOW_NUL, &error);
    assert_non_null(parsed);
    json_t *name = json_object_get(parsed, "name");
    assert_int_equal(json_string_length(name), 8);
    assert_memory_equal(json_string_value(name), "\xef\xbf\xbd\0\"\\\n\x1b", 8);
    assert_non_null(json_object_get(json_object_get(parsed, "per_dataset"), "d\xef\xbf\xbd"));
    assert_null(memchr(out.data, 0x1b, out.len));
    json_decref(parsed);
    buf_release(&out);
    roast_summary_free(summary);
}

static void rows_are_there_in_their_shapes(void **state)
{
    (void)state;
    static const char *const names[] = {"a.root", "b.root"};
    roast_summary *summary = summary_of_files(names, 2);
    summary_cell_real(summary, M_file_compression_ratio, 1, 0.25);
    assert_true(summary_add_rows(summary, ROAST_SCOPE_SECTION, 1));
    summary_cell_text(summary, M_section_section, 0, STR("jets"));
    summary_cell_int(summary, M_section_count, 0, 3);
    json_t *parsed = parsed_summary(summary);
    json_t *files = json_object_get(parsed, "files"), *ratios = json_object_get(parsed, "compression_ratios");
    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(files, 1), "file")), "b.root");
    assert_int_equal(json_array_size(ratios), 1);
    assert_close(json_real_value(json_array_get(ratios, 0)), 0.25, 0);
    json_t *jets = json_object_get(json_object_get(parsed, "sections"), "jets");
    assert_int_equal(json_integer_value(json_object_get(jets, "count")), 3);
    assert_int_equal(json_array_size(json_object_get(parsed, "workers")), 0);
    assert_string_equal(json_string_value(json_object_get(parsed, "outcome")), "finished");
    json_decref(parsed);
    roast_summary_free(summary);
}

static void the_catalogue_lists_every_metric(void **state)
{
    (void)state;
    buf out = {0};
    json_catalogue(&out);
    json_t *parsed = parse(&out);
    assert_int_equal(json_array_size(parsed), roast_metric_count());
    json_t *first = json_array_get(parsed, 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), roast_metric_at(0)->name);
    assert_int_equal(json_array_size(json_object_get(first, "aliases")), 2);
    json_decref(parsed);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_answers_to_each_of_its_names), cmocka_unit_test(absent_is_null_and_says_why),
        cmocka_unit_test(numbers_that_json_lacks_are_null),          cmocka_unit_test(doubles_come_back_as_they_were),
        cmocka_unit_test(text_of_any_bytes_becomes_valid_utf8),      cmocka_unit_test(rows_are_there_in_their_shapes),
        cmocka_unit_test(the_catalogue_lists_every_metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
