/* Tables and how they are drawn: what is shown, in how many columns, and that names from outside do no harm. */
#include <math.h>

#include "summaries.h"
#include "view/terminal.h"
#include "view/text.h"

static buf draw(const roast_summary *summary, const char *only, size_t limit, terminal_options options)
{
    table_set set;
    roast_error err = {0};
    if (tables_build(&set, summary, only, limit, &err))
        fail_msg("%s", err.message);
    buf out = {0};
    terminal_tables(&out, &set, &options);
    assert_int_equal(out.code, ROAST_OK);
    tables_release(&set);
    return out;
}

static void assert_shows(const buf *out, const char *text)
{
    if (!strstr(out->data, text))
        fail_msg("\"%s\" is not in:\n%s", text, out->data);
}

static void assert_hides(const buf *out, const char *text)
{
    if (strstr(out->data, text))
        fail_msg("\"%s\" is in:\n%s", text, out->data);
}

static size_t widest_line(const buf *out)
{
    size_t widest = 0;
    roast_str rest = buf_view(out);
    while (!str_absent(rest)) {
        size_t width = text_width(str_split(&rest, '\n'));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static const terminal_options USUAL = {.width = 80, .utf8 = true};

static void an_absent_metric_gives_its_reason(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary->why[M_run_total_events] = "no coffea report";
    buf out = draw(summary, "events", 0, USUAL);
    assert_shows(&out, "n/a (no coffea report)");
    buf_release(&out);
    roast_summary_free(summary);
}

static void a_zero_is_shown_as_zero(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_int(summary, M_run_total_events, 0);
    buf out = draw(summary, "events", 0, USUAL);
    assert_shows(&out, "  events            0\n");
    buf_release(&out);
    roast_summary_free(summary);
}

static void a_missing_percentile_keeps_its_place(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_real(summary, M_run_chunk_duration_p99, 2);
    buf out = draw(summary, "chunks", 0, USUAL);
    assert_shows(&out, "n/a / 2.00 s");
    buf_release(&out);
    roast_summary_free(summary);
}

static void the_heading_says_how_the_run_ended(void **state)
{
    (void)state;
    static const struct {
        roast_outcome outcome;
        const char *text;
    } endings[] = {
        {ROAST_FINISHED, "finished in 12 min 41 s"},
        {ROAST_INTERRUPTED, "interrupted after 12 min 41 s"},
        {ROAST_RUNNING, "still running, 12 min 41 s so far"},
        {ROAST_FAILED, "failed after 12 min 41 s"},
    };
    for (size_t i = 0; i < 4; i++) {
        roast_summary *summary = empty_summary();
        summary->outcome = endings[i].outcome;
        summary_set_real(summary, M_run_elapsed_time_seconds, 761);
        buf out = draw(summary, "timing", 0, USUAL);
        assert_shows(&out, endings[i].text);
        buf_release(&out);
        roast_summary_free(summary);
    }
}

static void the_heading_counts_chunks_failures_and_lost_workers(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_int(summary, M_run_num_chunks, 1850);
    summary_set_int(summary, M_run_num_successful_chunks, 1842);
    summary_set_int(summary, M_run_num_failed_chunks, 8);
    summary_set_int(summary, M_run_workers_lost, 1);
    buf out = draw(summary, "timing", 0, (terminal_options){.width = 120, .utf8 = true});
    assert_shows(&out, "1 842 of 1 850 chunks");
    assert_shows(&out, "8 attempts failed   ·   1 worker lost\n");
    buf_release(&out);
    roast_summary_free(summary);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    static const char *const names[] = {
        "root://server.example.org//store/mc/2018/TTToSemiLeptonic/NANOAODSIM/0001.root",
        "日本語の長い名前のファイルがここにあります日本語の長い名前.root", "b.root"};
    roast_summary *summary = summary_of_files(names, 3);
    summary->run_name = STR("a run with a name that is much longer than any terminal that it could ever be shown on");
    summary_set_real(summary, M_run_elapsed_time_seconds, 761);
    for (size_t width = 60; width <= 180; width++)
        for (int utf8 = 0; utf8 < 2; utf8++) {
            buf out = draw(summary, NULL, 0, (terminal_options){.width = width, .utf8 = utf8});
            if (widest_line(&out) > width)
                fail_msg("%zu columns of %zu:\n%s", widest_line(&out), width, out.data);
            buf_release(&out);
        }
    roast_summary_free(summary);
}

static void lists_stand_side_by_side_from_100_columns(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_real(summary, M_run_elapsed_time_seconds, 761);
    buf wide = draw(summary, "throughput,timing", 0, (terminal_options){.width = 100, .utf8 = true});
    buf narrow = draw(summary, "throughput,timing", 0, (terminal_options){.width = 99, .utf8 = true});
    assert_shows(&wide, "─    Timing ─");
    assert_shows(&narrow, "\nTiming ─");
    buf_release(&wide);
    buf_release(&narrow);
    roast_summary_free(summary);
}

static void columns_go_by_priority_when_it_gets_narrow(void **state)
{
    (void)state;
    static const char *const names[] = {"a-file-name-of-some-length.root"};
    roast_summary *summary = summary_of_files(names, 1);
    summary_cell_text(summary, M_file_algorithm, 0, STR("ZSTD"));
    summary_cell_int(summary, M_file_total_events, 0, 1000);
    summary_cell_real(summary, M_file_open_seconds, 0, 1);
    buf wide = draw(summary, "files", 0, (terminal_options){.width = 140, .utf8 = true});
    buf narrow = draw(summary, "files", 0, (terminal_options){.width = 60, .utf8 = true});
    assert_shows(&wide, "ZSTD");
    assert_shows(&wide, "1 234");
    assert_hides(&narrow, "ZSTD");
    assert_hides(&narrow, "1 234");
    assert_shows(&narrow, "10.0 s");
    buf_release(&wide);
    buf_release(&narrow);
    roast_summary_free(summary);
}

static void numbers_end_in_the_same_column(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    roast_summary *summary = summary_of_files(names, 2);
    summary_cell_int(summary, M_file_num_chunks, 0, 7);
    buf out = draw(summary, "files", 0, USUAL);
    assert_shows(&out, "\n  file  chunks ");
    assert_shows(&out, "\n  a          7 ");
    assert_shows(&out, "\n  b      1 234 ");
    buf_release(&out);
    roast_summary_free(summary);
}

static void hostile_names_never_reach_the_terminal(void **state)
{
    (void)state;
    char *long_name = malloc(10001);
    assert_non_null(long_name);
    memset(long_name, 'x', 10000);
    long_name[10000] = '\0';
    const char *names[] = {"\033]0;owned\007", "\033[2J\033[H",           "a\r\nb", "\302\2331m", "\377\376",
                           long_name,          "evil\342\200\256toor.txt"};
    roast_summary *summary = summary_of_files(names, 7);
    summary->run_name = STR("\033[31mred");
    buf out = draw(summary, NULL, 0, USUAL);
    for (size_t i = 0; i < out.len; i++)
        if ((unsigned char)out.data[i] < 0x20)
            assert_int_equal(out.data[i], '\n');
    assert_hides(&out, "\302\233");
    assert_hides(&out, "\342\200\256");
    assert_shows(&out, "\\x1b[31mred");
    assert_shows(&out, "…");
    assert_true(widest_line(&out) <= 80);
    buf_release(&out);
    free(long_name);
    roast_summary_free(summary);
}

static void without_utf8_there_are_only_ascii_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"日本語", "é"};
    roast_summary *summary = summary_of_files(names, 2);
    summary_set_real(summary, M_run_elapsed_time_seconds, 1e-5);
    buf out = draw(summary, NULL, 0, (terminal_options){.width = 100});
    for (size_t i = 0; i < out.len; i++)
        assert_true((unsigned char)out.data[i] < 0x80);
    assert_shows(&out, "10.0 us");
    buf_release(&out);
    roast_summary_free(summary);
}

