/* The recorder: a writer that threads may share, and that commits by itself. A thread of its own commits every
 * second, so that a record is safe even if none follows it. After a failure it drops records instead of failing the
 * job again and again; what was committed stays. */
#include "record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "record/unpack.h"
#include "run/writer.h"

/* A little under a second, so that on a busy machine a second is kept too. */
enum { COMMIT_RECORDS = 1000, COMMIT_MILLISECONDS = 700 };

struct roast_recorder {
    pthread_mutex_t lock;
    pthread_cond_t closing_signal;
    pthread_t committer;
    run_writer *writer;
    size_t pending; /* records since the last commit */
    bool in_memory; /* nothing to commit: no thread */
    bool closing;
    roast_error first_error;
};

static void note_failure(roast_recorder *recorder, const roast_error *err)
{
    if (!recorder->first_error.code)
        recorder->first_error = *err;
}

/* With the lock held. */
static void commit(roast_recorder *recorder)
{
    roast_error err = {0};
    if (recorder->pending && !recorder->first_error.code && run_writer_commit(recorder->writer, &err))
        note_failure(recorder, &err);
    recorder->pending = 0;
}

static void *commit_every_second(void *argument)
{
    roast_recorder *recorder = argument;
    pthread_mutex_lock(&recorder->lock);
    while (!recorder->closing) {
        int64_t until = clock_monotonic_ns() + COMMIT_MILLISECONDS * (NS_PER_S / 1000);
        struct timespec deadline = {(time_t)(until / NS_PER_S), (long)(until % NS_PER_S)};
        if (pthread_cond_timedwait(&recorder->closing_signal, &recorder->lock, &deadline) == ETIMEDOUT)
            commit(recorder);
    }
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

static bool init_lock(roast_recorder *recorder)
{
    pthread_condattr_t monotonic;
    if (pthread_mutex_init(&recorder->lock, NULL))
        return false;
    bool made = pthread_condattr_init(&monotonic) == 0;
    if (made) {
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        made = pthread_cond_init(&recorder->closing_signal, &monotonic) == 0;
        pthread_condattr_destroy(&monotonic);
    }
    if (!made)
        pthread_mutex_destroy(&recorder->lock);
    return made;
}

static void destroy_lock(roast_recorder *recorder)
{
    pthread_cond_destroy(&recorder->closing_signal);
    pthread_mutex_destroy(&recorder->lock);
}

roast_code roast_recorder_open(roast_recorder **out, const char *path, const roast_recorder_options *options,
                               roast_error *err)
{
    *out = NULL;
    roast_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder || !init_lock(recorder)) {
        free(recorder);
        return fail_memory(err);
    }
    recorder->in_memory = strcmp(path, ":memory:") == 0;
    roast_code code = run_writer_open(&recorder->writer, path, options, err);
    if (!code && !recorder->in_memory && pthread_create(&recorder->committer, NULL, commit_every_second, recorder)) {
        run_writer_close(recorder->writer, ROAST_INTERRUPTED, NULL);
        code = fail(err, ROAST_IO, "%s: no thread can be started to write it", path);
    }
    if (code) {
        destroy_lock(recorder);
        free(recorder);
        return code;
    }
    *out = recorder;
    return ROAST_OK;
}

/* Every record goes through these two. */
static bool begin_record(roast_recorder *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    return !recorder->first_error.code;
}

static roast_code end_record(roast_recorder *recorder, roast_code code, roast_error *err)
{
    /* A record that makes no sense is the caller's mistake and does not stop the others. */
    if (code && code != ROAST_USAGE)
        note_failure(recorder, err);
    if (!code && ++recorder->pending >= COMMIT_RECORDS)
        commit(recorder);
    if (!code && recorder->first_error.code)
        *err = recorder->first_error;
    roast_code result = code ? code : recorder->first_error.code;
    pthread_mutex_unlock(&recorder->lock);
    return result;
}

/* ---- As a sink ----------------------------------------------------------------------------------------------- */

