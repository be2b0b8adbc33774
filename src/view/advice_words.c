/* Advice: a row of words for each finding, with {placeholders} that stand for what analysis found out. [Words in
 * brackets] are said if every placeholder in them is known; [so|else] has words for both cases. Code is written in the
 * same way, without brackets, and left out if something in it is not known. tests/python/test_advice.py runs all of it.
 */
#include "view/advice_words.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "view/format.h"

typedef struct advice_row {
    const char *text, *code;
    const char *brief; /* what to change, in one line, in the same way as text */
    const char *arrow; /* the same in two words, beside the core time that it is about; NULL for none */
} advice_row;

#define CHUNKSIZE_BRIEF "chunksize={chunksize} (now {now})"

#define SET_CHUNKSIZE "runner.chunksize = {chunksize}\n"
#define LET_WORKERS_IMPORT                                                                                             \
    "import importlib\n"                                                                                               \
    "client.run(importlib.import_module, \"coffea.processor\")\n"

#define KEEP_METADATA                                                                                                  \
    "import pathlib, pickle\n"                                                                                         \
    "kept = pathlib.Path(\"files.pickle\")\n"                                                                          \
    "if kept.exists():\n"                                                                                              \
    "    runner.metadata_cache.update(pickle.loads(kept.read_bytes()))\n"                                              \
    "list(runner.preprocess(fileset))  # opens the new ones\n"                                                         \
    "kept.write_bytes(pickle.dumps(dict(runner.metadata_cache)))\n"

