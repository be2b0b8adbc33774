/* A writer killed at any moment: fifty processes record chunks and are killed with SIGKILL at moments drawn from a
 * seed. What they had got done stands in memory that they share with this process, which outlives them. */
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "run/reader.h"
#include "unit.h"

enum {
    KILLS = 50,
    AT_ONCE = 10, /* most of the time a writer sleeps, so several can be tested together */
    MOST_RECORDS = 400000,
    SECTIONS = 2,
    UNCOMMITTED = 1000 /* most records that wait for a commit */
};

/* The promise is one second; a busy machine may take a little longer to wake a thread. */
static const int64_t PATIENCE_NS = NS_PER_S + NS_PER_S / 2;

typedef enum pace {
    FLUSHING, /* as fast as it goes, flushed every few records */
    FLOODING, /* as fast as it goes, committed when the recorder thinks so */
    TICKING,  /* a few hundred a second, so that only the clock makes it commit */
    PACES
} pace;

/* What a writer says of itself. */
typedef struct progress {
    atomic_bool opened;
    _Atomic int64_t recorded, flushed;
    int64_t recorded_ns[MOST_RECORDS]; /* when record i was recorded */
} progress;

typedef struct writer {
    pid_t pid;
    pace pace;
    progress *progress;
    char path[128];
    int64_t kill_at_ns;
} writer;

static uint64_t random_state = 20261116;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static void sleep_ns(int64_t ns)
{
    struct timespec pause = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    nanosleep(&pause, NULL);
}

/* ---- The writers ------------------------------------------------------------------------------------------------- */

static roast_code record_one(roast_recorder *recorder, int64_t number)
{
    static const roast_str branches[] = {{"Muon_pt", 7}, {"Muon_eta", 8}};
    roast_section sections[SECTIONS];
    for (int i = 0; i < SECTIONS; i++) {
        sections[i] = roast_section_none();
        sections[i].name = i ? STR("histograms") : STR("selection");
        sections[i].duration_ns = number;
    }
    roast_chunk chunk = roast_chunk_none();
    chunk.uid = (uint64_t)number + 1;
    chunk.dataset = STR("ttbar");
    chunk.file = STR("root://storage.example.org//ttbar.root");
    chunk.worker = STR("tcp://10.0.0.1:40000");
    chunk.entry_start = number * 100;
    chunk.entry_stop = chunk.entry_start + 100;
    chunk.events = 100;
    chunk.duration_ns = number;
    chunk.sections = sections;
    chunk.n_sections = SECTIONS;
    chunk.branches = branches;
    chunk.n_branches = 2;
    return roast_record_chunk(recorder, &chunk);
}

/* Never returns: it records until it is killed, or has nowhere left to say so. */
static void write_until_killed(const writer *w)
{
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "about to be killed"};
    if (roast_recorder_open(&recorder, w->path, &options, NULL))
        _exit(1);
    atomic_store(&w->progress->opened, true);
    for (int64_t i = 0; i < MOST_RECORDS; i++) {
        if (record_one(recorder, i))
            _exit(1);
        w->progress->recorded_ns[i] = clock_monotonic_ns();
        atomic_store(&w->progress->recorded, i + 1);
        if (w->pace == FLUSHING && i % 7 == 0) {
            if (roast_recorder_flush(recorder))
                _exit(1);
            atomic_store(&w->progress->flushed, i + 1);
        }
        if (w->pace == TICKING)
            sleep_ns(4000000);
    }
    for (;;)
        pause();
}

