/* The probe: what chunks and sections measure, alone, nested, in threads and after a fork. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "probe/chunk.h"
#include "probe/pack.h"
#include "probe/readings.h"
#include "probe/sampler.h"
#include "record/unpack.h"
#include "unit.h"

enum { MEGABYTE = 1 << 20 };

/* Keeps a CPU busy for so many nanoseconds of this thread's CPU time. */
static void burn(int64_t ns)
{
    int64_t until = probe_read_cpu_ns() + ns;
    while (probe_read_cpu_ns() < until)
        ;
}

static void sleep_ns(long ns)
{
    struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

/* Makes so many bytes resident for a moment. */
static void touch_memory(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 1, bytes);
    munmap(memory, bytes);
}

static roast_chunk record_of(roast_probe *chunk)
{
    roast_chunk record = roast_chunk_none();
    assert_true(roast_probe_fill(chunk, &record));
    return record;
}

static const roast_section *find(const roast_chunk *record, const char *name)
{
    for (size_t i = 0; i < record->n_sections; i++)
        if (str_equal(record->sections[i].name, str_from(name)))
            return &record->sections[i];
    return NULL;
}

/* A with-block around nothing. */
static void enter_and_exit(roast_section_kind kind, const char *name)
{
    roast_section_enter(kind, str_from(name), name, ROAST_ABSENT);
    roast_section_exit(name, ROAST_ABSENT);
}

static void time_on_the_cpu_and_time_asleep_are_told_apart(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    int64_t before = clock_monotonic_ns(), cpu_before = probe_read_cpu_ns();
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    burn(20000000);
    sleep_ns(30000000);
    roast_probe_end(chunk);
    int64_t wall = clock_monotonic_ns() - before, cpu = probe_read_cpu_ns() - cpu_before;
    roast_chunk record = record_of(chunk);
    assert_true(record.duration_ns >= 50000000 && record.duration_ns <= wall);
    assert_true(record.cpu_ns >= 20000000 && record.cpu_ns <= cpu);
    assert_true(record.duration_ns - record.cpu_ns >= 29000000);
    roast_probe_free(chunk);
}

static void phases_follow_each_other_and_add_up(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    int64_t before = clock_monotonic_ns();
    const roast_phase phases[] = {ROAST_PHASE_OPEN, ROAST_PHASE_EVENTS, ROAST_PHASE_PROCESS, ROAST_PHASE_RETURN,
                                  ROAST_PHASE_PROCESS};
    for (size_t i = 0; i < 5; i++) {
        roast_probe_phase(chunk, phases[i]);
        burn((int64_t)(i + 1) * 1000000);
    }
    roast_probe_end(chunk);
    int64_t wall = clock_monotonic_ns() - before;
    roast_chunk record = record_of(chunk);
    assert_true(record.open_ns >= 1000000);
    assert_true(record.events_ns >= 2000000);
    assert_true(record.duration_ns >= 3000000 + 5000000); /* entered twice */
    assert_true(record.return_ns >= 4000000);
    assert_true(record.open_ns + record.events_ns + record.duration_ns + record.return_ns <= wall);
    roast_probe_free(chunk);
}

static void a_phase_that_never_was_is_absent(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_OPEN); /* and the file cannot be opened */
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_true(record.open_ns >= 0);
    assert_int_equal(record.duration_ns, ROAST_ABSENT);
    assert_int_equal(record.cpu_ns, ROAST_ABSENT);
    assert_int_equal(record.rss_before, ROAST_ABSENT);
    assert_true(record.t_start_ns != ROAST_ABSENT); /* it has its place on the timeline all the same */
    roast_probe_free(chunk);
}

static void phases_and_sections_of_no_kind_are_nothing(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    roast_probe_phase(chunk, ROAST_PHASE_COUNT);
    roast_probe_phase(chunk, (roast_phase)-1);
    roast_section_enter((roast_section_kind)(ROAST_SECTION_BYTES + 1), STR("odd"), chunk, 0);
    roast_section_enter((roast_section_kind)-1, STR("odd"), chunk, 0);
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_true(record.duration_ns >= 0);
    assert_int_equal(record.n_sections, 0);
    roast_probe_free(chunk);
}

static void the_peak_of_a_moment_is_caught(void **state)
{
    (void)state;
    if (!probe_reset_peak())
        skip();
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    touch_memory(64 * MEGABYTE);
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_true(record.rss_peak >= record.rss_before + 60 * MEGABYTE);
    assert_true(record.rss_after < record.rss_before + 32 * MEGABYTE);
    assert_false(record.peak_shared);
    roast_probe_free(chunk);
    /* and the next chunk does not inherit it */
    chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    roast_probe_end(chunk);
    record = record_of(chunk);
    assert_true(record.rss_peak < record.rss_before + 32 * MEGABYTE);
    roast_probe_free(chunk);
}