static const advice_row ADVICE[FINDING_KIND_COUNT] = {
    [FINDING_IO_BOUND] = {"Read from a closer or faster storage or through a cache (XCache, local disk), or read less"
                          "[: most of the bytes are those of {collection}]. [{section_share} of the waiting is in "
                          "section \"{section}\".|Sleeps and calls to services wait as well: track_time shows in "
                          "which section.]",
                          .brief = "read from closer storage or through a cache[, or less of {collection}]",
                          .arrow = "closer storage"},
    [FINDING_LOCKS] =
        {"Threads of a worker wait for each other, mostly for Python's own lock: use more workers with "
         "fewer threads each (threads_per_worker=1 or 2), or do in awkward and numpy what is done in Python. "
         "track_time shows in which section they wait.",
         .brief = "more workers with fewer threads each: threads_per_worker=1", .arrow = "fewer threads"},
    [FINDING_CPU_BOUND] =
        {"Make process() cheaper, or use more cores. [{section_share} of the CPU time "
         "is in section \"{section}\".|track_time shows in which part of process() it goes.]",
         .brief = "twice the cores, or a cheaper process()[: {section_share} of its CPU is in \"{section}\"]",
         .arrow = "cheaper process()"},
    [FINDING_NO_CORE_FREE] =
        {"Something else runs on these machines, or libraries start threads of their own: ask who uses them, use "
         "other machines, and switch off threads inside libraries (OMP_NUM_THREADS=1).",
         .brief = "less crowded machines, or OMP_NUM_THREADS=1", .arrow = "free cores"},
    [FINDING_OVERSUBSCRIBED] = {"The cores are busy: there is nothing to gain from more threads, and what looks like "
                                "waiting is sharing. Offer as many threads as there are cores, or a few more if chunks "
                                "wait for storage.",
                                .brief = "as many threads as there are cores", .arrow = "fewer threads"},
    [FINDING_OPENING] = {"Each chunk pays for opening its file and building its events. [Make chunks larger: "
                         "Runner(chunksize={chunksize}) (now {now}) makes {per_file}, {chunks} in total.|Larger chunks "
                         "would leave cores without work or not fit into memory, or files have no more events: merge "
                         "small files.]",
                         SET_CHUNKSIZE, .brief = "[" CHUNKSIZE_BRIEF ": {per_file}|larger files: merge small ones]",
                         .arrow = "larger chunks"},
    [FINDING_SLOW_HOST] = {"Look at [{host}|these machines] (load, clock, network, disks), or keep jobs off it.",
                           .brief = "look at [{host}|the slow machines], or keep jobs off"},
    [FINDING_SLOW_WORKER] = {"Restart [{worker}|these workers]; if others are slow there later, look at the machine.",
                             .brief = "restart [{worker}|the slow workers]"},
    [FINDING_SLOW_STORAGE] = {"Read the files on [{host}|it] from another site or through a cache, or ask the site.",
                              .brief = "read [the files of {host}|these files] from another site or through a cache"},
    [FINDING_SLOW_FILE] = {"Read [{file}|these files] from another replica; if it stays slow, look inside.",
                           "import roastcoffea\n"
                           "print(roastcoffea.inspect({file}))\n",
                           .brief = "read [{file}|the slow files] from another replica"},
    [FINDING_WARM_UP] = {"Imports, compilation (numba, JIT), corrections and connections are paid by each worker once: "
                         "keep workers for more than one run, do it before the run, or use caches on disk.",
                         LET_WORKERS_IMPORT, .brief = "let workers import before the run, or keep them for the next"},
    [FINDING_SLOW_PERIOD] = {"Something that all share was slow for a while: the storage, the network, or the batch "
                             "system. Ask what happened there at that time.",
                             .brief = "ask what storage, network and batch system did then"},
    [FINDING_STRAGGLERS] =
        {"[There are more of them {shared} than chance makes|They share no host, file or time][; the "
         "slowest is of {file}]. If it is the same chunks "
         "again in the next run, look at their events; if not, at the machines.",
         .brief = "look at the slowest chunks[, first those of {file}]"},
    [FINDING_TAIL] = {"Cut the large chunks[: Runner(chunksize={chunksize}) (now {now}) makes {chunks} of them], or "
                      "start them first.[ The longest is of {file}.]",
                      SET_CHUNKSIZE,
                      .brief = "[" CHUNKSIZE_BRIEF ": cut the large chunks|start the large chunks first]",
                      .arrow = "smaller chunks"},
    [FINDING_TOO_FEW_CHUNKS] = {"Make chunks smaller, so that every core gets ten or more[: "
                                "Runner(chunksize={chunksize}) (now {now}) makes {chunks} of them]; or use fewer "
                                "cores.",
                                SET_CHUNKSIZE,
                                .brief = "[" CHUNKSIZE_BRIEF ": {chunks} chunks|smaller chunks, ten or more per core]",
                                .arrow = "smaller chunks"},
    [FINDING_RAMP_UP] = {"Start the cluster earlier and wait for [all {workers}|workers], or ask for smaller ones, "
                         "which come sooner.",
                         "cluster.scale({workers})\n"
                         "client.wait_for_workers({workers}, timeout=600)\n",
                         .brief = "start the cluster earlier and wait for [all {workers}|its workers]"},
    [FINDING_START_UP] = {"Before their first chunk workers import, the processor is sent and the graph is built. Let "
                          "workers import before the run begins.",
                          LET_WORKERS_IMPORT, .brief = "let workers import before the run begins",
                          .arrow = "import before"},
    [FINDING_PREPROCESSING] = {"Keep what coffea learns of the files, so that only new ones are opened for it (delete "
                               "files.pickle when a file is written anew). First "
                               "imports of the workers are not in the saving: without preprocessing, the first chunks "
                               "wait for them.",
                               KEEP_METADATA, .brief = "preprocess once: keep runner.metadata_cache",
                               .arrow = "preprocess once"},
    [FINDING_MERGING] = {"Results are merged between chunks and after the last, and the client works on them: return "
                         "less from process(), or merge "
                         "in smaller steps (treereduction).",
                         .brief = "return less from process(), or merge in smaller steps", .arrow = "smaller results"},
    [FINDING_SCHEDULER] =
        {"[The scheduler is busy with small chunks: Runner(chunksize={chunksize}) (now {now}) makes "
         "{per_file}, {chunks} in total.|Few chunks are started per second, so it is not the number of "
         "them: look at limits on tasks, work on one file at a time, data that is moved first.]",
         SET_CHUNKSIZE,
         .brief = "[" CHUNKSIZE_BRIEF ": {per_file}|look for limits on tasks, and for data that is moved first]",
         .arrow = "larger chunks"},
    [FINDING_MEMORY_GROWTH] = {"Something is kept: results in the processor, caches, histograms that grow. [Most is "
                               "gained in section \"{section}\".|track_memory shows in which section.][ Highest: "
                               "{worker}.]",
                               .brief = "keep less from chunk to chunk in the processor, caches[, \"{section}\"]"},
    [FINDING_MEMORY_LIMIT] = {"Make chunks smaller[: Runner(chunksize={chunksize}) (now {now})], or give workers more "
                              "memory, before the engine pauses or kills them.[ Highest: {worker}.]",
                              SET_CHUNKSIZE,
                              .brief = "[" CHUNKSIZE_BRIEF "|smaller chunks], or more memory per worker"},
    [FINDING_SPILLING] =
        {"Return less from process(), make chunks smaller[: Runner(chunksize={chunksize}) (now {now})], "
         "or give workers more memory.[ Highest: {worker}.]",
         SET_CHUNKSIZE, .brief = "return less from process()[, " CHUNKSIZE_BRIEF "], or more memory"},
    [FINDING_WORKERS_LOST] =
        {"[Each lived {lifetime}: that is a time limit of the batch system; ask for more, or for "
         "more and shorter chunks.|[{hosts} hosts, spread over the cluster: preemption, the "
         "network, or a limit of the batch system; their logs say.|[Most were on {host}: look at "
         "that machine.|Find out why they died (memory, time limits, the network): their logs "
         "say.]]]",
         .brief = "[ask the batch system for more than {lifetime}|find out why workers died: their logs say]",
         .arrow = "keep workers"},
    [FINDING_OVER_READ] =
        {"Branches may be loaded ahead and not used[: most of the bytes are those of {collection}]. "
         "[Chunks end inside of clusters ({cluster} events each), which are then read twice: "
         "align_clusters.]",
         "runner.align_clusters = True  # clusters of {cluster} events\n",
         .brief = "[align_clusters=True: chunks end where clusters do|load no branches that are not used]"},
    [FINDING_LZMA] = {"LZMA takes several times the CPU time of ZSTD to unpack: repack files that are read often[, "
                      "first {file}].",
                      .brief = "repack the files with ZSTD[, first {file}]"},
    [FINDING_TOO_MANY_WORKERS] = {"[{workers}|Half the workers] would have done nearly as well.",
                                  "cluster.scale({workers})\n",
                                  .brief = "[{workers}|half the workers] would have done nearly as well"},
    [FINDING_SMALL_TASKS] =
        {"Dask takes about a millisecond for each task, whatever it does, so a task should take a tenth of "
         "a second or more: give each task more to do[, as much as {together} do now]; read larger "
         "chunks (step_size, steps_per_file, chunks), partitions (repartition) or lists of items.",
         .brief = "larger tasks[: {together} in one]", .arrow = "larger tasks"},
    [FINDING_NO_TASKS] =
        {"Tasks waited for the results of others, or had not been submitted yet: submit all work at once "
         "instead of waiting in between, add up as a tree instead of in one task, and look for steps "
         "that a single task does alone.",
         .brief = "submit all work at once, and add up as a tree"},
    [FINDING_TASKS_WAIT] =
        {"Dask does not tell what for: storage, locks (Python's own among threads of a worker), or a core "
         "where there are more threads than cores. Decorate the function with @track_metrics, which "
         "tells these apart.",
         .brief = "@track_metrics tells what tasks wait for"},
    [FINDING_RESIDUAL] = {"Records overlap, or something ran that was not recorded: see what the notes of the run say.",
                          .brief = "see the notes of the run"},
    [FINDING_INCOMPLETE] = {"Numbers stand for the chunks that were recorded. The notes say what went wrong.",
                            .brief = "see the notes of the run"},
    [FINDING_NOT_MEASURED] = {"Times of chunks, and what follows here, are of the workers that were measured. What the "
                              "others did is not known: they may have been as busy. The notes say why nothing was "
                              "measured there.",
                              .brief = "see the notes of the run"},
};