#define RECORD(context, call)                                                                                          \
    do {                                                                                                               \
        roast_recorder *recorder = (context);                                                                          \
        roast_error unused = {0};                                                                                      \
        err = err ? err : &unused;                                                                                     \
        roast_code code = begin_record(recorder) ? (call) : ROAST_OK;                                                  \
        return end_record(recorder, code, err);                                                                        \
    } while (0)

static roast_code put_fact(void *context, const char *key, roast_str value, roast_error *err)
{
    RECORD(context, run_write_fact(recorder->writer, key, value, err));
}

static roast_code put_fact_int(void *context, const char *key, int64_t value, roast_error *err)
{
    RECORD(context, run_write_fact_int(recorder->writer, key, value, err));
}

static roast_code put_given(void *context, roast_str metric, roast_value value, roast_error *err)
{
    RECORD(context, run_write_given(recorder->writer, metric, value, err));
}

static roast_code put_worker(void *context, const roast_worker *worker, roast_error *err)
{
    RECORD(context, run_write_worker(recorder->writer, worker, err));
}

static roast_code put_sample(void *context, const roast_sample *sample, roast_error *err)
{
    RECORD(context, run_write_sample(recorder->writer, sample, err));
}

static roast_code put_count(void *context, const roast_worker_count *count, roast_error *err)
{
    RECORD(context, run_write_count(recorder->writer, count, err));
}

static roast_code put_chunk(void *context, const roast_chunk *chunk, roast_error *err)
{
    RECORD(context, run_write_chunk(recorder->writer, chunk, err));
}

static roast_code put_file(void *context, const roast_file *file, roast_error *err)
{
    RECORD(context, run_write_file(recorder->writer, file, err));
}

static roast_code put_task(void *context, const roast_task *task, roast_error *err)
{
    RECORD(context, run_write_task(recorder->writer, task, err));
}

static roast_code put_activity(void *context, const roast_activity *activity, roast_error *err)
{
    RECORD(context, run_write_activity(recorder->writer, activity, err));
}

static roast_code put_work(void *context, const roast_work *work, roast_error *err)
{
    RECORD(context, run_write_work(recorder->writer, work, err));
}

static roast_code put_document(void *context, const char *kind, roast_str json, roast_error *err)
{
    RECORD(context, run_write_document(recorder->writer, kind, json, err));
}

static roast_code put_note(void *context, const char *level, roast_str text, roast_error *err)
{
    RECORD(context, run_write_note(recorder->writer, level, text, err));
}

record_sink recorder_sink(roast_recorder *recorder)
{
    return (record_sink){
        .context = recorder,
        .fact = put_fact,
        .fact_int = put_fact_int,
        .given = put_given,
        .worker = put_worker,
        .sample = put_sample,
        .count = put_count,
        .chunk = put_chunk,
        .file = put_file,
        .task = put_task,
        .activity = put_activity,
        .document = put_document,
        .note = put_note,
    };
}

/* ---- Record by record ---------------------------------------------------------------------------------------- */

roast_code roast_record_fact(roast_recorder *recorder, const char *key, roast_str value)
{
    return put_fact(recorder, key, value, NULL);
}

roast_code roast_record_fact_int(roast_recorder *recorder, const char *key, int64_t value)
{
    return put_fact_int(recorder, key, value, NULL);
}

roast_code roast_record_worker(roast_recorder *recorder, const roast_worker *worker)
{
    return put_worker(recorder, worker, NULL);
}

roast_code roast_record_sample(roast_recorder *recorder, const roast_sample *sample)
{
    return put_sample(recorder, sample, NULL);
}

roast_code roast_record_worker_count(roast_recorder *recorder, const roast_worker_count *count)
{
    return put_count(recorder, count, NULL);
}

roast_code roast_record_chunk(roast_recorder *recorder, const roast_chunk *chunk)
{
    return put_chunk(recorder, chunk, NULL);
}

roast_code roast_record_file(roast_recorder *recorder, const roast_file *file)
{
    return put_file(recorder, file, NULL);
}

