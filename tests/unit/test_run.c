/* The run file: what is written is read back, unfinished and damaged files are told apart, reading never writes. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "run/database.h"
#include "run/locate.h"
#include "run/reader.h"
#include "run/upgrade.h"
#include "unit.h"

static roast_recorder *start(const char *path)
{
    roast_recorder *recorder;
    roast_error err = {0};
    roast_recorder_options options = {.name = "a test"};
    assert_int_equal(roast_recorder_open(&recorder, path, &options, &err), ROAST_OK);
    return recorder;
}

static roast_chunk a_chunk(int64_t number)
{
    static const roast_section sections[] = {{.size = sizeof(roast_section),
                                              .name = {"jets", 4},
                                              .count = 2,
                                              .duration_ns = 7,
                                              .cpu_ns = 5,
                                              .rss_before = ROAST_ABSENT,
                                              .rss_after = ROAST_ABSENT,
                                              .rss_delta = ROAST_ABSENT,
                                              .bytes = ROAST_ABSENT}};
    static const roast_str branches[] = {{"Jet_pt", 6}, {"nJet", 4}};
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = STR("ttbar");
    chunk.file = STR("a.root");
    chunk.treename = STR("Events");
    chunk.worker = STR("tcp://w1");
    chunk.entry_start = number * 100;
    chunk.entry_stop = number * 100 + 100;
    chunk.events = 100;
    chunk.t_start_ns = 1000 + number;
    chunk.duration_ns = 50;
    chunk.sections = sections;
    chunk.n_sections = 1;
    chunk.branches = branches;
    chunk.n_branches = 2;
    return chunk;
}

static void record_chunks(roast_recorder *recorder, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        roast_chunk chunk = a_chunk(i);
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
}

static void write_run(const char *path, int64_t chunks)
{
    roast_recorder *recorder = start(path);
    record_chunks(recorder, chunks);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
}

static roast_run *open_run(const char *path)
{
    roast_run *run;
    roast_error err = {0};
    if (roast_run_open(&run, path, NULL, &err))
        fail_msg("%s", err.message);
    return run;
}

typedef struct seen_chunks {
    size_t count;
    run_chunk last;
} seen_chunks;

static roast_code see_chunk(void *context, const run_chunk *row)
{
    seen_chunks *seen = context;
    seen->count++;
    seen->last = *row;
    return ROAST_OK;
}

static seen_chunks visit_chunks(roast_run *run)
{
    seen_chunks seen = {0};
    assert_int_equal(run_each_chunk(run, RUN_EVERYTHING, see_chunk, &seen, NULL), ROAST_OK);
    return seen;
}

static void a_chunk_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 3);
    roast_run *run = open_run(in_scratch("a.roast"));
    seen_chunks seen = visit_chunks(run);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.last.id, 3);
    assert_str(seen.last.record.dataset, "ttbar");
    assert_str(seen.last.record.file, "a.root");
    assert_str(seen.last.record.treename, "Events");
    assert_str(seen.last.record.worker, "tcp://w1");
    assert_int_equal(seen.last.record.entry_start, 200);
    assert_int_equal(seen.last.record.duration_ns, 50);
    assert_int_equal(seen.last.record.attempt, 1);
    assert_true(seen.last.record.cpu_ns == ROAST_ABSENT);
    assert_null(seen.last.record.error.ptr);
    size_t branches;
    const uint32_t *names = run_branch_set(run, seen.last.branch_set, &branches);
    assert_int_equal(branches, 2);
    assert_str(run_name(run, names[0]), "Jet_pt");
    assert_int_equal(run_branch_sets(run), 1);
    assert_str(roast_run_name(run), "a test");
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    roast_run_close(run);
}

static void the_same_record_twice_counts_once(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    record_chunks(recorder, 2);
    record_chunks(recorder, 2);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 2);
    roast_run_close(run);
}

static void a_second_attempt_at_a_chunk_is_numbered_two(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_chunk chunk = a_chunk(0);
    chunk.error_type = STR("OSError");
    roast_record_chunk(recorder, &chunk);
    chunk = a_chunk(0);
    chunk.t_start_ns += 1000;
    roast_record_chunk(recorder, &chunk);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).last.record.attempt, 2);
    roast_run_close(run);
}

static int64_t attempt_after_a_success(int64_t round_before, int64_t round_after)
{
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_chunk chunk = a_chunk(0);
    chunk.round = round_before;
    roast_record_chunk(recorder, &chunk);
    chunk.round = round_after;
    chunk.t_start_ns += 1000;
    roast_record_chunk(recorder, &chunk);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    roast_run *run = open_run(in_scratch("a.roast"));
    int64_t attempt = visit_chunks(run).last.record.attempt;
    roast_run_close(run);
    return attempt;
}

static void a_chunk_that_is_done_twice_is_a_second_attempt_only_within_a_round(void **state)
{
    (void)state;
    assert_int_equal(attempt_after_a_success(1, 1), 2);
}

static void a_chunk_of_another_round_is_a_first_attempt(void **state)
{
    (void)state;
    assert_int_equal(attempt_after_a_success(1, 2), 1);
}

static void without_rounds_a_success_ends_one(void **state)
{
    (void)state;
    assert_int_equal(attempt_after_a_success(ROAST_ABSENT, ROAST_ABSENT), 1);
}

static void a_worker_that_comes_back_under_its_address_is_another_worker(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_worker worker = roast_worker_none();
    worker.address = STR("tcp://w1");
    worker.joined_ns = 10;
    worker.cores = 4;
    roast_record_worker(recorder, &worker);
    roast_worker leaving = roast_worker_none();
    leaving.address = STR("tcp://w1");
    leaving.left_ns = 20;
    leaving.lost = true;
    leaving.reason = STR("killed");
    roast_record_worker(recorder, &leaving);
    worker.joined_ns = 30;
    roast_record_worker(recorder, &worker);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(run_workers(run), 2);
    assert_int_equal(run_worker(run, 0)->left_ns, 20);
    assert_int_equal(run_worker(run, 0)->cores, 4);
    assert_true(run_worker(run, 0)->lost);
    assert_int_equal(run_worker(run, 1)->joined_ns, 30);
    assert_true(run_worker(run, 1)->left_ns == ROAST_ABSENT);
    roast_run_close(run);
}

static void an_existing_file_is_not_overwritten(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 1);
    roast_recorder *recorder;
    roast_error err = {0};
    assert_int_equal(roast_recorder_open(&recorder, in_scratch("a.roast"), NULL, &err), ROAST_USAGE);
    assert_null(recorder);
    assert_non_null(strstr(err.message, "exists already"));
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 1);
    roast_run_close(run);
}

/* A child writes, flushes and is killed: as a crash would leave it. */
static void crash_after_writing(const char *path, int64_t chunks)
{
    pid_t child = fork();
    if (child == 0) {
        roast_recorder *recorder = start(path);
        record_chunks(recorder, chunks);
        roast_recorder_flush(recorder);
        raise(SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
}

static void a_killed_writer_leaves_a_readable_run_that_says_interrupted(void **state)
{
    (void)state;
    crash_after_writing(in_scratch("a.roast"), 5);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 5);
    assert_int_equal(roast_run_outcome(run), ROAST_INTERRUPTED);
    roast_run_close(run);
}

static void a_run_that_is_being_written_says_running(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    record_chunks(recorder, 5);
    roast_recorder_flush(recorder);
    record_chunks(recorder, 7);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 5);
    assert_int_equal(roast_run_outcome(run), ROAST_RUNNING);
    roast_run_close(run);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
}