/* Where the executor hands out chunks in the process of the script, alone or to a pool of its own. */
static const advice_row LOCAL_ADVICE[FINDING_KIND_COUNT] = {
    [FINDING_START_UP] = {"Before the first chunk the processes of a pool start and import. A pool that is kept "
                          "(FuturesExecutor(pool=loky.ProcessPoolExecutor(…))) does that once, for preprocessing and "
                          "for every run.",
                          .brief = "keep a pool: FuturesExecutor(pool=…)", .arrow = "keep a pool"},
    [FINDING_PREPROCESSING] = {"Keep what coffea learns of the files, so that only new ones are opened for it (delete "
                               "files.pickle when a file is written anew).",
                               KEEP_METADATA, .brief = "preprocess once: keep runner.metadata_cache",
                               .arrow = "preprocess once"},
    [FINDING_SCHEDULER] =
        {"[The executor is busy with small chunks: Runner(chunksize={chunksize}) (now {now}) makes "
         "{per_file}, {chunks} in total.|Between chunks the executor merges results in the process of "
         "the script: return less from process().]",
         SET_CHUNKSIZE, .brief = "[" CHUNKSIZE_BRIEF ": {per_file}|return less from process()]",
         .arrow = "larger chunks"},
};

/* Where tasks are the work: there is no Runner that makes chunks. */
static const advice_row TASK_ADVICE[FINDING_KIND_COUNT] = {
    [FINDING_SLOW_PERIOD] =
        {"Nobody tells how much a task has to do: they may have been of another dataset. If all have as much, "
         "something that they share was slow for a while: the storage, the network, or the batch "
         "system.",
         .brief = "look whether these tasks had more to do"},
    [FINDING_STRAGGLERS] =
        {"[There are more of them {shared} than chance makes|They share no host or time]. If it is the "
         "same tasks again in the next run, look at what they are given; if not, at the machines.",
         .brief = "look at the slowest tasks"},
    [FINDING_TAIL] = {"Cut the long tasks into smaller ones, or submit them first.",
                      .brief = "cut the long tasks, or submit them first", .arrow = "smaller tasks"},
    [FINDING_TOO_FEW_CHUNKS] = {"Make tasks smaller, so that every core gets ten or more; or use fewer cores.",
                                .brief = "smaller tasks, ten or more per core", .arrow = "smaller tasks"},
    [FINDING_START_UP] =
        {"Before the first task the graph is made, optimised and sent, and workers import. Build it of fewer, "
         "larger tasks; send what is large once (client.scatter) instead of with the graph; let workers "
         "import before.",
         .brief = "a smaller graph, and workers that have imported", .arrow = "smaller graph"},
    [FINDING_MERGING] =
        {"After the last task the client gathers results and works on them: reduce them on the workers, and "
         "gather less.",
         .brief = "reduce results on the workers, and gather less", .arrow = "smaller results"},
    [FINDING_SCHEDULER] =
        {"Cores had been given tasks and did not run them: look at data that is moved first, at limits on "
         "tasks (resources, work on one worker), and at how busy the scheduler is.",
         .brief = "look for data that is moved first, and limits on tasks"},
    [FINDING_MEMORY_LIMIT] =
        {"Make tasks smaller, keep fewer results at once (release futures, reduce as you go), or give "
         "workers more memory, before Dask pauses or kills them.[ Highest: {worker}.]",
         .brief = "smaller tasks, fewer results at once, or more memory"},
    [FINDING_SPILLING] =
        {"Return less from each task, make tasks smaller, reduce results as they come, or give workers more "
         "memory.[ Highest: {worker}.]",
         .brief = "smaller results, reduced as they come, or more memory", .arrow = "smaller results"},
    [FINDING_CPU_BOUND] = {"Make the tasks cheaper, or use more cores.", .brief = "cheaper tasks, or more cores",
                           .arrow = "cheaper tasks"},
};

