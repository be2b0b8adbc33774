/* The base library: arena, buffers, cursor, strings, clocks, interning. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "base/u64map.h"
#include "base/uuid.h"
#include "unit.h"

static void an_arena_gives_aligned_zeroed_memory_that_does_not_overlap(void **state)
{
    (void)state;
    arena a = {0};
    unsigned char *seen[200];
    for (size_t i = 0; i < 200; i++) {
        seen[i] = arena_alloc(&a, i * 7 + 1, 1);
        assert_non_null(seen[i]);
        assert_int_equal((uintptr_t)seen[i] % 16, 0);
        for (size_t j = 0; j < i * 7 + 1; j++)
            assert_int_equal(seen[i][j], 0);
        memset(seen[i], (int)i, i * 7 + 1);
    }
    for (size_t i = 0; i < 200; i++)
        assert_int_equal(seen[i][i * 7], i & 0xFF);
    assert_null(arena_alloc(&a, SIZE_MAX / 2, 4));
    arena_release(&a);
}

static void a_buffer_remembers_its_first_error_and_writes_nothing_after_it(void **state)
{
    (void)state;
    buf b = {0};
    buf_format(&b, "%d %s", 7, "seven");
    assert_str(buf_view(&b), "7 seven");
    b.code = ROAST_MEMORY;
    buf_text(&b, "more");
    assert_str(buf_view(&b), "7 seven");
    buf_clear(&b);
    buf_repeat(&b, STR("ab"), 3);
    assert_str(buf_view(&b), "ababab");
    buf_release(&b);
}

static void a_cursor_that_ran_past_the_end_gives_zeros_and_stays_failed(void **state)
{
    (void)state;
    const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7};
    cursor c = cursor_over(bytes, sizeof bytes);
    assert_int_equal(cursor_be16(&c), 0x0102);
    assert_int_equal(cursor_le32(&c), 0x06050403);
    assert_int_equal(cursor_left(&c), 1);
    assert_int_equal(cursor_be16(&c), 0);
    assert_true(c.failed);
    assert_int_equal(cursor_u8(&c), 0);
    cursor d = cursor_over(bytes, sizeof bytes);
    cursor_seek(&d, 8);
    assert_true(d.failed);
    assert_null(cursor_bytes(&d, 1));
}

static void strings_split_trim_and_compare(void **state)
{
    (void)state;
    roast_str rest = STR("a,b,,c");
    assert_str(str_split(&rest, ','), "a");
    assert_str(str_split(&rest, ','), "b");
    assert_str(str_split(&rest, ','), "");
    assert_str(str_split(&rest, ','), "c");
    assert_true(str_absent(rest));
    assert_str(str_trim(STR("  x y\n")), "x y");
    assert_true(str_compare(STR("ab"), STR("abc")) < 0);
    assert_true(str_compare(str_none(), STR("")) < 0);
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    int64_t i;
    double d;
    assert_true(str_to_int(STR("-42"), &i));
    assert_int_equal(i, -42);
    assert_false(str_to_int(STR("42x"), &i));
    assert_false(str_to_int(STR(""), &i));
    assert_false(str_to_int(STR(" 1"), &i));
    assert_false(str_to_int(STR("99999999999999999999"), &i));
    assert_true(str_to_real(STR("2.5e3"), &d));
    assert_close(d, 2500, 0);
    assert_false(str_to_real(STR("nan"), &d));
    assert_false(str_to_real(STR("1e999"), &d));
}

/* Epoch seconds by `date -u -d … +%s`. */
static void iso_times_are_read_with_and_without_fraction_and_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"2026-11-15T19:32:05", 1794771125 * NS_PER_S},
        {"2026-11-15T19:32:05.945607", 1794771125 * NS_PER_S + 945607000},
        {"2026-11-15T19:32:05.9456071239Z", 1794771125 * NS_PER_S + 945607123},
        {"2026-11-15 20:32:05+01:00", 1794771125 * NS_PER_S},
        {"2026-11-15T14:02:05-0530", 1794771125 * NS_PER_S},
        {"1970-01-01T00:00:00", 0},
        {"2024-02-29T12:00:00Z", 1709208000 * NS_PER_S},
        {"1969-12-31T23:59:59.5Z", -500000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns;
        assert_true(clock_parse_iso(str_from(cases[i].text), &ns));
        assert_int_equal(ns, cases[i].ns);
    }
    static const char *const wrong[] = {"",
                                        "2026-11-15",
                                        "2026-13-15T00:00:00",
                                        "2026-11-15T25:00:00",
                                        "2026-11-15T19:32:05.",
                                        "2026-11-15T19:32:05+1",
                                        "2026-11-15T19:32:05Zx",
                                        "9999-11-15T19:32:05",
                                        "26-11-15T19:32:05"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t ns;
        assert_false(clock_parse_iso(str_from(wrong[i]), &ns));
    }
}

static void times_are_written_as_they_are_read(void **state)
{
    (void)state;
    buf b = {0};
    clock_format_utc(&b, 1794771125 * NS_PER_S);
    assert_str(buf_view(&b), "2026-11-15 19:32:05 UTC");
    buf_clear(&b);
    clock_format_utc(&b, -1);
    assert_str(buf_view(&b), "1969-12-31 23:59:59 UTC");
    buf_release(&b);
}

