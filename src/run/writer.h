/* Writing a run file: one statement per kind of record. Not thread-safe; the recorder wraps it. */
#ifndef RUN_WRITER_H
#define RUN_WRITER_H

#include <roast.h>

typedef struct run_writer run_writer;

/* path ":memory:" keeps the run in memory, to be read with run_writer_into_run. */
roast_code run_writer_open(run_writer **out, const char *path, const roast_recorder_options *options, roast_error *err);

/* Overwriting is for runs: whatever else stands there is not ours to remove. */
roast_code run_check_replaceable(const char *path, roast_error *err);

roast_code run_write_fact(run_writer *w, const char *key, roast_str value, roast_error *err);
roast_code run_write_fact_int(run_writer *w, const char *key, int64_t value, roast_error *err);
/* A metric that its source states and that no record can give; analysis takes it where it has nothing better. */
roast_code run_write_given(run_writer *w, roast_str metric, roast_value value, roast_error *err);
roast_code run_write_worker(run_writer *w, const roast_worker *worker, roast_error *err);
roast_code run_write_sample(run_writer *w, const roast_sample *sample, roast_error *err);
roast_code run_write_count(run_writer *w, const roast_worker_count *count, roast_error *err);
roast_code run_write_chunk(run_writer *w, const roast_chunk *chunk, roast_error *err);
roast_code run_write_file(run_writer *w, const roast_file *file, roast_error *err);
roast_code run_write_task(run_writer *w, const roast_task *task, roast_error *err);
roast_code run_write_work(run_writer *w, const roast_work *work, roast_error *err);
roast_code run_write_activity(run_writer *w, const roast_activity *activity, roast_error *err);
/* "report": coffea's report; "custom_metrics": per dataset; "config": the user's configuration. */
roast_code run_write_document(run_writer *w, const char *kind, roast_str json, roast_error *err);
roast_code run_write_note(run_writer *w, const char *level, roast_str text, roast_error *err);

roast_code run_writer_commit(run_writer *w, roast_error *err);
/* Takes the writer with it, even if it fails. */
/* The outcome, and all that was written, in the file itself; a reader may keep some of it beside the file. */
roast_code run_writer_finish(run_writer *w, roast_outcome outcome, roast_error *err);
roast_code run_writer_close(run_writer *w, roast_outcome outcome, roast_error *err);
/* Turns an in-memory writer into the run it wrote. Takes the writer with it. */
roast_code run_writer_into_run(run_writer *w, roast_outcome outcome, roast_run **out, roast_error *err);

#endif