static void colour_comes_only_when_asked_for_and_changes_no_column(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_int(summary, M_run_num_failed_chunks, 8);
    buf plain = draw(summary, NULL, 0, USUAL);
    buf coloured = draw(summary, NULL, 0, (terminal_options){.width = 80, .utf8 = true, .colour = true});
    assert_hides(&plain, "\033");
    assert_shows(&coloured, "\033[31m8 attempts failed\033[0m");
    buf stripped = {0};
    for (size_t i = 0; i < coloured.len; i++) {
        if (coloured.data[i] == '\033')
            while (coloured.data[i] != 'm')
                i++;
        else
            buf_char(&stripped, coloured.data[i]);
    }
    assert_str(buf_view(&stripped), plain.data);
    buf_release(&plain);
    buf_release(&coloured);
    buf_release(&stripped);
    roast_summary_free(summary);
}

static void long_tables_are_cut_at_the_largest(void **state)
{
    (void)state;
    static const char *const names[] = {"first", "second", "third"};
    roast_summary *summary = summary_of_files(names, 3);
    buf out = draw(summary, "files", 2, USUAL);
    assert_shows(&out, "first");
    assert_shows(&out, "second");
    assert_hides(&out, "third");
    assert_shows(&out, "and 1 more");
    buf_release(&out);
    roast_summary_free(summary);
}

