/* CSV: quoting, formulas, and chunks straight from a run. */
#include "summaries.h"
#include "view/csv.h"

static buf files_csv(const char *const *names, size_t count)
{
    roast_summary *summary = summary_of_files(names, count);
    buf out = {0};
    csv_scope(&out, summary, ROAST_SCOPE_FILE);
    assert_int_equal(out.code, ROAST_OK);
    roast_summary_free(summary);
    return out;
}

static void assert_row(const buf *out, const char *text)
{
    if (!strstr(out->data, text))
        fail_msg("%s is not in\n%s", text, out->data);
}

static void fields_are_quoted_where_rfc_4180_wants_it(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", "a,b", "say \"hi\"", "two\nlines"};
    buf out = files_csv(names, 4);
    assert_row(&out, "\r\nplain,1234,");
    assert_row(&out, "\r\n\"a,b\",1234,");
    assert_row(&out, "\r\n\"say \"\"hi\"\"\",1234,");
    assert_row(&out, "\r\n\"two\nlines\",1234,");
    assert_true(str_ends_with(buf_view(&out), STR("\r\n")));
    buf_release(&out);
}

static void formulas_are_defused_in_text_and_only_there(void **state)
{
    (void)state;
    static const char *const names[] = {"=1+1", "+x", "-x", "@SUM(A1)", "\tx", "a=b"};
    buf out = files_csv(names, 6);
    assert_row(&out, "\r\n'=1+1,");
    assert_row(&out, "\r\n'+x,");
    assert_row(&out, "\r\n'-x,");
    assert_row(&out, "\r\n'@SUM(A1),");
    assert_row(&out, "\r\n'\tx,");
    assert_row(&out, "\r\na=b,");
    buf_release(&out);
    roast_summary *summary = empty_summary();
    summary_set_real(summary, M_run_chunk_mem_delta_min_mb, -2.5);
    csv_scope(&out, summary, ROAST_SCOPE_RUN);
    assert_row(&out, "chunk_mem_delta_min_mb,-2.5,MiB\r\n");
    buf_release(&out);
    roast_summary_free(summary);
}

static void the_run_has_a_row_per_metric_and_absent_is_empty(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    summary_set_int(summary, M_run_total_events, 80);
    buf out = {0};
    csv_scope(&out, summary, ROAST_SCOPE_RUN);
    assert_true(str_starts_with(buf_view(&out), STR("name,value,unit\r\n")));
    assert_row(&out, "\r\ntotal_events,80,count\r\n");
    assert_row(&out, "\r\ntotal_bytes_read,,B\r\n");
    size_t lines = 0;
    for (size_t i = 0; i < out.len; i++)
        lines += out.data[i] == '\n';
    assert_int_equal(lines, 1 + metric_count(ROAST_SCOPE_RUN));
    buf_release(&out);
    roast_summary_free(summary);
}

static void record(const char *path, int64_t chunks)
{
    roast_recorder *recorder;
    roast_error err = {0};
    assert_int_equal(roast_recorder_open(&recorder, path, NULL, &err), ROAST_OK);
    static const roast_str branches[] = {{"Jet_pt", 6}, {"nJet", 4}};
    for (int64_t i = 0; i < chunks; i++) {
        roast_chunk chunk = roast_chunk_none();
        chunk.uid = 0xabc + (uint64_t)i;
        chunk.dataset = STR("=cmd");
        chunk.file = STR("a.root");
        chunk.entry_start = i * 100;
        chunk.entry_stop = i * 100 + 100;
        chunk.events = 100;
        chunk.t_start_ns = INT64_C(1794751331000000001);
        chunk.duration_ns = 2500000000;
        chunk.cpu_ns = 500000000;
        chunk.rss_before = 1048576;
        chunk.rss_after = 3145728;
        chunk.branches = branches;
        chunk.n_branches = 2;
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, &err), ROAST_OK);
}

static roast_code append(void *context, roast_str part)
{
    buf_str(context, part);
    return ROAST_OK;
}

/* The field of the second line that is under this title. */
static roast_str field(const buf *out, const char *title)
{
    roast_str rest = buf_view(out), titles = str_split(&rest, '\n'), fields = str_split(&rest, '\n');
    while (!str_absent(titles)) {
        roast_str this_title = str_split(&titles, ','), this_field = str_split(&fields, ',');
        if (str_equal(str_trim(this_title), str_from(title)))
            return str_trim(this_field);
    }
    fail_msg("no column %s", title);
    return str_none();
}

static void a_chunk_has_its_fields_in_the_units_of_the_catalogue(void **state)
{
    (void)state;
    record(in_scratch("a.roast"), 1);
    roast_run *run;
    roast_error err = {0};
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), NULL, &err), ROAST_OK);
    buf out = {0};
    assert_int_equal(roast_run_write_chunks(run, append, &out, &err), ROAST_OK);
    assert_str(field(&out, "uid"), "0000000000000abc");
    assert_str(field(&out, "dataset"), "'=cmd");
    assert_str(field(&out, "num_events"), "100");
    assert_str(field(&out, "t_start"), "1794751331.000000001");
    assert_str(field(&out, "t_end"), "1794751333.500000001");
    assert_str(field(&out, "duration"), "2.500000000");
    assert_str(field(&out, "noncpu_seconds"), "2.000000000");
    assert_str(field(&out, "mem_delta_mb"), "2");
    assert_str(field(&out, "num_branches_accessed"), "2");
    assert_str(field(&out, "open_seconds"), "");
    assert_str(field(&out, "error"), "");
    buf_release(&out);
    roast_run_close(run);
}

typedef struct counting {
    size_t parts, largest, lines;
} counting;

static roast_code count_parts(void *context, roast_str part)
{
    counting *c = context;
    c->parts++;
    c->largest = part.len > c->largest ? part.len : c->largest;
    for (size_t i = 0; i < part.len; i++)
        c->lines += part.ptr[i] == '\n';
    return ROAST_OK;
}

static roast_code refuse(void *context, roast_str part)
{
    (void)context;
    (void)part;
    return ROAST_IO;
}

static void many_chunks_come_in_parts(void **state)
{
    (void)state;
    record(in_scratch("a.roast"), 5000);
    roast_run *run;
    roast_error err = {0};
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), NULL, &err), ROAST_OK);
    counting c = {0};
    assert_int_equal(roast_run_write_chunks(run, count_parts, &c, &err), ROAST_OK);
    assert_int_equal(c.lines, 5001);
    assert_true(c.parts > 5);
    assert_true(c.largest < 100000);
    assert_int_equal(roast_run_write_chunks(run, refuse, NULL, &err), ROAST_IO);
    roast_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_quoted_where_rfc_4180_wants_it),
        cmocka_unit_test(formulas_are_defused_in_text_and_only_there),
        cmocka_unit_test(the_run_has_a_row_per_metric_and_absent_is_empty),
        test_in_scratch(a_chunk_has_its_fields_in_the_units_of_the_catalogue),
        test_in_scratch(many_chunks_come_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