/* What to do about errors depends on whether they pass. To skip what may succeed later would throw events away. */
static const advice_row FAILURE_ADVICE[] = {
    [NATURE_UNCLEAR] =
        {"See what they say. An attempt that is made again tells whether the error passes: let the executor "
         "try more often (its argument retries).",
         .brief = "see what failed, or let the executor try more often: retries"},
    [NATURE_TRANSIENT] =
        {"Such errors may pass (connections, timeouts, lost workers; or a later attempt succeeded): let the "
         "executor try more often (its argument retries), or wait longer (Runner(xrootdtimeout=…)).",
         .brief = "let the executor try more often: retries"},
    [NATURE_PERMANENT] = {"It fails each time, so trying again will not help. See what it says: if the file is at "
                          "fault, repair it or read "
                          "another copy; if the processor is, correct that.",
                          .brief = "repair or leave out what fails each time"},
    [NATURE_BOTH] =
        {"Some errors may pass (connections, timeouts, lost workers): let the executor try more often (its argument "
         "retries). Files that fail each time have to be repaired, or read from another copy.",
         .brief = "repair what fails each time, and retry the rest"},
};

#define RUN_AGAIN                                                                                                      \
    "import coffea.processor\n"                                                                                        \
    "items = run.missing_items(runner, fileset)  # run = collector.run\n"                                              \
    "more = runner.run(items, processor_instance=analysis)[\"out\"]\n"                                                 \
    "output = coffea.processor.accumulate([output, more])\n"