static void lost_workers_come_first(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    assert_true(summary_add_rows(summary, ROAST_SCOPE_WORKER, 2));
    summary_cell_text(summary, M_worker_worker, 0, STR("busy"));
    summary_cell_text(summary, M_worker_departure, 0, STR("stayed"));
    summary_cell_real(summary, M_worker_busy_seconds, 0, 100);
    summary_cell_text(summary, M_worker_worker, 1, STR("dead"));
    summary_cell_text(summary, M_worker_departure, 1, STR("lost"));
    summary_cell_real(summary, M_worker_busy_seconds, 1, 1);
    buf out = draw(summary, "workers", 0, USUAL);
    const char *dead = strstr(out.data, "dead"), *busy = strstr(out.data, "  busy ");
    assert_true(dead && busy && dead < strstr(out.data, "stayed"));
    buf_release(&out);
    roast_summary_free(summary);
}

static void a_table_that_does_not_exist_is_refused_with_those_that_do(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    table_set set;
    roast_error err = {0};
    assert_int_equal(tables_build(&set, summary, "chunks,wokers", 0, &err), ROAST_USAGE);
    assert_non_null(strstr(err.message, "\"wokers\""));
    assert_non_null(strstr(err.message, "workers"));
    tables_release(&set);
    roast_summary_free(summary);
}

static void sections_that_are_parts_of_each_other_are_all_shown(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "itself", "below", "top"};
    static const char *const parents[] = {"b", "a", "itself", "a", NULL};
    enum { ROWS = sizeof names / sizeof *names };
    roast_summary *summary = empty_summary();
    assert_true(summary_add_rows(summary, ROAST_SCOPE_SECTION, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        summary_cell_text(summary, M_section_section, i, str_from(names[i]));
        summary_cell_text(summary, M_section_parent, i, str_from(parents[i]));
        summary_cell_real(summary, M_section_total_duration, i, 10 - (double)i);
    }
    table_set set;
    roast_error err = {0};
    assert_int_equal(tables_build(&set, summary, "sections", 0, &err), ROAST_OK);
    assert_int_equal(set.tables[0].n_rows, ROWS);
    buf out = {0};
    terminal_tables(&out, &set, &USUAL);
    for (size_t i = 0; i < ROWS; i++)
        assert_shows(&out, names[i]);
    buf_release(&out);
    tables_release(&set);
    roast_summary_free(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_absent_metric_gives_its_reason),
        cmocka_unit_test(a_zero_is_shown_as_zero),
        cmocka_unit_test(a_missing_percentile_keeps_its_place),
        cmocka_unit_test(the_heading_says_how_the_run_ended),
        cmocka_unit_test(the_heading_counts_chunks_failures_and_lost_workers),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(lists_stand_side_by_side_from_100_columns),
        cmocka_unit_test(columns_go_by_priority_when_it_gets_narrow),
        cmocka_unit_test(numbers_end_in_the_same_column),
        cmocka_unit_test(hostile_names_never_reach_the_terminal),
        cmocka_unit_test(without_utf8_there_are_only_ascii_bytes),
        cmocka_unit_test(colour_comes_only_when_asked_for_and_changes_no_column),
        cmocka_unit_test(long_tables_are_cut_at_the_largest),
        cmocka_unit_test(lost_workers_come_first),
        cmocka_unit_test(a_table_that_does_not_exist_is_refused_with_those_that_do),
        cmocka_unit_test(sections_that_are_parts_of_each_other_are_all_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