static const char *own_path; /* /proc/self/exe would be valgrind, under valgrind */

/* What the process had before it became this program must not show: a child of a large process execs us again. */
static void the_peak_before_exec_is_not_ours(void **state)
{
    (void)state;
    if (!probe_reset_peak())
        skip();
    char *memory = mmap(NULL, 256 * MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, 256 * MEGABYTE);
    pid_t child = fork();
    if (child == 0) {
        execl(own_path, "test_probe", "look at the peak of a chunk", NULL);
        _exit(99);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    munmap(memory, 256 * MEGABYTE);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* In that child: 32 MB for a moment, which the 256 MB of before would hide. */
static int look_at_the_peak_of_a_chunk(void)
{
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_chunk record = roast_chunk_none();
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    touch_memory(32 * MEGABYTE);
    roast_probe_end(chunk);
    roast_probe_fill(chunk, &record);
    roast_probe_free(chunk);
    int64_t above = record.rss_peak - record.rss_before;
    return above > 28 * MEGABYTE && above < 40 * MEGABYTE ? 0 : 1;
}

/* ---- Sections ------------------------------------------------------------------------------------------------ */

static void a_section_that_is_entered_three_times_is_summed_and_counted(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    for (int i = 0; i < 3; i++) {
        roast_section_enter(ROAST_SECTION_TIME, STR("jets"), chunk, ROAST_ABSENT);
        burn(2000000);
        roast_section_exit(chunk, ROAST_ABSENT);
    }
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 1);
    const roast_section *jets = &record.sections[0];
    assert_int_equal(jets->count, 3);
    assert_true(jets->duration_ns >= 6000000 && jets->duration_ns <= record.duration_ns);
    assert_true(jets->cpu_ns >= 6000000 && jets->cpu_ns <= jets->duration_ns);
    assert_int_equal(jets->rss_delta, ROAST_ABSENT);
    roast_probe_free(chunk);
}

static void sections_know_what_they_are_in(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_section_enter(ROAST_SECTION_TIME, STR("outer"), "o", ROAST_ABSENT);
    roast_section_enter(ROAST_SECTION_TIME, STR("inner"), "i", ROAST_ABSENT);
    enter_and_exit(ROAST_SECTION_TIME, "leaf");
    roast_section_exit("i", ROAST_ABSENT);
    roast_section_exit("o", ROAST_ABSENT);
    enter_and_exit(ROAST_SECTION_TIME, "leaf"); /* the same name at the top is another place */
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 4);
    assert_str(find(&record, "inner")->parent, "outer");
    assert_int_equal(find(&record, "inner")->depth, 1);
    assert_str(record.sections[2].name, "leaf");
    assert_str(record.sections[2].parent, "inner");
    assert_int_equal(record.sections[2].depth, 2);
    assert_str(record.sections[3].name, "leaf");
    assert_null(record.sections[3].parent.ptr);
    roast_probe_free(chunk);
}

static void a_section_inside_itself_does_not_count_its_time_twice(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    int64_t before = clock_monotonic_ns();
    for (int i = 0; i < 5; i++)
        roast_section_enter(ROAST_SECTION_TIME, STR("recursive"), "same token", ROAST_ABSENT);
    burn(3000000);
    for (int i = 0; i < 5; i++)
        roast_section_exit("same token", ROAST_ABSENT);
    int64_t wall = clock_monotonic_ns() - before;
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 1);
    assert_int_equal(record.sections[0].count, 5);
    assert_true(record.sections[0].duration_ns >= 3000000 && record.sections[0].duration_ns <= wall);
    roast_probe_free(chunk);
}

static void time_and_memory_of_one_block_are_one_section(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_section_enter(ROAST_SECTION_TIME, STR("load"), "t", ROAST_ABSENT);
    roast_section_enter(ROAST_SECTION_MEMORY, STR("load"), "m", ROAST_ABSENT);
    roast_section_enter(ROAST_SECTION_BYTES, STR("load"), "b", 1000);
    roast_section_exit("b", 1700);
    roast_section_exit("m", ROAST_ABSENT);
    roast_section_exit("t", ROAST_ABSENT);
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 1);
    assert_int_equal(record.sections[0].count, 1);
    assert_int_equal(record.sections[0].bytes, 700);
    assert_true(record.sections[0].duration_ns >= 0);
    assert_true(record.sections[0].rss_delta != ROAST_ABSENT || probe_read_rss() == ROAST_ABSENT);
    roast_probe_free(chunk);
}