static void seconds_become_nanoseconds_without_losing_any(void **state)
{
    (void)state;
    assert_int_equal(clock_ns_from_seconds(1.5), 1500000000);
    assert_int_equal(clock_ns_from_seconds(-0.25), -250000000);
    assert_true(clock_ns_from_seconds((double)NAN) == ROAST_ABSENT);
    assert_true(clock_ns_from_seconds(1e300) == ROAST_ABSENT);
    assert_true(isnan(clock_seconds(ROAST_ABSENT)));
}

static void an_interned_string_keeps_its_number(void **state)
{
    (void)state;
    intern table = {0};
    char text[16];
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "name %u", i);
        bool added;
        assert_int_equal(intern_add(&table, str_from(text), &added), i);
        assert_true(added);
    }
    assert_int_equal(intern_add(&table, STR("name 4321"), NULL), 4321);
    assert_int_equal(intern_find(&table, STR("name 17")), 17);
    assert_int_equal(intern_find(&table, STR("nobody")), INTERN_NONE);
    assert_str(table.strings[42], "name 42");
    intern_release(&table);
}

static void a_map_counts_each_key_apart(void **state)
{
    (void)state;
    u64map map = {0};
    for (uint64_t key = 0; key < 3000; key++)
        for (uint64_t times = 0; times <= key % 3; times++)
            ++*u64map_at(&map, key << 32);
    for (uint64_t key = 0; key < 3000; key++)
        assert_int_equal(*u64map_at(&map, key << 32), key % 3 + 1);
    assert_int_equal(map.count, 3000);
    u64map_release(&map);
}

static void a_message_that_is_too_long_ends_in_an_ellipsis_and_stays_utf8(void **state)
{
    (void)state;
    roast_error err;
    char text[2000];
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    assert_int_equal((fail)(&err, ROAST_IO, "x%s", text), ROAST_IO); /* bracketed: cmocka has a macro of that name */
    size_t length = strlen(err.message);
    assert_in_range(length, 500, 511);
    assert_string_equal(err.message + length - 3, "\xe2\x80\xa6");
    assert_string_equal(roast_code_text(ROAST_CORRUPT), "the data is damaged");
}

static void a_sum_that_would_overflow_stops_at_the_end_and_is_never_absent(void **state)
{
    (void)state;
    int64_t up = INT64_MAX - 3, down = -INT64_MAX + 3, edge = -INT64_MAX, plain = 40;
    saturated_add(&up, 5);
    saturated_add(&down, -5);
    saturated_add(&edge, -1);
    saturated_add(&plain, -82);
    assert_int_equal(up, INT64_MAX);
    assert_int_equal(down, -INT64_MAX);
    assert_int_equal(edge, -INT64_MAX);
    assert_int_equal(plain, -42);
}

static void arrays_that_grow_keep_what_is_in_them(void **state)
{
    (void)state;
    arena memory = {0};
    uint32_t *own = NULL, *lent = NULL;
    size_t own_capacity = 0, lent_capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        own = with_room(own, i, &own_capacity, sizeof *own);
        lent = arena_with_room(&memory, lent, i, &lent_capacity, sizeof *lent);
        assert_true(own && lent && own_capacity > i && lent_capacity > i);
        assert_int_equal(lent[i], 0);
        own[i] = lent[i] = i * 7;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(own[i] == i * 7 && lent[i] == i * 7);
    free(own);
    arena_release(&memory);
}

static void a_uuid_is_read_as_it_is_written_and_in_no_other_spelling(void **state)
{
    (void)state;
    static const unsigned char bytes[UUID_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                                    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    unsigned char back[UUID_BYTES];
    arena memory = {0};
    assert_string_equal(uuid_text(&memory, bytes).ptr, "00112233-4455-6677-8899-aabbccddeeff");
    assert_true(str_absent(uuid_text(&memory, NULL)));
    assert_true(uuid_bytes(STR("00112233-4455-6677-8899-aabbccddeeff"), back));
    assert_memory_equal(back, bytes, sizeof back);
    assert_false(uuid_bytes(STR("00112233-4455-6677-8899-AABBCCDDEEFF"), back));
    assert_false(uuid_bytes(STR("001122334-455-6677-8899-aabbccddeeff"), back));
    assert_false(uuid_bytes(STR("00112233-4455-6677-8899-aabbccddeef"), back));
    arena_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_gives_aligned_zeroed_memory_that_does_not_overlap),
        cmocka_unit_test(a_buffer_remembers_its_first_error_and_writes_nothing_after_it),
        cmocka_unit_test(a_cursor_that_ran_past_the_end_gives_zeros_and_stays_failed),
        cmocka_unit_test(strings_split_trim_and_compare),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
        cmocka_unit_test(iso_times_are_read_with_and_without_fraction_and_zone),
        cmocka_unit_test(times_are_written_as_they_are_read),
        cmocka_unit_test(seconds_become_nanoseconds_without_losing_any),
        cmocka_unit_test(an_interned_string_keeps_its_number),
        cmocka_unit_test(a_map_counts_each_key_apart),
        cmocka_unit_test(a_message_that_is_too_long_ends_in_an_ellipsis_and_stays_utf8),
        cmocka_unit_test(a_sum_that_would_overflow_stops_at_the_end_and_is_never_absent),
        cmocka_unit_test(arrays_that_grow_keep_what_is_in_them),
        cmocka_unit_test(a_uuid_is_read_as_it_is_written_and_in_no_other_spelling),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