static void a_run_that_has_ended_takes_what_belongs_to_it_until_it_is_closed(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    record_chunks(recorder, 5);
    assert_int_equal(roast_recorder_finish(recorder, ROAST_FAILED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 5);
    assert_int_equal(roast_run_outcome(run), ROAST_FAILED);
    roast_run_close(run);
    assert_int_equal(roast_record_report(recorder, STR("{\"entries\": 7}")), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 5);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    roast_run_close(run);
}

static void a_record_is_committed_within_seconds_without_another_one(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    record_chunks(recorder, 1);
    size_t seen = 0;
    for (int tries = 0; seen == 0 && tries < 3000; tries++) {
        roast_run *run = open_run(in_scratch("a.roast"));
        seen = visit_chunks(run).count;
        roast_run_close(run);
        usleep(10000);
    }
    assert_int_equal(seen, 1);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
}

/* Everything about the folder that a write would change. (Not the time of the last change of metadata: run as root,
 * SQLite gives the log to the owner of the database, even if it belongs to him already.) */
static void folder_state(char *text, size_t size)
{
    char command[256];
    snprintf(command, sizeof command, "cd '%s' && stat -c '%%n %%s %%Y %%U %%a' . * && sha256sum *", scratch);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    pclose(pipe);
}

static void reading_changes_nothing_and_leaves_nothing(void **state)
{
    (void)state;
    static const bool crashed[] = {false, true};
    for (size_t i = 0; i < 2; i++) {
        const char *path = in_scratch(crashed[i] ? "b.roast" : "a.roast");
        if (crashed[i])
            crash_after_writing(path, 3);
        else
            write_run(path, 3);
        char before[4096], after[4096];
        folder_state(before, sizeof before);
        roast_run *run = open_run(path);
        visit_chunks(run);
        roast_run_close(run);
        folder_state(after, sizeof after);
        assert_string_equal(before, after);
    }
}

static void an_interrupted_run_without_its_shared_memory_file_is_still_read(void **state)
{
    (void)state;
    crash_after_writing(in_scratch("a.roast"), 5);
    assert_int_equal(unlink(in_scratch("a.roast-shm")), 0);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 5);
    roast_run_close(run);
}

