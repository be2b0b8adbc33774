/* Packed records: what goes in comes out, whatever else comes in is refused, and sets of branches find their names. */
#include <math.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "base/buf.h"
#include "model/branch_set.h"
#include "model/packed.h"
#include "model/record.h"
#include "probe/pack.h"
#include "record/unpack.h"
#include "run/reader.h"
#include "unit.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static roast_chunk full_chunk(void)
{
    static const roast_section sections[] = {
        {.size = sizeof(roast_section),
         .name = {"jets", 4},
         .count = 3,
         .depth = 0,
         .duration_ns = 3000000000,
         .cpu_ns = 2000000000,
         .rss_before = 1 << 30,
         .rss_after = (1 << 30) - 4096,
         .rss_delta = -4096,
         .bytes = ROAST_ABSENT},
        {.size = sizeof(roast_section),
         .name = {"muons", 5},
         .parent = {"jets", 4},
         .count = 1,
         .depth = 1,
         .duration_ns = 5,
         .cpu_ns = ROAST_ABSENT,
         .rss_before = ROAST_ABSENT,
         .rss_after = 77,
         .rss_delta = ROAST_ABSENT,
         .bytes = 123456789012},
        {.size = sizeof(roast_section),
         .name = {"", 0},
         .parent = {"elsewhere", 9},
         .count = 0,
         .depth = 4,
         .duration_ns = ROAST_ABSENT,
         .cpu_ns = 12,
         .rss_before = ROAST_ABSENT,
         .rss_after = ROAST_ABSENT,
         .rss_delta = 0,
         .bytes = 0},
    };
    static const roast_str branches[] = {{"Muon_pt", 7}, {"Jet_pt", 6}, {"Jet_eta", 7}, {"nJet", 4}};
    static const roast_custom custom[] = {{{"answer", 6}, {"\x2A", 1}}, {{"list", 4}, {"\x92\x01\xC0", 3}}};
    roast_chunk chunk = roast_chunk_none();
    chunk.uid = UINT64_MAX - 5;
    chunk.dataset = STR("ttbar");
    chunk.file = STR("root://server//store/file.root");
    chunk.treename = STR("Events");
    chunk.uuid = STR("a9490124-3648-11ea-89e9-f5b55c90beef");
    chunk.worker = STR("tcp://10.0.0.1:4321");
    chunk.entry_start = 100000;
    chunk.entry_stop = 200000;
    chunk.events = 100000;
    chunk.attempt = 2;
    chunk.thread = 140000000000000;
    chunk.pid = 4242;
    chunk.t_start_ns = 1790000000123456789;
    chunk.duration_ns = 12345678901;
    chunk.open_ns = 0;
    chunk.events_ns = 1;
    chunk.return_ns = INT64_MAX;
    chunk.cpu_ns = 11345678901;
    chunk.run_delay_ns = 5;
    chunk.rss_before = 3000000000;
    chunk.rss_after = 2000000000;
    chunk.rss_peak = 4000000000;
    chunk.peak_shared = true;
    chunk.bytes_read = 99;
    chunk.read_requests = 3;
    chunk.voluntary_switches = 4;
    chunk.involuntary_switches = 5;
    chunk.page_faults = 6;
    chunk.error_type = STR("ValueError");
    chunk.error = STR("no \xC3\xA9vents");
    chunk.sections = sections;
    chunk.n_sections = 3;
    chunk.branches = branches;
    chunk.n_branches = 4;
    chunk.custom = custom;
    chunk.n_custom = 2;
    return chunk;
}

static void assert_same_str(roast_str a, roast_str b)
{
    assert_int_equal(a.ptr == NULL, b.ptr == NULL);
    assert_true(str_equal(a, b));
}

/* Every field that is packed. */
static void assert_same_fields(record_id id, const void *a, const void *b)
{
    for (size_t i = 0; i < record_specs[id].count; i++) {
        const record_field *field = &record_specs[id].fields[i];
        if (!field->key)
            continue;
        if (field_is_text(field))
            assert_same_str(*field_text(field, a), *field_text(field, b));
        else if (field->kind == KIND_FLAG)
            assert_int_equal(*(const bool *)field_at(field, a), *(const bool *)field_at(field, b));
        else if (field->kind != KIND_BRANCHES) /* it may be made of the names */
            assert_true(*field_int(field, a) == *field_int(field, b));
    }
}

