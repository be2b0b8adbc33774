/* What may be kept of texts and records: no secret passes, everything else does, byte for byte. */
#include <jansson.h>
#include <msgpack.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/secrets.h"
#include "model/record.h"
#include "probe/pack.h"
#include "unit.h"

/* ---- Texts ---------------------------------------------------------------------------------------------------- */

static arena memory;

static int release_memory(void **state)
{
    (void)state;
    arena_release(&memory);
    return 0;
}

/* Also that a second pass changes nothing. */
static roast_str strip(roast_str given)
{
    roast_str once = given, twice;
    assert_true(strip_secrets(&once, &memory));
    twice = once;
    assert_true(strip_secrets(&twice, &memory));
    if (twice.ptr != once.ptr) {
        for (size_t i = 0; i < given.len; i++)
            print_error(given.ptr[i] ? "%c" : "\\0", given.ptr[i]);
        fail_msg(" is \"%.*s\" and then \"%.*s\"", (int)once.len, once.ptr, (int)twice.len, twice.ptr);
    }
    return once;
}

static void becomes(const char *given, const char *expected)
{
    roast_str kept = strip(str_from(given));
    if (!str_equal(kept, str_from(expected)))
        fail_msg("\"%s\" became \"%.*s\", not \"%s\"", given, (int)kept.len, kept.ptr, expected);
}

static void what_is_no_secret_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "Jet_pt",
        "/data/what?.root",
        "/data/mail@home/f.root",
        "a?b#c@d:e=f",
        "root://eos.cern.ch:1094//eos/x@y/f.root",
        "root://eos.cern.ch//eos/f.root",
        "https://[::1]:8080/f@g.root",
        "https://host/f.root",
        "https://host/f.root?",
        "tcp://127.0.0.1:40123",
        "inproc://10.0.0.1/12/3",
        "tls://worker-3:8786",
        "https://host/f.root?#3f2a91c4",
        "https://host/a.root?#3f2a91c4, https://host/b.root?#00000000.",
        "token=…, password: '…'",
        "tokens=5 tokenize: x n_broken=3",
        "the token is wrong",
        "a secret",
        "ratio = 3: fine",
        "('TopAnalysis-5f3a', 3)",
        "://",
        "token=",
        "password=''",
        "Bearer",
        "Authorization:",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        roast_str given = str_from(texts[i]), kept = strip(given);
        if (kept.ptr != given.ptr)
            fail_msg("\"%s\" became \"%.*s\"", texts[i], (int)kept.len, kept.ptr);
    }
}

/* The marks are the first 8 digits of the query's sha256sum. */
static void an_address_keeps_neither_login_nor_query(void **state)
{
    (void)state;
    becomes("https://host/f.root?sig=abc", "https://host/f.root?#6f62c728");
    becomes("https://user:pw@host/f.root?sig=abc", "https://host/f.root?#6f62c728");
    becomes("root://user:pw@host//f.root", "root://host//f.root");
    becomes("root://user@host//f.root", "root://host//f.root");
    becomes("root://user:p@w@host:1094//f.root", "root://host:1094//f.root");
    becomes("root://user:p/w@host//f.root", "root://host//f.root");
    becomes("root://user:p#w@host//f.root", "root://host//f.root");
    becomes("root://u@user:p/w@host//f.root", "root://host//f.root");
    becomes("root://cache//root://user:pw@host//f.root", "root://cache//root://host//f.root");
    becomes("https://host/f.root#sig=abc", "https://host/f.root?#6f62c728");
    becomes("https://host?sig=abc", "https://host?#6f62c728");
    becomes("opening 'https://host/f.root?sig=abc' failed", "opening 'https://host/f.root?#6f62c728' failed");
    becomes("opening (https://host/f.root?sig=abc): 403", "opening (https://host/f.root?#6f62c728): 403");
    becomes("'https://host/f.root?sig=abc'and", "'https://host/f.root?#6f62c728'and");
    becomes("<https://host/f.root?sig=abc>x", "<https://host/f.root?#6f62c728>x");
    becomes("https://host/a?sig=abc and\nhttps://u:p@host/b?sig=abc.",
            "https://host/a?#6f62c728 and\nhttps://host/b?#6f62c728.");
    becomes("https://host/f?sig=a'b\"c)d", "https://host/f?#2e634d72");
}