static void flip_byte(const char *path, long offset)
{
    FILE *file = fopen(path, "r+b");
    fseek(file, offset, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, offset, SEEK_SET);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

static void a_flipped_byte_in_any_page_is_found(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 200);
    struct stat info;
    stat(in_scratch("a.roast"), &info);
    for (long page = 0; page < info.st_size / 4096; page++) {
        long offset = page * 4096 + 97 + page % 3900;
        flip_byte(in_scratch("a.roast"), offset);
        roast_run *run;
        roast_error err = {0};
        assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), NULL, &err), ROAST_CORRUPT);
        char damage[80];
        snprintf(damage, sizeof damage, "the first is page %ld;", page + 1);
        assert_non_null(strstr(err.message, "a.roast"));
        assert_non_null(strstr(err.message, damage));
        flip_byte(in_scratch("a.roast"), offset);
    }
    roast_run_close(open_run(in_scratch("a.roast")));
}

static void a_run_that_is_cut_between_pages_is_cut_short(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 200);
    struct stat info;
    stat(in_scratch("a.roast"), &info);
    assert_int_equal(truncate(in_scratch("a.roast"), info.st_size - 4096), 0);
    roast_run *run;
    roast_error err = {0};
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), NULL, &err), ROAST_CORRUPT);
    assert_non_null(strstr(err.message, "cut short"));
}

static void a_run_is_read_whatever_its_name_and_from_where_one_is(void **state)
{
    (void)state;
    static const char *const names[] = {"a#1.roast", "what?.roast", "100%25.roast", "\xc3\xa9 \t.roast"};
    int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(scratch), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_run(in_scratch(names[i]), 1);
        roast_run_close(open_run(in_scratch(names[i])));
        roast_run_close(open_run(names[i]));
    }
    assert_int_equal(fchdir(before), 0);
    close(before);
}

