/* A line of words for each kind of evidence, by the name that rules and programs have for it, with {number} and {name}
 * in their places, and {s} for the plural of the number. A line is short enough to stand in a terminal uncut. What has
 * no line is shown by its name. tests/python/test_tables.py holds that each name is one of a rule. */
#include "view/evidence_words.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "view/format.h"
#include "view/table_writer.h"
#include "view/text.h"

static const struct {
    const char *what, *line;
} LINES[] = {
    {"growth per chunk", "{number} more memory per chunk"},
    {"workers that grow", "{number} worker{s} growing"},
    {"highest memory in a chunk or heartbeat, of the limit", "memory peak: {number} of the limit"},
    {"chunks until a worker reaches it, at this pace", "{number} chunk{s} until a worker reaches it, at this pace"},
    {"workers lost near their limit", "{number} worker{s} lost near the limit"},
    {"highest memory, of the limit", "memory peak: {number} of the limit"},
    {"cores idle on workers above 80 %", "{number} of core time idle above 80 % of the limit"},
    {"most spilled by one worker", "one worker spilled {number}"},
    {"written to disk in all", "{number} written to disk, total"},
    {"of the time of a chunk, opening and building events", "{number} of chunk time"},
    {"both, per chunk", "{number} per chunk before its first event"},
    {"events per chunk", "events per chunk: {number}"},
    {"chunks to make of it, larger by", ""}, /* the advice names the size */
    {"of the time of a chunk, waiting for other threads of its worker", "{number} of chunk time"},
    {"threads of a worker", "{number} thread{s} per worker"},
    {"waited for each second of CPU and other thread", "{number} of waiting for each CPU second of another thread"},
    {"of the time of a chunk, waiting in process()", "{number} of chunk time waiting in process()"},
    {"of it, because others read from the same storage", "{number} of that because others read from the same storage"},
    {"read per core and second", "{number} read per core and second"},
    {"CPU in process(), of the core time", "CPU in process(): {number} of core time"},
    {"CPU in process(), of the measured core time", "CPU in process(): {number} of the measured core time"},
    {"of the time of a chunk, ready to run without a core", "{number} of chunk time waiting for a CPU core"},
    {"machines on which it is so", "on {number} machine{s}"},
    {"cores that each machine seems to have for them", "each machine seems to have {number} core{s} for them"},
    {"slow host", "{name}: {number} the time elsewhere"},
    {"slow worker", "{name}: {number} the time elsewhere"},
    {"slow storage", "{name}: {number} the time elsewhere"},
    {"slow file", "{name}: {number} the time elsewhere"},
    {"slow ones in all", "{number} slow ones in total"},
    {"the first chunks of workers took", "first chunks took {number} the time of later ones"},
    {"how many", "{number} such chunk{s}"},
    {"from", "began {number} after the start"},
    {"until", "ended {number} after the start"},
    {"chunks took then", "chunks then took {number} the usual time"},
    {"of their time, waiting for I/O and opening", "{number} of their time waiting for I/O and opening"},
    {"chunks of which a part took more than expected", "part of a chunk took over {number} the expected time"},
    {"workers lost", "{number} worker{s} lost"},
    {"reason", "reason: {name}"},
    {"share that is missing of", "{name}: {number} of its events missing"},
    {"events that are missing", "{number} event{s} missing"},
    {"chunks to be run again", "{number} chunk{s} to run again"},
    {"chunks that never succeeded", "{number} chunk{s} never succeeded"},
    {"files that are not whole", "{number} file{s} incomplete"},
    {"among them", "one of them: {name}"},
    {"which failed with", "it failed with {name}"},
    {"most time lost to", "most time lost to {name}"},
    {"which said", "message: {name}"},
    {"failures in one file", "{number} of them in {name}"},
    {"attempts that failed", "{number} attempt{s} failed"},
    {"of them, killed with their worker", "{number} of them killed with their worker"},
    {"workers that came after the start", "{number} worker{s} joined late"},
    {"the last of them came after", "the last one {number} after the start"},
    {"chunks started per second", "{number} chunks started per second"},
    {"cores waited for the next chunk, on average", "{number} until a core gets its next chunk, on average"},
    {"after the last chunk nothing ran, and merges were left", "{number} idle after the last chunk, with merges left"},
    {"cores waited for their first chunk, on average", "{number} until a core gets its first chunk, on average"},
    {"preprocessing took", "preprocessing took {number}"},
    {"of it, first imports of the workers", "{number} of that for the first imports of the workers"},
    {"cores idle after the last chunk was started, on average", "cores idle at the end: {number} on average"},
    {"the longest chunk took", "the longest chunk took {number}"},
    {"chunks usually take", "the median chunk took {number}"},
    {"chunks per core", "{number} chunks per core"},
    {"from the last chunk to the end", "{number} from the last chunk to the end"},
    {"core time of merging", "{number} of core time for merging"},
    {"files packed with LZMA", "{number} file{s} compressed with LZMA"},
    {"time in process() on them, of the core time", "{number} of core time in process() on them"},
    {"bytes of the branches that were used", "needed: {number}"},
    {"of the bytes read, of clusters that chunks share", "{number} of that from clusters that chunks share"},
    {"cores that did nothing, of the core time", "{number} of core time idle"},
    {"with half the workers it would have taken", "{number} with half the workers"},
    {"chunks submitted", "{number} chunk{s} submitted"},
    {"attempts recorded", "{number} attempt{s} recorded"},
    {"core time that is not explained", "{number} of core time not explained"},
    {"workers not measured", "{number} worker{s} not measured"},
    {"workers in all", "{number} worker{s} in total"},
    {"chunks done there", "{number} chunk{s} done there"},
    {"tasks", "{number} task{s}"},
    {"a task takes, on average", "a task takes {number} on average"},
    {"its core waited before it", "its core waits {number} before it"},
    {"of that, Dask on the worker", "{number} of that is Dask on the worker"},
    {"tasks per second", "{number} tasks per second"},
    {"workers had been given nothing, on average", "a core had no task for {number}, on average"},
    {"of the time of tasks, not on the CPU", "{number} of the time of tasks not on the CPU"},
    {"most of it in", "{number} of that in {name}"},
    {"CPU of tasks, of the core time", "CPU of tasks: {number} of core time"},
};

