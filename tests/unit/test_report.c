/* What the report is made of: hashes, base64, packed columns, HTML of texts and tables. */
#include <math.h>
#include <zlib.h>

#include "analysis/explain.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "summaries.h"
#include "view/findings.h"
#include "view/html.h"
#include "view/page_columns.h"

static const char *base64_of(buf *out, const char *text)
{
    buf_clear(out);
    base64_put(out, text, strlen(text));
    return out->len ? out->data : "";
}

/* The examples of RFC 4648. */
static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    buf out = {0};
    assert_string_equal(base64_of(&out, ""), "");
    assert_string_equal(base64_of(&out, "f"), "Zg==");
    assert_string_equal(base64_of(&out, "fo"), "Zm8=");
    assert_string_equal(base64_of(&out, "foo"), "Zm9v");
    assert_string_equal(base64_of(&out, "foobar"), "Zm9vYmFy");
    assert_string_equal(base64_of(&out, "\xff\xfe\xfd"), "//79");
    buf_release(&out);
}

static void assert_sha256(const char *text, size_t len, const char *expected)
{
    unsigned char digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256(digest, text, len);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, expected);
}

/* The examples of NIST, and lengths around the end of a block (from sha256sum). */
static void sha256_is_that_of_the_standard(void **state)
{
    (void)state;
    assert_sha256("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    assert_sha256(letters, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_sha256(letters, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    assert_sha256(letters, 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

static int64_t value_at(const void *context, size_t row)
{
    return ((const int64_t *)context)[row];
}

static int letter_value(char c)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, c);
    return at && c ? (int)(at - letters) : -1;
}

/* Undoes base64 and zlib; returns the number of bytes. */
static size_t unpack(unsigned char *bytes, size_t size, const char *letters)
{
    unsigned char packed[4096];
    size_t count = 0;
    uint32_t bits = 0;
    int held = 0;
    for (; letter_value(*letters) >= 0; letters++) {
        bits = bits << 6 | (uint32_t)letter_value(*letters);
        if ((held += 6) >= 8)
            packed[count++] = (unsigned char)(bits >> (held -= 8));
    }
    uLongf length = size;
    assert_int_equal(uncompress(bytes, &length, packed, count), Z_OK);
    return length;
}

static size_t unpack_column(unsigned char *bytes, size_t size, const int64_t *values, size_t rows, column_coding coding,
                            const char *expected_start)
{
    buf out = {0};
    page_column_put(&out, "set", "name", coding, rows, value_at, values);
    assert_int_equal(out.code, ROAST_OK);
    if (strncmp(out.data, expected_start, strlen(expected_start)) != 0)
        fail_msg("%s does not start with %s", out.data, expected_start);
    size_t length = unpack(bytes, size, out.data + strlen(expected_start));
    buf_release(&out);
    return length;
}