static void two_trees_of_a_file_are_two_rows(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    for (int64_t i = 0; i < 3; i++) {
        roast_chunk chunk = a_chunk(i);
        chunk.treename = i == 1 ? STR("Runs") : STR("Events");
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(run_files(run), 2);
    assert_str(run_file(run, 0)->tree, "Events");
    assert_str(run_file(run, 1)->tree, "Runs");
    roast_run_close(run);
}

static int version_when_located(const char *path)
{
    located_run found;
    roast_open_options options = {0};
    sqlite3_stmt *statement;
    assert_int_equal(locate_run(&found, path, &options, NULL), ROAST_OK);
    assert_int_equal(sqlite3_prepare_v2(found.db, "PRAGMA user_version", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    locate_release(&found);
    return version;
}

static void an_old_run_is_read_as_it_is_and_a_private_copy_of_it_is_upgraded(void **state)
{
    (void)state;
    char command[1000];
    snprintf(command, sizeof command, "cp '%s/tests/golden/run-v1.roast' '%s'", ROAST_SOURCE_DIR,
             in_scratch("old.roast"));
    assert_int_equal(system(command), 0);
    assert_int_equal(version_when_located(in_scratch("old.roast")), 1);
    fclose(fopen(in_scratch("old.roast-journal"), "w")); /* as a crash leaves it: not to be read in place */
    assert_int_equal(version_when_located(in_scratch("old.roast")), RUN_VERSION);
}

static void a_damaged_run_can_be_salvaged_with_a_warning(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 2000);
    struct stat info;
    stat(in_scratch("a.roast"), &info);
    FILE *file = fopen(in_scratch("a.roast"), "r+b");
    fseek(file, info.st_size / 2 / 4096 * 4096, SEEK_SET);
    char zeros[4096] = {0};
    fwrite(zeros, 1, sizeof zeros, file);
    fclose(file);
    roast_run *run;
    roast_open_options options = {.salvage = true};
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), &options, NULL), ROAST_OK);
    seen_chunks seen = visit_chunks(run);
    assert_in_range(seen.count, 1500, 2000);
    assert_true(run_notes(run) > 0);
    assert_str(run_note_at(run, 0)->level, "warning");
    size_t notes = run_notes(run);
    assert_int_equal(visit_chunks(run).count, seen.count);
    assert_int_equal(run_notes(run), notes);
    roast_run_close(run);
}

static void a_read_only_folder_can_still_be_read(void **state)
{
    (void)state;
    crash_after_writing(in_scratch("a.roast"), 4);
    chmod(scratch, 0555);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 4);
    roast_run_close(run);
    chmod(scratch, 0755);
}

static const upgrade_step made_up_steps[] = {
    {1, "CREATE TABLE second (a); INSERT INTO second VALUES (2)"},
    {2, "ALTER TABLE second ADD COLUMN b DEFAULT 3"},
};

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static void an_upgrade_takes_every_step_or_none(void **state)
{
    (void)state;
    sqlite3 *db;
    roast_error err = {0};
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db, "PRAGMA user_version=1", NULL, NULL, NULL);
    assert_int_equal(upgrade_with(db, "x.roast", 4, made_up_steps, 2, &err), ROAST_VERSION);
    assert_string_equal(err.message, "x.roast: no way from format 3 to 4");
    assert_int_equal(ask(db, "PRAGMA user_version"), 1);
    assert_int_equal(ask(db, "SELECT count(*) FROM sqlite_schema"), 0);
    assert_int_equal(upgrade_with(db, "x.roast", 3, made_up_steps, 2, &err), ROAST_OK);
    assert_int_equal(ask(db, "PRAGMA user_version"), 3);
    assert_int_equal(ask(db, "SELECT a + b FROM second"), 5);
    sqlite3_close(db);
}