static const advice_row MISSING_ADVICE[] = {
    [NATURE_UNCLEAR] =
        {"See what the errors say: a file that is cut short has to be repaired, or read from another copy. Then run "
         "again "
         "what is missing (run.missing_items(runner, fileset) gives it to the Runner), and add the outputs.",
         RUN_AGAIN, .brief = "run.missing_items(runner, fileset): run again what is missing"},
    [NATURE_TRANSIENT] =
        {"Such errors may pass (connections, timeouts, lost workers): run again what is missing "
         "(run.missing_items(runner, fileset) gives it to the Runner), and add the outputs. For the next run let "
         "the executor try more often (its argument retries).",
         RUN_AGAIN, .brief = "run.missing_items(runner, fileset): run again what is missing"},
    [NATURE_PERMANENT] =
        {"It fails each time: see what it says, and repair the file or take another copy, or correct the processor; "
         "then "
         "run again what is missing "
         "(run.missing_items(runner, fileset) gives it to the Runner), and add the outputs. If it has to be left "
         "out, take it out of the fileset and of the normalisation.",
         RUN_AGAIN, .brief = "run.missing_items(runner, fileset): run again what is missing"},
    [NATURE_BOTH] =
        {"Some errors may pass, some files fail each time: repair these, or take another copy, then run again what "
         "is missing (run.missing_items(runner, fileset) gives it to the Runner), and add the outputs.",
         RUN_AGAIN, .brief = "run.missing_items(runner, fileset): run again what is missing"},
    [NATURE_NO_RESULT] =
        {"The run raised, so there is no output that anything could be added to: see what failed, and run all of it "
         "again. "
         "If such errors may pass (connections, timeouts, lost workers), let the executor try more often (its argument "
         "retries); a file that fails each time has to be repaired, or read from another copy.",
         .brief = "see what failed, then run all of it again"},
};

static const advice_row *row_of(const finding *f)
{
    const advice_row *of_tasks = f->advice.of_tasks && TASK_ADVICE[f->kind].text ? &TASK_ADVICE[f->kind] : NULL;
    const advice_row *local = f->advice.local && LOCAL_ADVICE[f->kind].text ? &LOCAL_ADVICE[f->kind] : NULL;
    return f->kind == FINDING_FAILURES  ? &FAILURE_ADVICE[f->nature]
           : f->kind == FINDING_MISSING ? &MISSING_ADVICE[f->nature]
           : of_tasks                   ? of_tasks
           : local                      ? local
                                        : &ADVICE[f->kind];
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* 20_000, as Python takes it and people read it. */
static void put_python_int(buf *out, double number)
{
    buf digits = {0};
    buf_format(&digits, "%.0f", number);
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && (digits.len - i) % 3 == 0)
            buf_char(out, '_');
        buf_char(out, digits.data[i]);
    }
    out->code = out->code ? out->code : digits.code;
    buf_release(&digits);
}

