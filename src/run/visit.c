/* The rows of a run for those outside: as records, without the numbers of rows that analysis goes by. */
#include "base/str.h"
#include "run/reader.h"

typedef struct visitor {
    const roast_run *run;
    void *context;
    union {
        roast_chunk_visit chunk;
        roast_section_visit section;
        roast_custom_visit custom;
        roast_sample_visit sample;
        roast_branch_visit branch;
    } call;
} visitor;

static roast_code pass_chunk(void *context, const run_chunk *row)
{
    const visitor *v = context;
    return v->call.chunk(v->context, row->id, &row->record);
}

static roast_code pass_section(void *context, const run_section *row)
{
    const visitor *v = context;
    return v->call.section(v->context, row->chunk, &row->record);
}

static roast_code pass_custom(void *context, int64_t chunk, uint32_t name, roast_str msgpack)
{
    const visitor *v = context;
    return v->call.custom(v->context, chunk, &(roast_custom){run_name(v->run, name), msgpack});
}

static roast_code pass_sample(void *context, const run_sample *row)
{
    const visitor *v = context;
    return v->call.sample(v->context, &row->record);
}

static roast_code pass_branch(void *context, uint32_t file, uint32_t name, const roast_branch *row)
{
    const visitor *v = context;
    (void)name;
    const roast_file *of = run_file(v->run, file);
    return of ? v->call.branch(v->context, of, row) : ROAST_OK; /* a damaged file may name one that is not there */
}

roast_code roast_run_visit_chunks(roast_run *run, roast_chunk_visit visit, void *context, roast_error *err)
{
    return run_each_chunk(run, RUN_EVERYTHING, pass_chunk, &(visitor){run, context, {.chunk = visit}}, err);
}

roast_code roast_run_visit_sections(roast_run *run, roast_section_visit visit, void *context, roast_error *err)
{
    return run_each_section(run, RUN_EVERYTHING, pass_section, &(visitor){run, context, {.section = visit}}, err);
}

roast_code roast_run_visit_custom(roast_run *run, roast_custom_visit visit, void *context, roast_error *err)
{
    return run_each_custom(run, pass_custom, &(visitor){run, context, {.custom = visit}}, err);
}

roast_code roast_run_visit_samples(roast_run *run, roast_sample_visit visit, void *context, roast_error *err)
{
    return run_each_sample(run, RUN_EVERYTHING, pass_sample, &(visitor){run, context, {.sample = visit}}, err);
}

roast_code roast_run_visit_branches(roast_run *run, roast_branch_visit visit, void *context, roast_error *err)
{
    return run_each_branch(run, pass_branch, &(visitor){run, context, {.branch = visit}}, err);
}

const roast_worker *roast_run_worker(const roast_run *run, size_t index)
{
    return index < run_workers(run) ? run_worker(run, (uint32_t)index) : NULL;
}

const roast_file *roast_run_file(const roast_run *run, size_t index)
{
    return index < run_files(run) ? run_file(run, (uint32_t)index) : NULL;
}

roast_str roast_run_note(const roast_run *run, size_t index, roast_str *level)
{
    const run_note *note = index < run_notes(run) ? run_note_at(run, index) : NULL;
    *level = note ? note->level : str_none();
    return note ? note->text : str_none();
}