static void the_views_speak_of_names_and_seconds(void **state)
{
    (void)state;
    write_run(in_scratch("a.roast"), 3);
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(in_scratch("a.roast"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    const char *sql = "SELECT dataset, count(*), sum(duration_s) FROM chunks GROUP BY 1";
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ttbar");
    assert_int_equal(sqlite3_column_int(statement, 1), 3);
    assert_close(sqlite3_column_double(statement, 2), 150e-9, 1e-15);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

/* Chunks: two of sets whose names never come, one of a set that has names, one that is known to have read nothing. */
static void chunks_of_sets_that_never_got_names_are_unknown_and_no_others(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    for (int64_t i = 0; i < 5; i++) {
        roast_chunk chunk = a_chunk(i);
        if (i == 0 || i == 2 || i == 4) { /* 7, 9 and 7 again */
            chunk.branches = NULL;
            chunk.branch_set = i == 2 ? 9 : 7;
        }
        chunk.n_branches = i == 1 ? 2 : 0;
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(in_scratch("a.roast"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    const char *sql = "SELECT group_concat(branch_set IS NULL, ''), (SELECT count(*) FROM note WHERE text LIKE"
                      " 'The names of 2 sets of branches were lost%') FROM (SELECT * FROM chunk ORDER BY id)";
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), "10101");
    assert_int_equal(sqlite3_column_int(statement, 1), 1);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static void a_run_that_somebody_is_reading_can_be_closed(void **state)
{
    (void)state;
    const char *path = in_scratch("read.roast");
    roast_recorder *recorder = start(path);
    record_chunks(recorder, 3);
    roast_recorder_flush(recorder);
    sqlite3 *reader;
    sqlite3_stmt *rows;
    assert_int_equal(sqlite3_open_v2(path, &reader, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(reader, "SELECT id FROM chunk", -1, &rows, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(rows), SQLITE_ROW); /* in the middle of it */
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(path);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    roast_run_close(run);
    sqlite3_finalize(rows);
    sqlite3_close(reader);
    run = open_run(path);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    roast_run_close(run);
}

static void a_record_without_its_size_is_refused_and_the_next_one_is_taken(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_chunk chunk = a_chunk(0);
    chunk.size = 0;
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_USAGE);
    const roast_section sizeless[2] = {{.name = {"jets", 4}}, {.name = {"muons", 5}}};
    chunk = a_chunk(0);
    chunk.sections = sizeless;
    chunk.n_sections = 2;
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_USAGE);
    const roast_branch branch = {.name = {"Jet_pt", 6}};
    roast_file file = roast_file_none();
    file.url = STR("a.root");
    file.branches = &branch;
    file.n_branches = 1;
    assert_int_equal(roast_record_file(recorder, &file), ROAST_USAGE);
    roast_worker worker = {.address = {"tcp://w9", 8}};
    assert_int_equal(roast_record_worker(recorder, &worker), ROAST_USAGE);
    record_chunks(recorder, 1);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 1);
    assert_int_equal(run_workers(run), 1);
    roast_run_close(run);
}

static void a_uid_may_be_any_bits(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_chunk chunk = a_chunk(0);
    chunk.uid = UINT64_C(1) << 63;
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    chunk = a_chunk(1);
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).count, 2);
    roast_run_close(run);
}

/* The largest offset that is believed, and a time as far on the other side. */
static void a_time_that_no_clock_shows_is_absent(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    roast_worker worker = roast_worker_none();
    worker.address = STR("tcp://w1");
    worker.clock_offset_ns = INT64_MIN / 2 + 1;
    assert_int_equal(roast_record_worker(recorder, &worker), ROAST_OK);
    roast_chunk chunk = a_chunk(0);
    chunk.t_start_ns = INT64_MAX / 2 - 1;
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    assert_int_equal(visit_chunks(run).last.record.t_start_ns, ROAST_ABSENT);
    roast_run_close(run);
}

/* An old run with a journal is to be copied, and cannot be: it is read in place, where it is not ours to upgrade. */
static void a_run_that_cannot_be_copied_is_salvaged_as_it_is(void **state)
{
    (void)state;
    char command[1000];
    snprintf(command, sizeof command, "cp '%s/tests/golden/run-v1.roast' '%s'", ROAST_SOURCE_DIR,
             in_scratch("old.roast"));
    assert_int_equal(system(command), 0);
    assert_int_equal(mkdir(in_scratch("old.roast-journal"), 0700), 0); /* what cannot be copied */
    roast_run *run;
    roast_error err = {0};
    roast_open_options options = {.salvage = true, .scratch_dir = scratch};
    if (roast_run_open(&run, in_scratch("old.roast"), &options, &err))
        fail_msg("%s", err.message);
    assert_true(visit_chunks(run).count > 0);
    roast_run_close(run);
}

/* The first set is empty: the second one has the only member. */
static void an_empty_set_of_branches_takes_no_other_ones_place(void **state)
{
    (void)state;
    roast_recorder *recorder = start(in_scratch("a.roast"));
    for (int64_t i = 0; i < 2; i++) {
        roast_chunk chunk = a_chunk(i);
        chunk.n_branches = (size_t)i;
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run = open_run(in_scratch("a.roast"));
    size_t count;
    const uint32_t *names = run_branch_set(run, visit_chunks(run).last.branch_set, &count);
    assert_int_equal(count, 1);
    assert_str(run_name(run, names[0]), "Jet_pt");
    roast_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_scratch(a_chunk_is_read_back_as_it_was_written),
        test_in_scratch(the_same_record_twice_counts_once),
        test_in_scratch(a_second_attempt_at_a_chunk_is_numbered_two),
        test_in_scratch(a_chunk_that_is_done_twice_is_a_second_attempt_only_within_a_round),
        test_in_scratch(a_chunk_of_another_round_is_a_first_attempt),
        test_in_scratch(without_rounds_a_success_ends_one),
        test_in_scratch(a_worker_that_comes_back_under_its_address_is_another_worker),
        test_in_scratch(an_existing_file_is_not_overwritten),
        test_in_scratch(a_killed_writer_leaves_a_readable_run_that_says_interrupted),
        test_in_scratch(a_run_that_is_being_written_says_running),
        test_in_scratch(a_run_that_has_ended_takes_what_belongs_to_it_until_it_is_closed),
        test_in_scratch(a_record_is_committed_within_seconds_without_another_one),
        test_in_scratch(reading_changes_nothing_and_leaves_nothing),
        test_in_scratch(an_interrupted_run_without_its_shared_memory_file_is_still_read),
        test_in_scratch(a_flipped_byte_in_any_page_is_found),
        test_in_scratch(a_run_that_is_cut_between_pages_is_cut_short),
        test_in_scratch(a_run_is_read_whatever_its_name_and_from_where_one_is),
        test_in_scratch(two_trees_of_a_file_are_two_rows),
        test_in_scratch(an_old_run_is_read_as_it_is_and_a_private_copy_of_it_is_upgraded),
        test_in_scratch(a_damaged_run_can_be_salvaged_with_a_warning),
        test_in_scratch(a_read_only_folder_can_still_be_read),
        cmocka_unit_test(an_upgrade_takes_every_step_or_none),
        test_in_scratch(the_views_speak_of_names_and_seconds),
        test_in_scratch(chunks_of_sets_that_never_got_names_are_unknown_and_no_others),
        test_in_scratch(a_run_that_somebody_is_reading_can_be_closed),
        test_in_scratch(a_record_without_its_size_is_refused_and_the_next_one_is_taken),
        test_in_scratch(a_uid_may_be_any_bits),
        test_in_scratch(an_empty_set_of_branches_takes_no_other_ones_place),
        test_in_scratch(a_time_that_no_clock_shows_is_absent),
        test_in_scratch(a_run_that_cannot_be_copied_is_salvaged_as_it_is),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