static void two_files_stay_two_but_a_password_does_not_tell_them_apart(void **state)
{
    (void)state;
    roast_str one = strip(STR("https://h/f?id=1&sig=x")), other = strip(STR("https://h/f?id=2&sig=x"));
    assert_false(str_equal(one, other));
    one = strip(STR("https://h/f?password=hunter2&id=1"));
    assert_true(str_equal(one, strip(STR("https://h/f?password=letmein&id=1"))));
    assert_false(str_equal(one, strip(STR("https://h/f?password=hunter2&id=2"))));
    assert_true(str_equal(strip(STR("https://a:b@h/f?id=1")), strip(STR("https://c:d@h/f?id=1"))));
}

static void values_of_telling_names_go(void **state)
{
    (void)state;
    becomes("token=abc", "token=…");
    becomes("run --token=abc --n=3", "run --token=… --n=3");
    becomes("X-Amz-Signature=abc&n=3", "X-Amz-Signature=…&n=3");
    becomes("/store/f.root?authz=abc&n=3", "/store/f.root?authz=…&n=3");
    becomes("ACCESS_TOKEN = abc, retrying", "ACCESS_TOKEN = …, retrying");
    becomes("{'password': 'a b', 'n': 3}", "{'password': '…', 'n': 3}");
    becomes("{\"client_secret\" : \"a\\\"b\", \"n\": 3}", "{\"client_secret\" : \"…\", \"n\": 3}");
    becomes("{\\\"token\\\": \\\"abc\\\"}", "{\\\"token\\\": …\\\"}");
    becomes("connect(password=abc)", "connect(password=…)");
    becomes("401: Authorization: Bearer abc def\nHost: h", "401: Authorization: …\nHost: h");
    becomes("{'Authorization': 'Bearer abc', 'Host': 'h'}", "{'Authorization': '…', 'Host': 'h'}");
    becomes("with bearer abc.", "with bearer ….");
    becomes("X-Auth-Token: Bearer abc, done", "X-Auth-Token: Bearer …, done");
    becomes("Set-Cookie: a=b; c=d", "Set-Cookie: …");
    becomes("token='abc", "token='…");
    becomes("password=a,b'c", "password=…");
    becomes("AWS_SECRET_ACCESS_KEY=abc", "AWS_SECRET_ACCESS_KEY=…");
}

/* ---- Any bytes ------------------------------------------------------------------------------------------------ */

static uint64_t random_state = 88172645463325252u;

static size_t random_below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static const char *const pieces[] = {
    "://",    ":",   "/",      "//",       "?",    "#",    "@", "=",  "&",        " ",      "  ",      "\n",
    "\t",     "'",   "\"",     "`",        "<",    ">",    "(", ")",  ".",        ",",      "\\",      "[",
    "]",      "…",   "token",  "password", "a",    "http", "7", "?#", "3f2a91c4", "bearer", "Bearer ", "authorization",
    "basic ", "x:y", "secret", "pwd",      "\x80", "-",
};

/* A NUL is a byte like any other, and no byte behind the text is looked at: sanitizers would tell. */
static void random_text(buf *out, size_t longest)
{
    for (size_t n = random_below(longest); n > 0; n--) {
        const char *piece = pieces[random_below(sizeof pieces / sizeof *pieces)];
        if (random_below(40) == 0)
            buf_char(out, '\0');
        else
            buf_text(out, piece);
    }
}

static void any_bytes_are_stripped_once_and_for_all(void **state)
{
    (void)state;
    for (int round = 0; round < 100000; round++) {
        buf made = {0};
        random_text(&made, 24);
        char *exact = malloc(made.len ? made.len : 1);
        if (made.len)
            memcpy(exact, made.data, made.len);
        strip((roast_str){exact, made.len});
        arena_release(&memory);
        free(exact);
        buf_release(&made);
    }
}

static void a_login_and_a_query_go_whatever_is_around_them(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        buf made = {0};
        random_text(&made, 12);
        buf_text(&made, " https://me:PLANTED1@host/f?sig=PLANTED2 ");
        random_text(&made, 12);
        roast_str kept = strip(buf_view(&made));
        assert_null(memmem(kept.ptr, kept.len, "PLANTED", 7));
        arena_release(&memory);
        buf_release(&made);
    }
}

/* Of twice the text, a quadratic search would take four times as long. */
static void time_is_linear_in_the_length(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
            buf made = {0};
            while (made.len < 100000) {
                buf_text(&made, pieces[i]);
                buf_text(&made, pieces[j]);
            }
            int64_t begin = clock_monotonic_ns();
            strip(buf_view(&made));
            if (clock_monotonic_ns() - begin > NS_PER_S)
                fail_msg("many \"%s%s\" take %.1f s", pieces[i], pieces[j],
                         (double)(clock_monotonic_ns() - begin) / 1e9);
            arena_release(&memory);
            buf_release(&made);
        }
}