static void assert_same_chunk(const roast_chunk *a, const roast_chunk *b)
{
    assert_same_fields(RECORD_chunk, a, b);
    assert_int_equal(a->n_sections, b->n_sections);
    for (size_t i = 0; i < a->n_sections; i++) {
        assert_same_str(a->sections[i].name, b->sections[i].name);
        assert_same_str(a->sections[i].parent, b->sections[i].parent);
        assert_same_fields(RECORD_section, &a->sections[i], &b->sections[i]);
    }
    assert_int_equal(a->n_custom, b->n_custom);
    for (size_t i = 0; i < a->n_custom; i++) {
        assert_same_str(a->custom[i].name, b->custom[i].name);
        assert_same_str(a->custom[i].msgpack, b->custom[i].msgpack);
    }
}

static void a_chunk_comes_out_as_it_went_in(void **state)
{
    (void)state;
    roast_chunk chunk = full_chunk();
    buf packed = {0};
    arena memory = {0};
    unpacked record;
    roast_error err = {0};
    roast_pack_chunk(&packed, &chunk);
    assert_int_equal(packed.code, ROAST_OK);
    if (unpack_record(&record, &memory, buf_view(&packed), &err))
        fail_msg("%s", err.message);
    assert_true(record.kind == PACKED_CHUNK);
    assert_same_chunk(&record.chunk, &chunk);
    /* the names come sorted, whatever order they had */
    assert_int_equal(record.chunk.n_branches, 4);
    assert_str(record.chunk.branches[0], "Jet_eta");
    assert_str(record.chunk.branches[1], "Jet_pt");
    assert_str(record.chunk.branches[2], "Muon_pt");
    assert_str(record.chunk.branches[3], "nJet");
    assert_true(record.chunk.branch_set == branch_set_hash(chunk.branches, 4));
    arena_release(&memory);
    buf_release(&packed);
}

static void random_chunks_come_out_as_they_went_in(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        roast_chunk chunk = roast_chunk_none();
        chunk.uid = next_random() | 1;
        for (size_t f = 0; f < record_specs[RECORD_chunk].count; f++) {
            const record_field *field = &record_specs[RECORD_chunk].fields[f];
            if (field_is_int(field) && next_random() % 3)
                *field_int(field, &chunk) =
                    (int64_t)(next_random() >> next_random() % 64) * (next_random() % 2 ? 1 : -1);
        }
        buf packed = {0};
        arena memory = {0};
        unpacked record;
        roast_pack_chunk(&packed, &chunk);
        assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
        assert_same_chunk(&record.chunk, &chunk);
        arena_release(&memory);
        buf_release(&packed);
    }
}

static void an_empty_chunk_takes_a_few_bytes(void **state)
{
    (void)state;
    roast_chunk chunk = roast_chunk_none();
    buf packed = {0};
    roast_pack_chunk(&packed, &chunk);
    assert_true(packed.len < 20);
    arena memory = {0};
    unpacked record;
    assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
    assert_true(record.chunk.uid != 0); /* two of them are not taken for one */
    chunk.uid = record.chunk.uid;
    assert_same_chunk(&record.chunk, &chunk);
    buf_release(&packed);
}

static void names_go_with_the_first_second_fourth_eighth_record(void **state)
{
    (void)state;
    roast_str branches[] = {STR("only_in_this_test"), STR("b")};
    roast_chunk chunk = roast_chunk_none();
    chunk.branches = branches;
    chunk.n_branches = 2;
    for (int i = 1; i <= 40; i++) {
        buf packed = {0};
        arena memory = {0};
        unpacked record;
        roast_pack_chunk(&packed, &chunk);
        assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
        bool expected = i == 1 || i == 2 || i == 4 || i == 8 || i == 16 || i == 32;
        assert_int_equal(record.chunk.branches != NULL, expected);
        assert_true(record.chunk.branch_set != 0);
        arena_release(&memory);
        buf_release(&packed);
    }
}

static void the_order_of_names_does_not_make_another_set(void **state)
{
    (void)state;
    roast_str one[] = {STR("a"), STR("b"), STR("c")}, other[] = {STR("c"), STR("a"), STR("b")};
    roast_str glued[] = {STR("ab"), STR("c")}, part[] = {STR("a"), STR("b")};
    uint64_t hash = branch_set_hash(one, 3);
    assert_true(hash == branch_set_hash(other, 3));
    assert_true(hash != branch_set_hash(glued, 2));
    assert_true(hash != branch_set_hash(part, 2));
    assert_true(branch_set_hash(NULL, 0) != 0);
    roast_str twice[] = {STR("b"), STR("a"), STR("b"), str_none()};
    assert_int_equal(branch_set_sort(twice, 4), 3);
    assert_str(twice[0], "");
    assert_str(twice[2], "b");
}