static void put_per_file(buf *out, double chunks)
{
    if (chunks < 1.5)
        buf_text(out, "one chunk per file");
    else
        buf_format(out, "%.0f chunks per file", chunks);
}

/* Things of which there may be one have their name in words, and none in code. */
static void put_number(buf *out, advice_key key, double number, bool code)
{
    switch (key) {
    case ADVICE_CHUNKSIZE:
        put_python_int(out, number);
        break;
    case ADVICE_PER_FILE:
        put_per_file(out, number);
        break;
    case ADVICE_SECTION_SHARE:
        buf_format(out, "%.0f %%", number);
        break;
    case ADVICE_LIFETIME:
        format_seconds(out, number);
        break;
    case ADVICE_WORKERS:
        if (code)
            format_count(out, llround(number));
        else
            format_things(out, llround(number), "worker", "workers");
        break;
    default:
        format_count(out, (int64_t)llround(number));
        break;
    }
}

/* code: a name is a string of Python, whatever is in it; JSON's escapes are Python's. */
static void put_value(buf *out, const finding *f, advice_key key, bool code)
{
    const advice_value *value = &f->advice.values[key];
    if (str_absent(value->name))
        put_number(out, key, value->number, code);
    else if (code)
        json_put_quoted(out, value->name);
    else
        buf_str(out, value->name);
}

/* ---- Templates --------------------------------------------------------------------------------------------------- */

/* The key of "{key}" at the beginning of a template, and what follows; ADVICE_KEY_COUNT if there is none there. */
static advice_key placeholder_at(const char *at, const char **after)
{
    const char *end = *at == '{' ? strchr(at, '}') : NULL;
    for (int key = 0; end && key < ADVICE_KEY_COUNT; key++) {
        const char *id = advice_key_id((advice_key)key);
        if (strlen(id) == (size_t)(end - at - 1) && strncmp(at + 1, id, strlen(id)) == 0) {
            *after = end + 1;
            return (advice_key)key;
        }
    }
    return ADVICE_KEY_COUNT;
}

/* Whether all placeholders until end are known; those inside of brackets see for themselves. */
static bool all_known(const finding *f, const char *at, const char *end)
{
    for (int depth = 0; at < end; at++) {
        const char *after;
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        advice_key key = depth == 0 ? placeholder_at(at, &after) : ADVICE_KEY_COUNT;
        if (key != ADVICE_KEY_COUNT && !advice_known(&f->advice.values[key]))
            return false;
    }
    return true;
}

/* Where the brackets that were opened just before close, and the bar between them, if there is one. */
static const char *find_close(const char *at, const char **bar)
{
    int depth = 0;
    for (*bar = NULL; *at && !(*at == ']' && depth == 0); at++) {
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (*at == '|' && depth == 0)
            *bar = at;
    }
    return at;
}

static void put_template(buf *out, const finding *f, const char *at, const char *end)
{
    while (at < end) {
        const char *after, *bar;
        advice_key key = placeholder_at(at, &after);
        if (key != ADVICE_KEY_COUNT) {
            put_value(out, f, key, false);
            at = after;
        } else if (*at == '[') {
            const char *close = find_close(at + 1, &bar), *so_far = bar ? bar : close;
            if (all_known(f, at + 1, so_far))
                put_template(out, f, at + 1, so_far);
            else if (bar)
                put_template(out, f, bar + 1, close);
            at = close + 1;
        } else {
            buf_char(out, *at++);
        }
    }
}

static void put_words(buf *out, const finding *f, const char *text)
{
    if (text)
        put_template(out, f, text, text + strlen(text));
}

void advice_text(buf *out, const finding *f)
{
    put_words(out, f, row_of(f)->text);
}