/* ---- Values with parts ---------------------------------------------------------------------------------------- */

static void every_text_of_a_document_is_looked_at(void **state)
{
    (void)state;
    roast_str json = STR("{\"https:\\/\\/u:PLANTED@h/f?PLANTED\": [1, 2.5, null, \"root://u:PLANTED@h//f\"],"
                         " \"token\": \"PLANTED\", \"signature\": 17, \"deep\": {\"password\": [\"PLANTED\"]},"
                         " \"say\": \"open \\\"https://h/f?x=\\u0041PLANTED\\\"\"}");
    assert_true(strip_secrets_in_json(&json, &memory));
    assert_null(memmem(json.ptr, json.len, "PLANTED", 7));
    json_t *read = json_loadb(json.ptr, json.len, 0, NULL);
    assert_non_null(read);
    assert_int_equal(json_object_size(read), 5);
    assert_int_equal(json_integer_value(json_object_get(read, "signature")), 17);
    assert_string_equal(json_string_value(json_object_get(read, "token")), "…");
    json_decref(read);
}

static void a_document_without_secrets_stays_as_it_is(void **state)
{
    (void)state;
    static const char *const documents[] = {"{\"a\":  1.50, \"b\": [\"https://h/f\"]}", "null", "", "{\"a\": NaN}",
                                            "17"};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        roast_str json = str_from(documents[i]);
        assert_true(strip_secrets_in_json(&json, &memory));
        assert_ptr_equal(json.ptr, documents[i]);
    }
    roast_str damaged = STR("{\"token\": \"PLANTED\", NaN https://u:PLANTED@h/f");
    assert_true(strip_secrets_in_json(&damaged, &memory));
    assert_null(memmem(damaged.ptr, damaged.len, "PLANTED", 7));
}

static int write_to_buf(void *out, const char *bytes, size_t len)
{
    buf_bytes(out, bytes, len);
    return 0;
}

static void put(msgpack_packer *p, const char *text)
{
    msgpack_pack_str(p, strlen(text));
    msgpack_pack_str_body(p, text, strlen(text));
}

static void every_text_of_a_value_is_looked_at(void **state)
{
    (void)state;
    buf packed = {0}, expected = {0};
    for (int kept = 0; kept < 2; kept++) {
        msgpack_packer p;
        msgpack_packer_init(&p, kept ? &expected : &packed, write_to_buf);
        msgpack_pack_map(&p, 3);
        put(&p, "token");
        put(&p, kept ? "…" : "PLANTED");
        put(&p, kept ? "root://h" : "root://u:PLANTED@h");
        msgpack_pack_array(&p, 3);
        msgpack_pack_double(&p, 2.5);
        put(&p, kept ? "password=…" : "password=PLANTED");
        msgpack_pack_ext(&p, 3, 7);
        msgpack_pack_ext_body(&p, "abc", 3);
        put(&p, "n");
        msgpack_pack_int64(&p, -3);
    }
    roast_str value = buf_view(&packed);
    assert_true(strip_secrets_in_msgpack(STR("mine"), &value, &memory));
    assert_true(str_equal(value, buf_view(&expected)));
    roast_str again = value;
    assert_true(strip_secrets_in_msgpack(STR("mine"), &again, &memory));
    assert_ptr_equal(again.ptr, value.ptr);
    roast_str text = STR("\xa7PLANTED");
    assert_true(strip_secrets_in_msgpack(STR("my_password"), &text, &memory));
    assert_str(text, "\xa3…");
    buf_release(&packed);
    buf_release(&expected);
}

/* ---- Records -------------------------------------------------------------------------------------------------- */

#define PLANTED "PLANTED"

/* Secrets in every text field of a record, each its own, so that a new field is covered by itself. */
static void plant(record_id id, void *record)
{
    static int number;
    const record_spec *spec = &record_specs[id];
    for (size_t i = 0; i < spec->count; i++)
        if (field_is_text(&spec->fields[i])) {
            buf text = {0};
            number++;
            buf_format(&text, "https://me:" PLANTED "a%d@host/%s/%s?sig=" PLANTED "b%d token=" PLANTED "c%d", number,
                       spec->name, spec->fields[i].name, number, number);
            *field_text(&spec->fields[i], record) = arena_str(&memory, buf_view(&text));
            buf_release(&text);
        }
}

