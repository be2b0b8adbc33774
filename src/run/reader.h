/* Reading a run: small tables are in memory, large ones are visited row by row. */
#ifndef RUN_READER_H
#define RUN_READER_H

#include <roast.h>

struct sqlite3;

/* Indices of rows in the small tables; RUN_UNKNOWN where the record names none. */
#define RUN_UNKNOWN UINT32_MAX

typedef struct run_chunk {
    int64_t id;
    uint32_t dataset, file, worker, branch_set;
    bool nameless_set;  /* it read a set of branches of which no names are known (yet) */
    roast_chunk record; /* strings filled in; sections, branches and custom are visited apart */
} run_chunk;

typedef struct run_section {
    int64_t chunk;
    uint32_t name, parent;
    roast_section record;
} run_section;

typedef struct run_sample {
    uint32_t worker;
    int64_t host_ns; /* its time by the clock of its host, which the host's workers share */
    roast_sample record;
} run_sample;

typedef struct run_work {
    uint32_t dataset, file; /* RUN_UNKNOWN for file: the dataset as a whole */
    roast_work record;
} run_work;

/* Small tables. Borrowed from the run; what is out of range gives an absent string or NULL. */
size_t run_datasets(const roast_run *run);
roast_str run_dataset(const roast_run *run, uint32_t dataset);
const char *run_path(const roast_run *run); /* as it was opened; NULL if it is in memory */
roast_code run_came_from(roast_run *run, const char *path, roast_error *err); /* what is in memory was read there */
size_t run_names(const roast_run *run);
roast_str run_name(const roast_run *run, uint32_t name);
size_t run_workers(const roast_run *run);
const roast_worker *run_worker(const roast_run *run, uint32_t worker);
size_t run_files(const roast_run *run);
const roast_file *run_file(const roast_run *run, uint32_t file); /* without branches */
/* The branches of a set, as names. */
size_t run_branch_sets(const roast_run *run);
const uint32_t *run_branch_set(const roast_run *run, uint32_t set, size_t *count);
size_t run_counts(const roast_run *run);
size_t run_activities(const roast_run *run);
size_t run_givens(const roast_run *run);
roast_str run_given(const roast_run *run, size_t index, roast_value *value);
/* Notes: those in the file, then those made while reading (what could not be read). */
typedef struct run_note {
    int64_t t_ns;
    roast_str level, text;
} run_note;
size_t run_notes(const roast_run *run);
const run_note *run_note_at(const roast_run *run, size_t index);

/* Every fact of the run as text, in the order of their keys. */
size_t run_facts(const roast_run *run);
int64_t run_fact_int(const roast_run *run, const char *key); /* ROAST_ABSENT if it is not known */
/* A number in a document, by a JSON path such as "$.entries"; run_document_sum sums it over the members of the
 * document, where the path is that within a member. NAN if it is not there, or not a number. */
roast_code run_document_number(roast_run *run, const char *kind, const char *path, double *out, roast_error *err);
roast_code run_document_sum(roast_run *run, const char *kind, const char *path, double *out, roast_error *err);
/* How many distinct texts of an array end in a suffix; ROAST_ABSENT if there is no such array. */
roast_code run_document_count(roast_run *run, const char *kind, const char *path, const char *suffix, int64_t *out,
                              roast_error *err);

/* Makes a run of a database that is open already, in memory. Takes the database, even if it fails. */
roast_code run_adopt(roast_run **out, struct sqlite3 *db, roast_error *err);

/* How much of a row is read: fetching columns is most of the cost of a visit. */
typedef enum run_detail {
    RUN_MEASURES, /* what analysis sums up: no ids, ends of ranges, threads or counters of single attempts */
    RUN_EVERYTHING
} run_detail;

/* Visits rows in the order they were recorded. Times are on the client's clock: those that a worker's clock told have
 * been corrected by its offset (model/facts.h), here and nowhere else.
 * A visitor that returns anything but ROAST_OK ends the visit and
 * its code is returned. A damaged row ends the visit with ROAST_CORRUPT, or with a note if the run was opened to
 * salvage. */
typedef roast_code (*run_chunk_visit)(void *context, const run_chunk *row);
typedef roast_code (*run_section_visit)(void *context, const run_section *row);
typedef roast_code (*run_sample_visit)(void *context, const run_sample *row);
typedef roast_code (*run_branch_visit)(void *context, uint32_t file, uint32_t name, const roast_branch *row);
typedef roast_code (*run_custom_visit)(void *context, int64_t chunk, uint32_t name, roast_str msgpack);
roast_code run_each_chunk(roast_run *run, run_detail detail, run_chunk_visit visit, void *context, roast_error *err);
roast_code run_each_section(roast_run *run, run_detail detail, run_section_visit visit, void *context,
                            roast_error *err);
roast_code run_each_sample(roast_run *run, run_detail detail, run_sample_visit visit, void *context, roast_error *err);
roast_code run_each_branch(roast_run *run, run_branch_visit visit, void *context, roast_error *err);
roast_code run_count_branches(roast_run *run, size_t *count, roast_error *err); /* much faster than visiting them */
/* Those of the files from the first to the last of these. */
roast_code run_each_branch_of(roast_run *run, uint32_t first_file, uint32_t last_file, run_branch_visit visit,
                              void *context, roast_error *err);
typedef roast_code (*run_work_visit)(void *context, const run_work *row);
roast_code run_each_work(roast_run *run, run_work_visit visit, void *context, roast_error *err);
roast_code run_each_custom(roast_run *run, run_custom_visit visit, void *context, roast_error *err);

/* Rows that were not there before: position says how far each table was read, and is moved on. A visitor may be NULL:
 * its table is left for later. */
typedef struct run_position {
    int64_t chunk, section, sample, custom, task, work;
} run_position;

typedef struct run_visitors {
    run_chunk_visit chunk;
    run_section_visit section;
    run_sample_visit sample;
    run_custom_visit custom;
    roast_task_visit task;
    run_work_visit work;
} run_visitors;

roast_code run_each_new(roast_run *run, run_detail detail, run_position *position, const run_visitors *visitors,
                        void *context, roast_error *err);
/* Rows beyond damage are visited backward: where a visit ended does not say which rows it had. */
bool run_salvages(const roast_run *run);
/* From 1; another one after each refresh. */
uint64_t run_generation(const roast_run *run);

#endif