static void sixty_branches_take_a_fifth_of_what_0_1_2_takes(void **state)
{
    (void)state;
    /* A job as they are: one set of branches, three sections, 1,000 chunks. 0.1.2 takes 1,851 bytes for each. */
    char names[60][32];
    roast_str branches[60];
    for (size_t i = 0; i < 60; i++) {
        static const char *const collections[] = {"Jet", "Muon", "Electron", "FatJet", "Tau", "GenPart"};
        int length = snprintf(names[i], sizeof names[i], "%s_quantity%zu", collections[i / 10], i % 10);
        branches[i] = (roast_str){names[i], (size_t)length};
    }
    roast_chunk chunk = full_chunk();
    chunk.branches = branches;
    chunk.n_branches = 60;
    chunk.error = chunk.error_type = str_none();
    chunk.n_custom = 0;
    size_t bytes = 0;
    for (int i = 0; i < 1000; i++) {
        buf packed = {0};
        roast_pack_chunk(&packed, &chunk);
        bytes += packed.len;
        buf_release(&packed);
    }
    assert_true(bytes / 1000 <= 1851 / 5);
}

static void samples_come_out_as_they_went_in(void **state)
{
    (void)state;
    const packed_sample samples[] = {
        {1790000000000001000, 1 << 30, 12.5},
        {1790000000100001000, (1 << 30) + 4096, (double)NAN},
        {1790000000200002000, ROAST_ABSENT, 0},
        {1790000000199999000, 4096, 399.9}, /* the wall clock was set back */
    };
    buf packed = {0};
    arena memory = {0};
    unpacked record;
    pack_samples(&packed, samples, 4);
    assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
    assert_false(record.kind == PACKED_CHUNK);
    assert_int_equal(record.n_samples, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(record.samples[i].t_ns, samples[i].t_ns);
        assert_int_equal(record.samples[i].memory, samples[i].rss);
        assert_true(record.samples[i].cpu == samples[i].cpu || (samples[i].cpu != samples[i].cpu));
    }
    assert_true(record.samples[1].cpu != record.samples[1].cpu);
    arena_release(&memory);
    buf_release(&packed);
}

static void a_file_comes_out_as_it_went_in(void **state)
{
    (void)state;
    static const roast_branch branches[] = {{sizeof(roast_branch), {"nJet", 4}, 10, 40, 1},
                                            {sizeof(roast_branch), {"Jet_pt", 6}, INT64_C(1) << 40, 300, 70000},
                                            {sizeof(roast_branch), {"Jet_phi", 7}, 0, ROAST_ABSENT, 0}};
    roast_file file = roast_file_none();
    file.url = STR("root://server//a.root");
    file.tree = STR("Events");
    file.entries = 1000;
    file.compressed = 12345678901;
    file.algorithm = STR("ZSTD");
    file.branches = branches;
    file.n_branches = 3;
    buf packed = {0};
    arena memory = {0};
    unpacked record;
    roast_pack_file(&packed, &file);
    assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
    assert_int_equal(record.kind, PACKED_FILE);
    assert_str(record.file.url, "root://server//a.root");
    assert_str(record.file.tree, "Events");
    assert_str(record.file.algorithm, "ZSTD");
    assert_null(record.file.uuid.ptr);
    assert_int_equal(record.file.entries, 1000);
    assert_int_equal(record.file.compressed, 12345678901);
    assert_int_equal(record.file.level, ROAST_ABSENT);
    assert_int_equal(record.file.n_branches, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(str_equal(record.file.branches[i].name, branches[i].name));
        assert_int_equal(record.file.branches[i].compressed, branches[i].compressed);
        assert_int_equal(record.file.branches[i].uncompressed, branches[i].uncompressed);
        assert_int_equal(record.file.branches[i].baskets, branches[i].baskets);
    }
    for (size_t len = 0; len < packed.len; len++) /* cut off anywhere, it is refused */
        assert_int_not_equal(unpack_record(&record, &memory, (roast_str){packed.data, len}, NULL), ROAST_OK);
    arena_release(&memory);
    buf_release(&packed);
}

/* ---- Hostile bytes ------------------------------------------------------------------------------------------- */

static roast_code unpack_bytes(const void *bytes, size_t len)
{
    /* A copy of exactly this size, so that a sanitizer sees a read past the end. */
    char *copy = malloc(len + 1);
    char *exact = len ? realloc(copy, len) : copy;
    if (len)
        memcpy(exact, bytes, len);
    arena memory = {0};
    unpacked record;
    roast_error err = {0};
    roast_code code = unpack_record(&record, &memory, (roast_str){exact, len}, &err);
    assert_int_equal(code != ROAST_OK, err.message[0] != '\0');
    arena_release(&memory);
    free(exact);
    return code;
}