static roast_custom planted_custom(void)
{
    buf value = {0};
    msgpack_packer p;
    msgpack_packer_init(&p, &value, write_to_buf);
    put(&p, "https://me:" PLANTED "@host/custom?" PLANTED);
    roast_custom custom = {STR("root://me:" PLANTED "@host"), arena_str(&memory, buf_view(&value))};
    buf_release(&value);
    return custom;
}

static roast_chunk planted_chunk(roast_section *section, roast_str *branches, roast_custom *custom)
{
    roast_chunk chunk = roast_chunk_none();
    plant(RECORD_chunk, &chunk);
    *section = roast_section_none();
    plant(RECORD_section, section);
    branches[0] = STR("Jet_pt");
    branches[1] = STR("https://me:" PLANTED "@host/branch?" PLANTED);
    *custom = planted_custom();
    chunk.sections = section;
    chunk.branches = branches;
    chunk.custom = custom;
    chunk.n_sections = chunk.n_custom = 1;
    chunk.n_branches = 2;
    chunk.duration_ns = 5;
    return chunk;
}

static bool holds(const char *path, const char *text)
{
    FILE *file = fopen(path, "rb");
    buf bytes = {0};
    char block[4096];
    for (size_t n; file && (n = fread(block, 1, sizeof block, file)) > 0;)
        buf_bytes(&bytes, block, n);
    if (file)
        fclose(file);
    bool found = bytes.len && memmem(bytes.data, bytes.len, text, strlen(text));
    buf_release(&bytes);
    return found;
}

static void record_everything(roast_recorder *r)
{
    roast_section section;
    roast_str branches[2];
    roast_custom custom;
    roast_chunk chunk = planted_chunk(&section, branches, &custom);
    assert_int_equal(roast_record_chunk(r, &chunk), ROAST_OK);
    roast_branch branch = roast_branch_none();
    plant(RECORD_branch, &branch);
    roast_file file = roast_file_none();
    plant(RECORD_file, &file);
    file.branches = &branch;
    file.n_branches = 1;
    assert_int_equal(roast_record_file(r, &file), ROAST_OK);
    roast_worker worker = roast_worker_none();
    plant(RECORD_worker, &worker);
    assert_int_equal(roast_record_worker(r, &worker), ROAST_OK);
    roast_sample sample = roast_sample_none();
    plant(RECORD_sample, &sample);
    sample.t_ns = 5;
    assert_int_equal(roast_record_sample(r, &sample), ROAST_OK);
    roast_task task = roast_task_none();
    plant(RECORD_task, &task);
    assert_int_equal(roast_record_task(r, &task), ROAST_OK);
    roast_activity activity = roast_activity_none();
    plant(RECORD_activity, &activity);
    activity.value = 1;
    assert_int_equal(roast_record_activity(r, &activity), ROAST_OK);
    roast_work work = roast_work_none();
    plant(RECORD_work, &work);
    assert_int_equal(roast_record_work(r, &work), ROAST_OK);
    assert_int_equal(roast_record_fact(r, "token", STR(PLANTED)), ROAST_OK);
    assert_int_equal(roast_record_fact(r, "https://me:" PLANTED "@host", STR("token=" PLANTED)), ROAST_OK);
    assert_int_equal(roast_record_note(r, "warning", STR("Bearer " PLANTED)), ROAST_OK);
    assert_int_equal(roast_record_report(r, STR("{\"https://me:" PLANTED "@h\": \""
                                                "token=" PLANTED "\"}")),
                     ROAST_OK);
    assert_int_equal(roast_record_custom_metrics(r, STR("{\"d\": {\"password\": \"" PLANTED "\"}}")), ROAST_OK);
}

/* Every kind of record is among them: a new one has to be added here. */
static void no_record_brings_a_secret_into_a_run_file(void **state)
{
    (void)state;
    assert_int_equal(RECORD_COUNT, 10); /* worker_count has no text */
    roast_recorder *r;
    const char *path = in_scratch("run.roast"), *log = in_scratch("run.roast-wal");
    roast_recorder_options options = {.name = "https://me:" PLANTED "@host/name?" PLANTED};
    assert_int_equal(roast_recorder_open(&r, path, &options, NULL), ROAST_OK);
    record_everything(r);
    assert_int_equal(roast_recorder_flush(r), ROAST_OK);
    assert_true(holds(log, "host/chunk/error"));
    assert_false(holds(log, PLANTED));
    assert_int_equal(roast_recorder_close(r, ROAST_FINISHED, NULL), ROAST_OK);
    assert_true(holds(path, "host/chunk/error"));
    assert_true(holds(path, "host/worker/reason"));
    assert_false(holds(path, PLANTED));
}