static void start_writer(writer *w, unsigned number)
{
    w->pace = (pace)(number % PACES);
    snprintf(w->path, sizeof w->path, "%s/%u.roast", scratch, number);
    w->progress = mmap(NULL, sizeof *w->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(w->progress, MAP_FAILED);
    w->pid = fork();
    assert_true(w->pid >= 0);
    if (w->pid == 0)
        write_until_killed(w);
    int64_t latest = w->pace == TICKING ? 3 * NS_PER_S : NS_PER_S / 2;
    w->kill_at_ns = clock_monotonic_ns() + (int64_t)draw((uint64_t)latest);
}

static int by_moment(const void *a, const void *b)
{
    const writer *left = a, *right = b;
    return (left->kill_at_ns > right->kill_at_ns) - (left->kill_at_ns < right->kill_at_ns);
}

static void kill_writers(writer *writers, size_t count)
{
    qsort(writers, count, sizeof *writers, by_moment);
    for (size_t i = 0; i < count; i++) {
        int64_t left = writers[i].kill_at_ns - clock_monotonic_ns();
        if (left > 0)
            sleep_ns(left);
        kill(writers[i].pid, SIGKILL);
        writers[i].kill_at_ns = clock_monotonic_ns();
        int status = 0;
        assert_int_equal(waitpid(writers[i].pid, &status, 0), writers[i].pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it did not end by itself */
    }
}

/* ---- What is left of them ---------------------------------------------------------------------------------------- */

typedef struct found {
    int64_t chunks, sections;
} found;

/* Records come back in order, without a gap, and as they were. */
static roast_code check_chunk(void *context, const run_chunk *row)
{
    found *f = context;
    assert_int_equal(row->record.uid, f->chunks + 1);
    assert_int_equal(row->record.duration_ns, f->chunks);
    assert_str(row->record.dataset, "ttbar");
    f->chunks++;
    return ROAST_OK;
}

static roast_code count_section(void *context, const run_section *row)
{
    (void)row;
    ((found *)context)->sections++;
    return ROAST_OK;
}

static int64_t older_than_patience(const writer *w)
{
    int64_t recorded = atomic_load(&w->progress->recorded), safe = 0;
    while (safe < recorded && w->progress->recorded_ns[safe] < w->kill_at_ns - PATIENCE_NS)
        safe++;
    return safe;
}

/* Names and sizes of everything in the scratch folder, in one number. */
static uint64_t folder_state(void)
{
    uint64_t state = 0;
    DIR *folder = opendir(scratch);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat info;
        assert_int_equal(fstatat(dirfd(folder), entry->d_name, &info, 0), 0);
        if (!S_ISREG(info.st_mode))
            continue;
        uint64_t one = (uint64_t)info.st_size * 31 + (uint64_t)info.st_mtim.tv_nsec;
        for (const char *c = entry->d_name; *c; c++)
            one = one * UINT64_C(1099511628211) + (unsigned char)*c;
        state += one;
    }
    closedir(folder);
    return state;
}

static void check_what_is_left(const writer *w)
{
    int64_t recorded = atomic_load(&w->progress->recorded), flushed = atomic_load(&w->progress->flushed);
    roast_run *run;
    roast_error err = {0};
    uint64_t before = folder_state();
    roast_code code = roast_run_open(&run, w->path, NULL, &err);
    if (!atomic_load(&w->progress->opened) && code) {
        assert_non_null(strstr(err.message, w->path)); /* killed before there was a run: said, and no more */
        return;
    }
    if (code)
        fail_msg("%s", err.message);
    found f = {0};
    assert_int_equal(run_each_chunk(run, RUN_EVERYTHING, check_chunk, &f, &err), ROAST_OK);
    assert_int_equal(run_each_section(run, RUN_EVERYTHING, count_section, &f, &err), ROAST_OK);
    assert_int_equal(roast_run_outcome(run), ROAST_INTERRUPTED);
    roast_run_close(run);
    assert_int_equal(folder_state(), before);
    print_message("# pace %d: recorded %lld, flushed %lld, found %lld\n", w->pace, (long long)recorded,
                  (long long)flushed, (long long)f.chunks);
    assert_int_equal(f.sections, f.chunks * SECTIONS);
    assert_in_range(f.chunks, flushed, recorded + 1); /* one may have been recorded and not yet counted */
    assert_true(f.chunks >= older_than_patience(w));
    assert_true(f.chunks >= recorded - UNCOMMITTED);
}

static void a_writer_killed_at_any_moment_loses_at_most_a_second(void **state)
{
    (void)state;
    for (unsigned started = 0; started < KILLS; started += AT_ONCE) {
        writer writers[AT_ONCE] = {0};
        for (unsigned i = 0; i < AT_ONCE; i++)
            start_writer(&writers[i], started + i);
        kill_writers(writers, AT_ONCE);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            check_what_is_left(&writers[i]);
            munmap(writers[i].progress, sizeof *writers[i].progress);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {test_in_scratch(a_writer_killed_at_any_moment_loses_at_most_a_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
