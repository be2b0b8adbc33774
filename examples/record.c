/* Records a run from C: cc record.c -o record $(pkg-config --cflags --libs roast) && ./record run.roast */
#include <roast.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int main(int argc, char **argv)
{
    roast_error err;
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "a run from C"};
    if (argc != 2 || roast_recorder_open(&recorder, argv[1], &options, &err) != ROAST_OK)
        return fprintf(stderr, "record: %s\n", argc == 2 ? err.message : "say where to: record FILE"), 1;

    for (int i = 0; i < 10; i++) { /* ten chunks of a thousand events each */
        roast_chunk chunk = roast_chunk_none();
        chunk.dataset = text(i % 2 ? "signal" : "background");
        chunk.file = text("events.root");
        chunk.worker = text("here");
        chunk.entry_start = i * 1000;
        chunk.entry_stop = chunk.entry_start + 1000;
        chunk.events = 1000;
        chunk.t_start_ns = now_ns();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the work */
        chunk.duration_ns = now_ns() - chunk.t_start_ns;
        roast_record_chunk(recorder, &chunk); /* what goes wrong is remembered, and told when the run is closed */
    }
    if (roast_recorder_close(recorder, ROAST_FINISHED, &err) != ROAST_OK)
        return fprintf(stderr, "record: %s\n", err.message), 1;
    return 0;
}