static void no_packed_record_carries_a_secret(void **state)
{
    (void)state;
    roast_section section;
    roast_str branches[2];
    roast_custom custom;
    roast_chunk chunk = planted_chunk(&section, branches, &custom);
    roast_branch branch = roast_branch_none();
    plant(RECORD_branch, &branch);
    roast_file file = roast_file_none();
    plant(RECORD_file, &file);
    file.branches = &branch;
    file.n_branches = 1;
    buf packed = {0};
    roast_pack_chunk(&packed, &chunk);
    roast_pack_file(&packed, &file);
    assert_int_equal(packed.code, ROAST_OK);
    assert_non_null(memmem(packed.data, packed.len, "host/chunk/error", 16));
    assert_non_null(memmem(packed.data, packed.len, "host/file/url", 13));
    assert_null(memmem(packed.data, packed.len, PLANTED, strlen(PLANTED)));
    buf_release(&packed);
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

/* The packed record is stripped where it is made, the others where they arrive: all mean one file. */
static void chunks_find_their_file_whichever_way_they_come(void **state)
{
    (void)state;
    roast_recorder *r;
    const char *path = in_scratch("run.roast");
    assert_int_equal(roast_recorder_open(&r, path, NULL, NULL), ROAST_OK);
    roast_chunk chunk = roast_chunk_none();
    chunk.file = STR("https://me:pw@host/f.root?sig=abc");
    chunk.treename = STR("Events");
    chunk.duration_ns = 5;
    chunk.t_start_ns = 1;
    buf packed = {0};
    roast_pack_chunk(&packed, &chunk);
    assert_int_equal(roast_record_packed(r, buf_view(&packed), STR("w"), NULL), ROAST_OK);
    chunk.t_start_ns = 2;
    assert_int_equal(roast_record_chunk(r, &chunk), ROAST_OK);
    roast_file file = roast_file_none();
    file.url = chunk.file;
    file.tree = chunk.treename;
    file.entries = 77;
    assert_int_equal(roast_record_file(r, &file), ROAST_OK);
    chunk.file = STR("https://me:pw@host/f.root?sig=other");
    chunk.t_start_ns = 3;
    assert_int_equal(roast_record_chunk(r, &chunk), ROAST_OK);
    assert_int_equal(roast_recorder_close(r, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(ask(path, "SELECT count(*) FROM file"), 2);
    assert_int_equal(ask(path, "SELECT count(*) FROM chunk JOIN file ON file.id = chunk.file WHERE entries = 77"), 2);
    buf_release(&packed);
}

static void a_private_run_file_is_its_owners_alone(void **state)
{
    (void)state;
    roast_recorder *r;
    const char *path = in_scratch("private.roast"), *log = in_scratch("private.roast-wal");
    roast_recorder_options options = {.size = sizeof options, .mode = 0600};
    struct stat status;
    assert_int_equal(roast_recorder_open(&r, path, &options, NULL), ROAST_OK);
    assert_int_equal(stat(log, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(roast_recorder_close(r, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_no_secret_stays, release_memory),
        cmocka_unit_test_teardown(an_address_keeps_neither_login_nor_query, release_memory),
        cmocka_unit_test_teardown(two_files_stay_two_but_a_password_does_not_tell_them_apart, release_memory),
        cmocka_unit_test_teardown(values_of_telling_names_go, release_memory),
        cmocka_unit_test_teardown(any_bytes_are_stripped_once_and_for_all, release_memory),
        cmocka_unit_test_teardown(a_login_and_a_query_go_whatever_is_around_them, release_memory),
        cmocka_unit_test_teardown(time_is_linear_in_the_length, release_memory),
        cmocka_unit_test_teardown(every_text_of_a_document_is_looked_at, release_memory),
        cmocka_unit_test_teardown(a_document_without_secrets_stays_as_it_is, release_memory),
        cmocka_unit_test_teardown(every_text_of_a_value_is_looked_at, release_memory),
        test_in_scratch(no_record_brings_a_secret_into_a_run_file),
        cmocka_unit_test_teardown(no_packed_record_carries_a_secret, release_memory),
        test_in_scratch(chunks_find_their_file_whichever_way_they_come),
        test_in_scratch(a_private_run_file_is_its_owners_alone),
    };
    int failed = cmocka_run_group_tests_name("secrets", tests, NULL, NULL);
    arena_release(&memory);
    return failed;
}