static void sections_that_end_out_of_order_end_all_the_same(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_section_enter(ROAST_SECTION_TIME, STR("a"), "a", ROAST_ABSENT);
    roast_section_enter(ROAST_SECTION_TIME, STR("b"), "b", ROAST_ABSENT);
    roast_section_exit("a", ROAST_ABSENT);
    roast_section_exit("a", ROAST_ABSENT); /* once too often */
    enter_and_exit(ROAST_SECTION_TIME, "c");
    roast_section_exit("b", ROAST_ABSENT);
    roast_section_exit("never entered", ROAST_ABSENT);
    enter_and_exit(ROAST_SECTION_TIME, "d");
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(record.sections[i].count, 1);
    assert_str(find(&record, "c")->parent, "b");
    assert_null(find(&record, "d")->parent.ptr);
    roast_probe_free(chunk);
}

static void a_section_outside_of_a_chunk_is_nothing(void **state)
{
    (void)state;
    assert_null(roast_probe_current());
    enter_and_exit(ROAST_SECTION_TIME, "nothing");
    roast_section_enter(ROAST_SECTION_TIME, STR("around"), "around", ROAST_ABSENT);
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_section_exit("around", ROAST_ABSENT); /* entered before the chunk began */
    roast_probe_end(chunk);
    assert_int_equal(record_of(chunk).n_sections, 0);
    roast_probe_free(chunk);
}

static void sections_beyond_the_maximum_are_kept_together(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "section %d", i);
        enter_and_exit(ROAST_SECTION_TIME, name);
    }
    for (int i = 0; i < 200; i++) /* deeper than anything is kept */
        roast_section_enter(ROAST_SECTION_TIME, STR("section 1"), "deep", ROAST_ABSENT);
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.n_sections, 256);
    int64_t entries = 0;
    for (size_t i = 0; i < record.n_sections; i++)
        entries += record.sections[i].count;
    assert_int_equal(entries, 1000 + 64); /* 64 of the deep ones fit on the stack */
    assert_int_equal(find(&record, "(further sections)")->count, 1000 - 255);
    roast_probe_free(chunk);
}

static void a_name_of_any_length_is_cut_between_characters(void **state)
{
    (void)state;
    roast_probe *chunk = roast_probe_begin(NULL);
    char name[1001];
    for (size_t i = 0; i < 1000; i += 2)
        memcpy(name + i, "\xC3\xBC", 2);
    memmove(name + 1, name, 999);
    name[0] = 'x'; /* so that the limit falls inside a character */
    roast_section_enter(ROAST_SECTION_TIME, (roast_str){name, 1000}, "n", ROAST_ABSENT);
    roast_section_exit("n", ROAST_ABSENT);
    roast_probe_end(chunk);
    roast_chunk record = record_of(chunk);
    assert_int_equal(record.sections[0].name.len, 511);
    roast_probe_free(chunk);
}

/* ---- Threads ------------------------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *chunk_on_a_thread(void *argument)
{
    char *name = argument;
    assert_null(roast_probe_current());
    roast_probe *chunk = roast_probe_begin(name);
    assert_ptr_equal(roast_probe_owner(roast_probe_current()), name);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 100; i++)
        enter_and_exit(ROAST_SECTION_TIME, name);
    pthread_barrier_wait(&barrier);
    roast_probe_end(chunk);
    return chunk;
}

static void threads_do_not_mix_their_sections_and_share_the_peak(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    static char names[THREADS][16];
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        pthread_create(&threads[i], NULL, chunk_on_a_thread, names[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *chunk;
        pthread_join(threads[i], &chunk);
        roast_chunk record = record_of(chunk); /* after its thread has ended */
        assert_int_equal(record.n_sections, 1);
        assert_str(record.sections[0].name, names[i]);
        assert_int_equal(record.sections[0].count, 100);
        assert_true(record.peak_shared || record.rss_peak == ROAST_ABSENT);
        roast_probe_free(chunk);
    }
    pthread_barrier_destroy(&barrier);
}

static void *begin_and_leave(void *unused)
{
    (void)unused;
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    roast_section_enter(ROAST_SECTION_TIME, STR("open"), "open", ROAST_ABSENT);
    return chunk;
}