static const char *line_of(const finding_evidence *e)
{
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (strcmp(LINES[i].what, e->what) == 0)
            return LINES[i].line;
    return NULL;
}

static void put_number(buf *out, const finding_evidence *e)
{
    if (strcmp(e->unit, "times") == 0)
        format_value(out, real_value(e->value), "ratio", FORM_TIMES);
    else if (strcmp(e->unit, "count") == 0 && fabs(e->value) < 1e15)
        format_count(out, llround(e->value));
    else
        format_value(out, real_value(e->value), e->unit, FORM_UNIT);
}

static void put_name(buf *out, const finding_evidence *e)
{
    if (strcmp(e->unit, "error") == 0)
        text_error(out, e->name);
    else
        buf_str(out, e->name);
}

/* The next letter of words about chunks; where tasks are the work, they are about tasks. */
static const char *put_next(buf *out, const finding_evidence *e, const char *words)
{
    bool instead = e->of_tasks && strncmp(words, "chunk", 5) == 0;
    if (instead)
        buf_text(out, "task");
    else
        buf_char(out, *words);
    return words + (instead ? 5 : 1);
}

/* "what name: number" */
static void put_plainly(buf *out, const finding_evidence *e)
{
    bool named = !str_absent(e->name), counted = isfinite(e->value);
    for (const char *what = e->what; *what;)
        what = put_next(out, e, what);
    if (named) {
        buf_text(out, counted ? " " : ": ");
        put_name(out, e);
    }
    if (counted) {
        buf_text(out, ": ");
        put_number(out, e);
    }
}

static bool takes(const char **at, const char *placeholder)
{
    bool here = strncmp(*at, placeholder, strlen(placeholder)) == 0;
    *at += here ? strlen(placeholder) : 0;
    return here;
}

void evidence_text(buf *out, const finding_evidence *e)
{
    const char *line = line_of(e);
    bool lacks_number = line && strstr(line, "{number}") && !isfinite(e->value);
    if (!line || lacks_number) {
        put_plainly(out, e);
        return;
    }
    while (*line) {
        if (takes(&line, "{number}"))
            put_number(out, e);
        else if (takes(&line, "{name}"))
            put_name(out, e);
        else if (takes(&line, "{s}"))
            buf_text(out, e->value == 1 ? "" : "s");
        else
            line = put_next(out, e, line);
    }
}