static void every_cut_of_a_record_is_refused(void **state)
{
    (void)state;
    roast_chunk chunk = full_chunk();
    buf packed = {0};
    roast_pack_chunk(&packed, &chunk);
    assert_int_equal(unpack_bytes(packed.data, packed.len), ROAST_OK);
    for (size_t len = 0; len < packed.len; len++)
        assert_int_equal(unpack_bytes(packed.data, len), ROAST_CORRUPT);
    buf_char(&packed, '\0');
    assert_int_equal(unpack_bytes(packed.data, packed.len), ROAST_CORRUPT); /* more than a record */
    buf_release(&packed);
}

static void every_changed_byte_is_an_answer_or_an_error(void **state)
{
    (void)state;
    roast_chunk chunk = full_chunk();
    buf packed = {0};
    roast_pack_chunk(&packed, &chunk);
    for (size_t i = 0; i < packed.len; i++) {
        char before = packed.data[i];
        for (int value = 0; value < 256; value += 1 + (int)(next_random() % 8)) {
            packed.data[i] = (char)value;
            unpack_bytes(packed.data, packed.len);
        }
        packed.data[i] = before;
    }
    buf_release(&packed);
}

static void random_bytes_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[64];
    for (int i = 0; i < 20000; i++) {
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (unsigned char)next_random();
        if (i % 2)
            memcpy(bytes, "\x93\x01\x01", 3);
        unpack_bytes(bytes, next_random() % sizeof bytes);
    }
}

static void promises_that_the_bytes_cannot_hold_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } hostile[] = {
        {"\x93\x01\x01\xDF\xFF\xFF\xFF\xFF", 8},          /* a map of four billion */
        {"\x93\x01\x01\x81\x33\xDD\xFF\xFF\xFF\xFF", 10}, /* branches */
        {"\x93\x01\x01\x81\x34\xDD\xFF\xFF\xFF\xFF", 10}, /* sections */
        {"\x93\x01\x01\x81\x35\xDF\xFF\xFF\xFF\xFF", 10}, /* custom values */
        {"\x93\x01\x01\x81\x20\xDB\xFF\xFF\xFF\xFF", 10}, /* a text */
        {"\x93\x01\x01\x81\x33\x92\x05\xA1x", 9},         /* more shared than there is */
        {"\x93\x01\x01\x81\x33\x92\xFF\xA1x", 9},         /* less than nothing shared */
        {"\x93\x01\x01\x81\x02\x05", 6},                  /* relative to what is not there */
        {"\x93\x01\x01\x81\x34\x93\xA1x\x05\x80", 10},    /* a parent that comes later */
        {"\x93\x02\x01\x82\x01\xCF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02\x93\x7F\xC0\xC0", 19}, /* time overflows */
        {"\x93\x09\x01\x80", 4},                                                              /* of no kind */
        {"\x80", 1},
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        assert_int_equal(unpack_bytes(hostile[i].bytes, hostile[i].len), ROAST_CORRUPT);
    assert_int_equal(unpack_bytes("\x93\x01\x02\x80", 4), ROAST_VERSION);
    /* deeper than anything means */
    buf deep = {0};
    buf_bytes(&deep, "\x93\x01\x01\x81\x35\x81\xA1x", 8);
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, '\x91');
    assert_int_equal(unpack_bytes(deep.data, deep.len), ROAST_CORRUPT);
    buf_release(&deep);
}

static void what_a_later_version_adds_is_skipped(void **state)
{
    (void)state;
    /* keys 60 and 120, with a list and a map in them, around num_events */
    static const char bytes[] = "\x93\x01\x01\x83\x3C\x92\x01\xA1z\x03\x2A\x78\x81\xA1k\xC2";
    arena memory = {0};
    unpacked record;
    assert_int_equal(unpack_record(&record, &memory, (roast_str){bytes, sizeof bytes - 1}, NULL), ROAST_OK);
    assert_int_equal(record.chunk.events, 42);
    arena_release(&memory);
}

/* ---- Into a run ---------------------------------------------------------------------------------------------- */

static roast_recorder *start(const char *path)
{
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, path, NULL, NULL), ROAST_OK);
    return recorder;
}

