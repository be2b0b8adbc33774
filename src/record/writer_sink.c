/* A sink that writes each record to a run: the one place where sources, which do not know the run file, meet it. */
#include "record/writer_sink.h"

static roast_code put_fact(void *writer, const char *key, roast_str value, roast_error *err)
{
    return run_write_fact(writer, key, value, err);
}

static roast_code put_fact_int(void *writer, const char *key, int64_t value, roast_error *err)
{
    return run_write_fact_int(writer, key, value, err);
}

static roast_code put_given(void *writer, roast_str metric, roast_value value, roast_error *err)
{
    return run_write_given(writer, metric, value, err);
}

static roast_code put_worker(void *writer, const roast_worker *worker, roast_error *err)
{
    return run_write_worker(writer, worker, err);
}

static roast_code put_sample(void *writer, const roast_sample *sample, roast_error *err)
{
    return run_write_sample(writer, sample, err);
}

static roast_code put_count(void *writer, const roast_worker_count *count, roast_error *err)
{
    return run_write_count(writer, count, err);
}

static roast_code put_chunk(void *writer, const roast_chunk *chunk, roast_error *err)
{
    return run_write_chunk(writer, chunk, err);
}

static roast_code put_file(void *writer, const roast_file *file, roast_error *err)
{
    return run_write_file(writer, file, err);
}

static roast_code put_task(void *writer, const roast_task *task, roast_error *err)
{
    return run_write_task(writer, task, err);
}

static roast_code put_activity(void *writer, const roast_activity *activity, roast_error *err)
{
    return run_write_activity(writer, activity, err);
}

static roast_code put_document(void *writer, const char *kind, roast_str json, roast_error *err)
{
    return run_write_document(writer, kind, json, err);
}

static roast_code put_note(void *writer, const char *level, roast_str text, roast_error *err)
{
    return run_write_note(writer, level, text, err);
}

record_sink writer_sink(run_writer *writer)
{
    return (record_sink){.context = writer,
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
                         .note = put_note};
}