void advice_brief(buf *out, const finding *f)
{
    put_words(out, f, row_of(f)->brief);
}

static bool code_known(const finding *f, const char *code)
{
    for (const char *at = code; *at; at++) {
        const char *after;
        advice_key key = placeholder_at(at, &after);
        if (key != ADVICE_KEY_COUNT && !advice_known(&f->advice.values[key]))
            return false;
    }
    return true;
}

const char *advice_arrow(const finding *f)
{
    const advice_row *row = row_of(f);
    return row->arrow && (!row->code || code_known(f, row->code)) ? row->arrow : "";
}

static bool needs_cluster(const char *code)
{
    return strstr(code, "client.") || strstr(code, "cluster.");
}

void advice_code(buf *out, const finding *f)
{
    const char *at = row_of(f)->code;
    if (!at || !code_known(f, at) || (f->advice.no_cluster && needs_cluster(at)))
        return;
    while (*at) {
        const char *after;
        advice_key key = placeholder_at(at, &after);
        if (key == ADVICE_KEY_COUNT) {
            buf_char(out, *at++);
        } else {
            put_value(out, f, key, true);
            at = after;
        }
    }
}

/* ---- What it is not ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *id, *before, *after, *unit, *none; /* none: said instead where the value is 0 */
} ACQUITTED[SUSPECT_COUNT] = {
    [SUSPECT_MEMORY] = {"memory", "memory: at most ", " of the limit", "%", NULL},
    [SUSPECT_SPILLING] = {"spilling", "spilling: ", "", "B", "spilling: none"},
    [SUSPECT_WAITING] = {"waiting", "I/O or locks: ", " of chunk time", "%", NULL},
    [SUSPECT_NO_CORE] = {"no_core", "waiting for a CPU core: ", " of chunk time", "%", NULL},
    [SUSPECT_SCHEDULER] = {"scheduler", "waiting for the scheduler: ", " of core time", "%", NULL},
    [SUSPECT_LOSSES] = {"losses", "lost workers: ", "", "count", "lost workers: none"},
    [SUSPECT_ONE_HOST] = {"one_host", "a single machine: ", " hosts", "count", NULL},
};

static void put_acquittal(buf *out, const acquittal *a)
{
    if (!(a->value > 0) && ACQUITTED[a->of].none) {
        buf_text(out, ACQUITTED[a->of].none);
        return;
    }
    buf_text(out, ACQUITTED[a->of].before);
    format_value(out, (roast_value){.kind = ROAST_REAL, .as.real = a->value}, ACQUITTED[a->of].unit, FORM_UNIT);
    buf_text(out, ACQUITTED[a->of].after);
}

void advice_ruled_out(buf *out, const finding *f)
{
    for (size_t i = 0; i < f->advice.n_ruled_out; i++) {
        buf_text(out, i ? "; " : "");
        put_acquittal(out, &f->advice.ruled_out[i]);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_put_made(json_writer *w, const char *key, void (*make)(buf *, const finding *), const finding *f)
{
    buf text = {0};
    make(&text, f);
    json_put_text(w, key, text.len ? buf_view(&text) : str_none());
    w->out->code = w->out->code ? w->out->code : text.code;
    buf_release(&text);
}

void advice_json(json_writer *w, const finding *f)
{
    json_put_made(w, "advice", advice_text, f);
    json_put_made(w, "code", advice_code, f);
    json_put_open(w, "values", '{');
    for (int key = 0; key < ADVICE_KEY_COUNT; key++) {
        const advice_value *value = &f->advice.values[key];
        if (!str_absent(value->name))
            json_put_text(w, advice_key_id((advice_key)key), value->name);
        else if (advice_known(value))
            json_put_real(w, advice_key_id((advice_key)key), value->number);
    }
    json_put_close(w, '}');
    json_put_open(w, "ruled_out", '{');
    for (size_t i = 0; i < f->advice.n_ruled_out; i++)
        json_put_real(w, ACQUITTED[f->advice.ruled_out[i].of].id, f->advice.ruled_out[i].value);
    json_put_close(w, '}');
}