static void a_plain_column_keeps_values_and_says_where_there_is_none(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 255, ROAST_ABSENT, 65534, -3};
    unsigned char bytes[64];
    size_t length = unpack_column(
        bytes, sizeof bytes, values, 5, COLUMN_PLAIN,
        "<script type=\"text/plain\" data-set=\"set\" data-column=\"name\" data-width=\"2\" data-deltas=\"0\">");
    static const unsigned char expected[] = {1, 0, 0, 255, 0, /* low bytes of value + 1 */ 0, 1, 0, 255, 0};
    assert_int_equal(length, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static void a_column_of_differences_may_go_up_and_down(void **state)
{
    (void)state;
    static const int64_t values[] = {10, 10, 9, 12, 12 + 300};
    unsigned char bytes[64];
    size_t length = unpack_column(
        bytes, sizeof bytes, values, 5, COLUMN_DELTAS,
        "<script type=\"text/plain\" data-set=\"set\" data-column=\"name\" data-width=\"2\" data-deltas=\"1\">");
    static const unsigned char expected[] = {20, 0, 1, 6, 600 & 255, /* high bytes */ 0, 0, 0, 0, 600 >> 8};
    assert_int_equal(length, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static void a_column_in_which_nothing_is_known_has_no_bytes(void **state)
{
    (void)state;
    static const int64_t values[] = {ROAST_ABSENT, ROAST_ABSENT};
    unsigned char bytes[8];
    assert_int_equal(
        unpack_column(
            bytes, sizeof bytes, values, 2, COLUMN_PLAIN,
            "<script type=\"text/plain\" data-set=\"set\" data-column=\"name\" data-width=\"0\" data-deltas=\"0\">"),
        0);
}

static void assert_html(roast_str text, const char *expected)
{
    buf out = {0};
    html_text(&out, text);
    assert_int_equal(out.code, ROAST_OK);
    assert_string_equal(out.len ? out.data : "", expected);
    buf_release(&out);
}

static void text_of_any_origin_is_text_in_html(void **state)
{
    (void)state;
    assert_html(STR("<script>alert('x')</script>"), "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    assert_html(STR("a & \"b\""), "a &amp; &quot;b&quot;");
    assert_html(STR("\xc3\xa9 <\xe2\x80\xae>"), "\xc3\xa9 &lt;\\u202e&gt;");
    assert_html(STR("\xff\n"), "\xef\xbf\xbd\\n");
    assert_html(str_none(), "");
}

static void a_text_that_is_too_long_loses_its_middle(void **state)
{
    (void)state;
    char text[20000];
    memset(text, 'x', sizeof text);
    memcpy(text + sizeof text - 4, "tail", 4);
    buf out = {0};
    html_text(&out, (roast_str){text, sizeof text});
    assert_true(out.len < HTML_LONGEST + 8);
    assert_true(str_ends_with(buf_view(&out), STR("xtail")));
    assert_non_null(strstr(out.data, "\xe2\x80\xa6"));
    buf_release(&out);
}

static void a_table_has_its_first_rows_in_the_page_and_all_of_them_for_the_script(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "</td><b>", "c"};
    roast_summary *summary = summary_of_files(names, 3);
    table_set set;
    assert_int_equal(tables_build(&set, summary, "files", 0, NULL), ROAST_OK);
    buf out = {0};
    html_grid(&out, &set.tables[0], 2, NULL);
    assert_int_equal(out.code, ROAST_OK);
    assert_non_null(strstr(out.data, "<bdi>a</bdi>"));
    assert_non_null(strstr(out.data, "<bdi>&lt;/td&gt;&lt;b&gt;</bdi>"));
    assert_null(strstr(out.data, "<bdi>c</bdi>"));
    assert_non_null(strstr(out.data, "<p class=\"more\">and 1 more</p>"));
    buf_clear(&out);
    html_grid_json(&out, &set.tables[0]);
    static const char expected[] = "{\"rows\":[[\"a\",[\"1 234\",1234],";
    assert_memory_equal(out.data, expected, sizeof expected - 1);
    assert_non_null(strstr(out.data, "[\"10.0 s\",10,0,100]"));
    assert_non_null(strstr(out.data, "\"</td><b>\"")); /* it is packed before it goes into a page */
    buf_release(&out);
    tables_release(&set);
    roast_summary_free(summary);
}

/* ---- Words may change ------------------------------------------------------------------------------------------ */

static const struct {
    const char *key, *title, *class;
} LEDGER[] = {
    {"process_cpu", "process: CPU", "c0"},
    {"process_io", "process: waiting", "c1"},
    {"process_core", "waiting for a CPU core", "c3"},
    {"process_unsplit", "process (CPU and waiting not told apart)", "c0"},
    {"open", "opening files", "c2"},
    {"events", "building events", "c5"},
    {"return", "returning results", "c6"},
    {"failed", "failed and retried", "bad"},
    {"lost", "lost with workers", "bad"},
    {"merging", "merging", "c4"},
    {"preprocessing", "preprocessing", "neutral"},
    {"idle_start", "idle: start-up", "rest"},
    {"idle_queue", "idle: waiting for the scheduler", "rest"},
    {"idle_tail", "idle: tail", "rest"},
    {"residual", "not explained", "neutral"},
};
enum { LEDGER_ROWS = sizeof LEDGER / sizeof LEDGER[0] };

static roast_run *empty_run(void)
{
    roast_recorder *recorder;
    roast_run *run;
    assert_int_equal(roast_recorder_open(&recorder, in_scratch("a.roast"), NULL, NULL), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), NULL, NULL), ROAST_OK);
    return run;
}