static roast_code record_packed(roast_recorder *recorder, const buf *packed, const char *worker)
{
    return roast_record_packed(recorder, buf_view(packed), str_from(worker), NULL);
}

static int64_t ask(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return answer;
}

static buf chunk_of_set(uint64_t hash, const roast_str *names, size_t count, int64_t number)
{
    buf packed = {0};
    roast_chunk chunk = roast_chunk_none();
    chunk.file = STR("f.root");
    chunk.entry_start = number;
    chunk.branch_set = hash;
    chunk.branches = names;
    chunk.n_branches = count;
    roast_pack_chunk(&packed, &chunk);
    return packed;
}

static void names_may_come_before_or_after_the_hash(void **state)
{
    (void)state;
    roast_str one[] = {STR("set_one_x"), STR("set_one_y")}, two[] = {STR("set_two_x")};
    roast_recorder *recorder = start(in_scratch("sets.roast"));
    buf packed[5] = {
        chunk_of_set(branch_set_hash(one, 2), NULL, 0, 1), /* the hash alone, first */
        chunk_of_set(0, one, 2, 2),                        /* then the names */
        chunk_of_set(0, two, 1, 3),                        /* names first */
        chunk_of_set(branch_set_hash(two, 1), NULL, 0, 4), /* then the hash */
        chunk_of_set(12345, NULL, 0, 5),                   /* names that never come */
    };
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(record_packed(recorder, &packed[i], "w"), ROAST_OK);
        assert_int_equal(record_packed(recorder, &packed[i], "w"), ROAST_OK); /* in band and out of band */
        buf_release(&packed[i]);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    const char *path = in_scratch("sets.roast");
    assert_int_equal(ask(path, "SELECT count(*) FROM chunk"), 5);
    assert_int_equal(ask(path, "SELECT count(*) FROM chunk JOIN branch_set ON branch_set.id = chunk.branch_set "
                               "WHERE entry_start IN (1, 2)"),
                     4);
    assert_int_equal(ask(path, "SELECT count(*) FROM chunk JOIN branch_set ON branch_set.id = chunk.branch_set "
                               "WHERE entry_start IN (3, 4)"),
                     2);
    assert_int_equal(ask(path, "SELECT branch_set IS NULL FROM chunk WHERE entry_start = 5"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM note WHERE text LIKE '%lost on the way%'"), 1);
    assert_int_equal(ask(path, "SELECT count(DISTINCT worker) FROM chunk"), 1);
}

static void damaged_records_do_not_stop_those_that_follow(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("damaged.roast"));
    roast_error err = {0};
    assert_int_equal(roast_record_packed(recorder, STR("garbage"), str_none(), &err), ROAST_CORRUPT);
    assert_non_null(strstr(err.message, "7 bytes"));
    buf packed = chunk_of_set(0, NULL, 0, 1);
    assert_int_equal(record_packed(recorder, &packed, NULL), ROAST_OK);
    buf_release(&packed);
    const packed_sample sample = {1000, 5, 1};
    pack_samples(&packed, &sample, 1);
    assert_int_equal(record_packed(recorder, &packed, NULL), ROAST_USAGE); /* of no worker */
    assert_int_equal(record_packed(recorder, &packed, "w"), ROAST_OK);
    buf_release(&packed);
    assert_int_equal(roast_recorder_status(recorder, NULL), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(ask(in_scratch("damaged.roast"), "SELECT count(*) FROM chunk"), 1);
    assert_int_equal(ask(in_scratch("damaged.roast"), "SELECT count(*) FROM sample"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_comes_out_as_it_went_in),
        cmocka_unit_test(random_chunks_come_out_as_they_went_in),
        cmocka_unit_test(an_empty_chunk_takes_a_few_bytes),
        cmocka_unit_test(names_go_with_the_first_second_fourth_eighth_record),
        cmocka_unit_test(the_order_of_names_does_not_make_another_set),
        cmocka_unit_test(sixty_branches_take_a_fifth_of_what_0_1_2_takes),
        cmocka_unit_test(samples_come_out_as_they_went_in),
        cmocka_unit_test(every_cut_of_a_record_is_refused),
        cmocka_unit_test(every_changed_byte_is_an_answer_or_an_error),
        cmocka_unit_test(a_file_comes_out_as_it_went_in),
        cmocka_unit_test(random_bytes_are_refused),
        cmocka_unit_test(promises_that_the_bytes_cannot_hold_are_refused),
        cmocka_unit_test(what_a_later_version_adds_is_skipped),
        test_in_scratch(names_may_come_before_or_after_the_hash),
        test_in_scratch(damaged_records_do_not_stop_those_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