static void a_chunk_may_outlive_its_thread_and_die_on_another(void **state)
{
    (void)state;
    pthread_t thread;
    void *chunk;
    pthread_create(&thread, NULL, begin_and_leave, NULL);
    pthread_join(thread, &chunk);
    roast_probe_phase(chunk, ROAST_PHASE_RETURN); /* not its thread: nothing happens */
    roast_probe_end(chunk);
    roast_probe_free(chunk);
    /* it is not in anyone's way */
    roast_probe *next = roast_probe_begin(NULL);
    roast_probe_phase(next, ROAST_PHASE_PROCESS);
    roast_probe_end(next);
    assert_false(record_of(next).peak_shared);
    roast_probe_free(next);
}

static roast_probe *shared_chunk;

static void *free_the_shared_chunk(void *unused)
{
    (void)unused;
    roast_probe_free(shared_chunk);
    return NULL;
}

static void a_chunk_that_another_thread_frees_is_gone_from_its_own(void **state)
{
    (void)state;
    pthread_t thread;
    shared_chunk = roast_probe_begin(NULL);
    pthread_create(&thread, NULL, free_the_shared_chunk, NULL);
    pthread_join(thread, NULL);
    assert_null(roast_probe_current());
}

static void chunks_nest_and_the_innermost_gets_the_sections(void **state)
{
    (void)state;
    roast_probe *outer = roast_probe_begin(NULL), *inner = roast_probe_begin(NULL);
    enter_and_exit(ROAST_SECTION_TIME, "in");
    roast_probe_free(inner); /* without an end */
    assert_ptr_equal(roast_probe_current(), outer);
    enter_and_exit(ROAST_SECTION_TIME, "out");
    roast_probe_end(outer);
    roast_probe_end(outer);
    roast_chunk record = record_of(outer);
    assert_int_equal(record.n_sections, 1);
    assert_str(record.sections[0].name, "out");
    roast_probe_free(outer);
}

/* ---- Forks and descriptors ----------------------------------------------------------------------------------- */

static void in_a_child(void (*test)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        test();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int64_t parent_rss;

static void child_sees_its_own_memory(void)
{
    char *memory = mmap(NULL, 128 * MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, 128 * MEGABYTE);
    roast_probe *chunk = roast_probe_begin(NULL);
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    burn(5000000);
    roast_probe_end(chunk);
    roast_chunk record = roast_chunk_none();
    roast_probe_fill(chunk, &record);
    bool right = record.rss_after > parent_rss + 100 * MEGABYTE && record.pid == getpid() && record.cpu_ns >= 5000000 &&
                 record.cpu_ns < 1000000000 && !record.peak_shared;
    _exit(right ? 0 : 1);
}

static void a_forked_child_looks_at_itself_and_not_at_its_parent(void **state)
{
    (void)state;
    parent_rss = probe_read_rss();
    if (parent_rss == ROAST_ABSENT)
        skip();
    probe_read_peak(ROAST_ABSENT);
    roast_probe *chunk = roast_probe_begin(NULL); /* the parent is inside process() */
    roast_probe_phase(chunk, ROAST_PHASE_PROCESS);
    in_a_child(child_sees_its_own_memory);
    roast_probe_end(chunk);
    assert_false(record_of(chunk).peak_shared);
    roast_probe_free(chunk);
}

static void a_forked_child_does_not_repeat_its_parents_uids(void **state)
{
    (void)state;
    int ends[2];
    uint64_t childs = 0;
    pack_new_uid(); /* so that both go on from the same state */
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        uint64_t own = pack_new_uid();
        _exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &childs, sizeof childs), sizeof childs);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(childs != pack_new_uid());
    close(ends[0]);
    close(ends[1]);
}

static void a_descriptor_that_was_taken_away_is_not_written_to(void **state)
{
    (void)state;
    if (!probe_reset_peak() || probe_read_rss() == ROAST_ABSENT)
        skip();
    /* A program that closes what it does not know, and then opens files of its own. */
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    int files[16];
    for (int i = 0; i < 16; i++) {
        files[i] = open(in_scratch("precious"), O_RDWR | O_CREAT, 0600);
        assert_true(files[i] >= 0);
    }
    assert_int_equal(write(files[0], "12345 abcdef\n", 13), 13);
    probe_reset_peak();
    probe_reset_peak();
    assert_true(probe_read_rss() > 0); /* found out, and opened again */
    probe_read_peak(ROAST_ABSENT);
    assert_true(probe_read_peak(ROAST_ABSENT) > 0);
    char text[32] = {0};
    assert_int_equal(pread(files[0], text, sizeof text, 0), 13);
    assert_string_equal(text, "12345 abcdef\n");
    for (int i = 0; i < 16; i++)
        assert_int_equal(close(files[i]), 0); /* still theirs */
}