static void assert_colours_with_titles(roast_run *run, const char *const *titles)
{
    roast_summary *summary = empty_summary();
    assert_true(summary_add_rows(summary, ROAST_SCOPE_LEDGER, LEDGER_ROWS));
    for (size_t row = 0; row < LEDGER_ROWS; row++) {
        summary_cell_text(summary, M_ledger_category, row, str_from(LEDGER[row].key));
        summary_cell_text(summary, M_ledger_title, row, str_from(titles[row]));
        summary_cell_real(summary, M_ledger_core_seconds, row, 100);
    }
    buf page = {0};
    assert_int_equal(roast_run_report(&page, run, summary, NULL), ROAST_OK);
    for (size_t row = 0; row < LEDGER_ROWS; row++) {
        char line[256];
        snprintf(line, sizeof line,
                 "<li><i class=\"%s\"></i><span><span data-terms=\"worker_ledger.%s\">%s</span></span>",
                 LEDGER[row].class, LEDGER[row].key, titles[row]);
        assert_non_null(strstr(page.data, line));
    }
    buf_release(&page);
    roast_summary_free(summary);
}

static void a_category_has_its_colour_whatever_it_is_called(void **state)
{
    (void)state;
    const char *as_they_are[LEDGER_ROWS], *reworded[LEDGER_ROWS];
    for (size_t row = 0; row < LEDGER_ROWS; row++) {
        as_they_are[row] = LEDGER[row].title;
        reworded[row] = LEDGER[LEDGER_ROWS - 1 - row].title; /* the words of another one */
    }
    roast_run *run = empty_run();
    assert_colours_with_titles(run, as_they_are);
    assert_colours_with_titles(run, reworded);
    roast_run_close(run);
}

/* How many lines of the first list begin like this. */
static size_t lines_with(const table_set *set, const char *start)
{
    size_t found = 0;
    for (size_t row = 0; row < set->tables[0].n_rows; row++)
        found += str_starts_with(table_cell_at(&set->tables[0], row, 1)->text, str_from(start));
    return found;
}

static void commands_for_a_terminal_are_left_out_of_pages(void **state)
{
    (void)state;
    roast_summary *summary = empty_summary();
    explanation why = {.count = 1, .findings = {{.kind = FINDING_IO_BOUND, .core_seconds = 5}}};
    table_set terminal, page;
    assert_int_equal(findings_tables(&terminal, summary, &why, true, NULL), ROAST_OK);
    assert_int_equal(findings_tables(&page, summary, &why, false, NULL), ROAST_OK);
    assert_int_equal(lines_with(&terminal, "roast show RUN --only "), 1);
    assert_int_equal(lines_with(&page, "roast "), 0);
    assert_int_equal(page.tables[0].n_rows, terminal.tables[0].n_rows - 1);
    tables_release(&terminal);
    tables_release(&page);
    roast_summary_free(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(sha256_is_that_of_the_standard),
        cmocka_unit_test(a_plain_column_keeps_values_and_says_where_there_is_none),
        cmocka_unit_test(a_column_of_differences_may_go_up_and_down),
        cmocka_unit_test(a_column_in_which_nothing_is_known_has_no_bytes),
        cmocka_unit_test(text_of_any_origin_is_text_in_html),
        cmocka_unit_test(a_text_that_is_too_long_loses_its_middle),
        cmocka_unit_test(a_table_has_its_first_rows_in_the_page_and_all_of_them_for_the_script),
        test_in_scratch(a_category_has_its_colour_whatever_it_is_called),
        cmocka_unit_test(commands_for_a_terminal_are_left_out_of_pages),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
