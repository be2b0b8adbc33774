/* Records a run from C: cc record.c -o record $(pkg-config --cflags --libs roast) && ./record run.roast */
#include <roast.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

int main(int argc, char **argv)
{
    roast_error err;
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "a run from C"};
    if (argc != 2 || roast_recorder_open(&recorder, argv[1], &options, &err) != ROAST_OK)
        return fprintf(stderr, "record: %s\n", argc == 2 ? err.message : "say where to: record FILE"), 1;

    for (int i = 0; i < 10; i++) {                    /* ten chunks of a thousand events each */
        roast_probe *probe = roast_probe_begin(NULL); /* measures time, CPU and memory of this thread */
        roast_probe_phase(probe, ROAST_PHASE_PROCESS);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the work */
        roast_probe_end(probe);
        roast_chunk chunk = roast_chunk_none();
        roast_probe_fill(probe, &chunk);
        chunk.dataset = text(i % 2 ? "signal" : "background");
        chunk.file = text("events.root");
        chunk.worker = text("here");
        chunk.entry_start = i * 1000;
        chunk.entry_stop = chunk.entry_start + 1000;
        chunk.events = 1000;
        roast_record_chunk(recorder, &chunk); /* what goes wrong is remembered, and told when the run is closed */
        roast_probe_free(probe);
    }
    if (roast_recorder_close(recorder, ROAST_FINISHED, &err) != ROAST_OK)
        return fprintf(stderr, "record: %s\n", err.message), 1;
    return 0;
}