/* ---- The sampler --------------------------------------------------------------------------------------------- */

static size_t drained(int64_t *highest)
{
    buf packed = {0};
    arena memory = {0};
    unpacked record = {0};
    roast_sampler_drain(&packed);
    assert_int_equal(packed.code, ROAST_OK);
    if (packed.len)
        assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
    for (size_t i = 0; i < record.n_samples; i++)
        if (highest && record.samples[i].memory > *highest)
            *highest = record.samples[i].memory;
    arena_release(&memory);
    buf_release(&packed);
    return record.n_samples;
}

/* Waits until the sampler has seen something, however slow the machine is. */
static size_t wait_for_samples(int64_t *highest)
{
    for (int64_t until = clock_monotonic_ns() + 30 * NS_PER_S; clock_monotonic_ns() < until; sleep_ns(1000000)) {
        size_t count = drained(highest);
        if (count)
            return count;
    }
    return 0;
}

static void the_sampler_sees_the_memory_of_this_process(void **state)
{
    (void)state;
    roast_error err = {0};
    int64_t highest = ROAST_ABSENT;
    assert_int_equal(roast_sampler_start(0, &err), ROAST_USAGE);
    assert_int_equal(roast_sampler_start(200, &err), ROAST_OK);
    assert_int_equal(roast_sampler_start(10, &err), ROAST_OK); /* a second user */
    roast_sampler_stop();
    assert_true(wait_for_samples(&highest) > 0);
    assert_true(probe_read_rss() == ROAST_ABSENT || (highest > 0 && highest < probe_read_rss() + 64 * MEGABYTE));
    roast_sampler_stop();
    drained(NULL);
    sleep_ns(20000000);
    assert_int_equal(drained(NULL), 0);
    roast_sampler_stop(); /* once too often */
    assert_int_equal(roast_sampler_start(200, &err), ROAST_OK);
    assert_true(wait_for_samples(NULL) > 0);
    roast_sampler_stop();
}

static void child_samples_itself(void)
{
    if (drained(NULL)) /* what the parent saw is not there */
        _exit(1);
    sampler_resume();
    if (!wait_for_samples(NULL))
        _exit(2);
    roast_sampler_stop();
}

static void the_sampler_starts_again_in_a_forked_child(void **state)
{
    (void)state;
    assert_int_equal(roast_sampler_start(500, NULL), ROAST_OK);
    assert_true(wait_for_samples(NULL) > 0);
    in_a_child(child_samples_itself);
    roast_sampler_stop();
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    if (argc > 1)
        return look_at_the_peak_of_a_chunk();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_on_the_cpu_and_time_asleep_are_told_apart),
        cmocka_unit_test(phases_follow_each_other_and_add_up),
        cmocka_unit_test(a_phase_that_never_was_is_absent),
        cmocka_unit_test(phases_and_sections_of_no_kind_are_nothing),
        cmocka_unit_test(the_peak_of_a_moment_is_caught),
        cmocka_unit_test(the_peak_before_exec_is_not_ours),
        cmocka_unit_test(a_section_that_is_entered_three_times_is_summed_and_counted),
        cmocka_unit_test(sections_know_what_they_are_in),
        cmocka_unit_test(a_section_inside_itself_does_not_count_its_time_twice),
        cmocka_unit_test(time_and_memory_of_one_block_are_one_section),
        cmocka_unit_test(sections_that_end_out_of_order_end_all_the_same),
        cmocka_unit_test(a_section_outside_of_a_chunk_is_nothing),
        cmocka_unit_test(sections_beyond_the_maximum_are_kept_together),
        cmocka_unit_test(a_name_of_any_length_is_cut_between_characters),
        cmocka_unit_test(threads_do_not_mix_their_sections_and_share_the_peak),
        cmocka_unit_test(a_chunk_may_outlive_its_thread_and_die_on_another),
        cmocka_unit_test(a_chunk_that_another_thread_frees_is_gone_from_its_own),
        cmocka_unit_test(chunks_nest_and_the_innermost_gets_the_sections),
        cmocka_unit_test(a_forked_child_looks_at_itself_and_not_at_its_parent),
        cmocka_unit_test(a_forked_child_does_not_repeat_its_parents_uids),
        cmocka_unit_test(the_sampler_sees_the_memory_of_this_process),
        cmocka_unit_test(the_sampler_starts_again_in_a_forked_child),
        test_in_scratch(a_descriptor_that_was_taken_away_is_not_written_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