roast_code roast_record_task(roast_recorder *recorder, const roast_task *task)
{
    return put_task(recorder, task, NULL);
}

roast_code roast_record_work(roast_recorder *recorder, const roast_work *work)
{
    return put_work(recorder, work, NULL);
}

roast_code roast_record_activity(roast_recorder *recorder, const roast_activity *activity)
{
    return put_activity(recorder, activity, NULL);
}

roast_code roast_record_note(roast_recorder *recorder, const char *level, roast_str text)
{
    return put_note(recorder, level, text, NULL);
}

roast_code roast_record_report(roast_recorder *recorder, roast_str json)
{
    return put_document(recorder, "report", json, NULL);
}

roast_code roast_record_custom_metrics(roast_recorder *recorder, roast_str json)
{
    return put_document(recorder, "custom_metrics", json, NULL);
}

static roast_code write_unpacked(run_writer *writer, unpacked *record, roast_str worker, roast_error *err)
{
    if (record->kind == PACKED_FILE)
        return run_write_file(writer, &record->file, err);
    if (record->kind == PACKED_CHUNK) {
        if (!record->chunk.worker.ptr)
            record->chunk.worker = worker;
        return run_write_chunk(writer, &record->chunk, err);
    }
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < record->n_samples; i++) {
        record->samples[i].worker = worker;
        code = run_write_sample(writer, &record->samples[i], err);
    }
    return code;
}

roast_code roast_record_packed(roast_recorder *recorder, roast_str packed, roast_str worker, roast_error *err)
{
    arena memory = {0};
    unpacked record;
    roast_error local;
    err = err ? err : &local;
    *err = (roast_error){0};
    roast_code code = unpack_record(&record, &memory, packed, err);
    if (!code) {
        bool writable = begin_record(recorder);
        code = writable ? write_unpacked(recorder->writer, &record, worker, err) : ROAST_OK;
        code = end_record(recorder, code, err);
    }
    arena_release(&memory);
    return code;
}

roast_code roast_recorder_flush(roast_recorder *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    commit(recorder);
    roast_code code = recorder->first_error.code;
    pthread_mutex_unlock(&recorder->lock);
    return code;
}

roast_code roast_recorder_status(roast_recorder *recorder, roast_error *err)
{
    pthread_mutex_lock(&recorder->lock);
    roast_error first = recorder->first_error;
    pthread_mutex_unlock(&recorder->lock);
    if (err)
        *err = first;
    return first.code;
}

roast_code roast_recorder_finish(roast_recorder *target, roast_outcome outcome, roast_error *err)
{
    RECORD(target, run_writer_finish(recorder->writer, outcome, err));
}

/* Frees the recorder, and gives its writer back. */
static run_writer *stop_recording(roast_recorder *recorder, roast_error *first_error)
{
    pthread_mutex_lock(&recorder->lock);
    recorder->closing = true;
    pthread_cond_signal(&recorder->closing_signal);
    pthread_mutex_unlock(&recorder->lock);
    if (!recorder->in_memory)
        pthread_join(recorder->committer, NULL);
    run_writer *writer = recorder->writer;
    *first_error = recorder->first_error;
    destroy_lock(recorder);
    free(recorder);
    return writer;
}

roast_code roast_recorder_close(roast_recorder *recorder, roast_outcome outcome, roast_error *err)
{
    if (!recorder)
        return ROAST_OK;
    roast_error first, closing = {0};
    run_writer *writer = stop_recording(recorder, &first);
    /* A run whose records could not all be written has not finished. */
    roast_code code = run_writer_close(writer, first.code ? ROAST_INTERRUPTED : outcome, &closing);
    if (err && (first.code || code))
        *err = first.code ? first : closing;
    return first.code ? first.code : code;
}

roast_code recorder_into_run(roast_recorder *recorder, roast_run **out, roast_error *err)
{
    roast_error first;
    run_writer *writer = stop_recording(recorder, &first);
    return run_writer_into_run(writer, ROAST_FINISHED, out, err);
}
