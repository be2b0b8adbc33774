/* Text on a screen: widths, harmless names, shortening and line breaks. */
#include "unit.h"
#include "view/text.h"

static void expect_safe(const char *bytes, size_t len, bool utf8, const char *expected)
{
    buf out = {0};
    text_safe(&out, (roast_str){bytes, len}, utf8);
    assert_str(buf_view(&out), expected);
    buf_release(&out);
}

#define SAFE(literal, expected)  expect_safe(literal, sizeof(literal) - 1, true, expected)
#define ASCII(literal, expected) expect_safe(literal, sizeof(literal) - 1, false, expected)

static void escape_sequences_are_spelled_out(void **state)
{
    (void)state;
    SAFE("a\033[31mb", "a\\x1b[31mb");
    SAFE("a\nb\tc\rd\177", "a\\nb\\tc\\rd\\x7f");
    SAFE("\0", "\\x00");
    SAFE("\302\233[31m", "\\x9b[31m"); /* the one-character form of the same sequence */
}

static void characters_that_turn_or_hide_text_are_spelled_out(void **state)
{
    (void)state;
    SAFE("a\342\200\256b", "a\\u202eb"); /* right-to-left override */
    SAFE("a\342\201\246b", "a\\u2066b");
    SAFE("a\342\200\213b", "a\\u200bb"); /* zero-width space */
    SAFE("\357\273\277a", "\\ufeffa");
    SAFE("\342\200\250", "\\u2028");
}

static void right_to_left_letters_stay_letters(void **state)
{
    (void)state;
    SAFE("\327\251\327\234\327\225\327\235", "\327\251\327\234\327\225\327\235");
}

static void invalid_bytes_become_replacement_characters(void **state)
{
    (void)state;
    SAFE("a\377b", "a\357\277\275b");
    SAFE("\303", "\357\277\275");                                                 /* cut short */
    SAFE("\300\257", "\357\277\275\357\277\275");                                 /* a slash in too many bytes */
    SAFE("\355\240\200", "\357\277\275\357\277\275\357\277\275");                 /* half of a surrogate pair */
    SAFE("\364\220\200\200", "\357\277\275\357\277\275\357\277\275\357\277\275"); /* beyond Unicode */
}

static void says(const char *error, const char *line)
{
    buf shown = {0};
    buf_text(&shown, "");
    text_error(&shown, str_from(error));
    assert_string_equal(shown.data, line);
    buf_release(&shown);
}

static void an_error_is_a_line_up_to_its_first_blank_one(void **state)
{
    (void)state;
    says("no such basket", "no such basket");
    says("\n\n  not found: 'Events'  \r\n\n    Available keys: ...\n", "not found: 'Events'");
    says("expected Chunk of length 4649,\nreceived 786 bytes\n\nin file f",
         "expected Chunk of length 4649, received 786 bytes");
    says(" \n ", "");
    says(NULL, "");
}

static void an_error_that_coffea_wrapped_is_what_is_inside(void **state)
{
    (void)state;
    says("Failed processing file: WorkItem(dataset='d'). The error was: OSError('no such basket').",
         "OSError('no such basket')");
    says("Failed to open file: f. The error was: OSError('not found\\n\\nFiles may be').", "OSError('not found");
    says("a. The error was: OSError('cut,\\nafter 7 bytes').\nTraceback", "OSError('cut, after 7 bytes')");
    says("a. The error was: Exception('b. The error was: ValueError()", "ValueError()");
    says("cut short. The error was: ", "cut short. The error was:");
}

static void marks_do_not_pile_up(void **state)
{
    (void)state;
    SAFE("e\314\201", "e\314\201");
    SAFE("e\314\201\314\201\314\201\314\201", "e\314\201\314\201\314\201\\u0301");
    SAFE("\314\201", "\\u0301"); /* nothing to sit on */
}

static void without_utf8_everything_is_ascii(void **state)
{
    (void)state;
    ASCII("1 µs · 3 × −2 …", "1 us - 3 x -2 ...");
    ASCII("d\303\251j\303\240", "d?j?");
    ASCII("e\314\201", "e");
}

static void widths_count_columns_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(text_width(STR("abc")), 3);
    assert_int_equal(text_width(STR("déjà")), 4);
    assert_int_equal(text_width(STR("日本語")), 6);
    assert_int_equal(text_width(STR("e\314\201")), 1);
    assert_int_equal(text_width(STR("🚀")), 2);
    assert_int_equal(text_width(STR("한글")), 4);
    assert_int_equal(text_width(STR("│─█▏…·×")), 7);
    assert_int_equal(text_width(STR("\377")), 1);
}

static void expect_short(const char *text, size_t width, bool utf8, const char *expected)
{
    buf out = {0};
    text_shorten(&out, str_from(text), width, utf8);
    assert_str(buf_view(&out), expected);
    buf_release(&out);
}

static void long_names_lose_their_middle(void **state)
{
    (void)state;
    expect_short("short", 5, true, "short");
    expect_short("root://server//store/file_17.root", 16, true, "root:/…e_17.root");
    expect_short("root://server//store/file_17.root", 16, false, "root:..e_17.root");
    expect_short("abcdef", 1, true, "…");
}

static void wide_characters_are_not_cut_in_half(void **state)
{
    (void)state;
    for (size_t width = 1; width < 14; width++) {
        buf out = {0};
        text_shorten(&out, STR("日本語データ"), width, true);
        assert_true(text_width(buf_view(&out)) <= width);
        assert_null(strstr(out.data, "\357\277\275"));
        buf_release(&out);
    }
}

static void lines_break_at_spaces_and_parts_at_commas(void **state)
{
    (void)state;
    roast_str rest = STR("one two three");
    assert_str(text_take_line(&rest, 8, false), "one two");
    assert_str(text_take_line(&rest, 8, false), "three");
    assert_int_equal(rest.len, 0);
    rest = STR("28 h 12 min in all, 27 min 30 s for a core");
    assert_str(text_take_line(&rest, 28, true), "28 h 12 min in all,");
    assert_str(text_take_line(&rest, 28, true), "27 min 30 s for a core");
    rest = STR("abcdefgh");
    assert_str(text_take_line(&rest, 3, false), "abc");
    rest = STR("日");
    assert_str(text_take_line(&rest, 1, false), "日"); /* or it would never end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_sequences_are_spelled_out),
        cmocka_unit_test(characters_that_turn_or_hide_text_are_spelled_out),
        cmocka_unit_test(right_to_left_letters_stay_letters),
        cmocka_unit_test(invalid_bytes_become_replacement_characters),
        cmocka_unit_test(an_error_is_a_line_up_to_its_first_blank_one),
        cmocka_unit_test(an_error_that_coffea_wrapped_is_what_is_inside),
        cmocka_unit_test(marks_do_not_pile_up),
        cmocka_unit_test(without_utf8_everything_is_ascii),
        cmocka_unit_test(widths_count_columns_not_bytes),
        cmocka_unit_test(long_names_lose_their_middle),
        cmocka_unit_test(wide_characters_are_not_cut_in_half),
        cmocka_unit_test(lines_break_at_spaces_and_parts_at_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
