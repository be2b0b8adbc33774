/* What the engine tells of its tasks. Fine metrics are its own account of what they did, split into the processor's
 * tasks and the rest. By kind, there is also how many there were, how long they took and what they returned. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"

typedef struct prefix_tally {
    bool processor;
    bool active; /* there are activities of it */
    double cpu, noncpu, other, memory_read;
    double overhead, spilling; /* of other */
} prefix_tally;

typedef struct fine_sums {
    double processor_cpu, processor_noncpu, overhead_cpu, overhead_noncpu;
    double memory_read, disk_read, disk_write;           /* bytes */
    double compress, decompress, serialize, deserialize; /* seconds */
} fine_sums;

/* Without a processor's name, or without a Runner that would run it, everything is the processor's. */
static bool is_processor(const analysis *a, roast_str prefix)
{
    roast_str processor = roast_run_fact(a->run, "processor");
    return str_absent(processor) || str_equal(prefix, processor) || tasks_are_work(&a->tasks, &a->ledger, a->run);
}

static void add_activity(fine_sums *sums, prefix_tally *prefix, const roast_activity *activity)
{
    double value = activity->value;
    activity_kind kind = activity_kind_of(activity);
    prefix->overhead += kind == ACTIVITY_OVERHEAD ? value : 0;
    prefix->spilling += kind == ACTIVITY_SPILLING ? value : 0;
    bool bytes = str_equal(activity->unit, STR("bytes")), seconds = str_equal(activity->unit, STR("seconds"));
    struct {
        roast_str name;
        bool counts;
        double *sum, *of_prefix;
    } const kinds[] = {
        {STR("thread-cpu"), seconds, prefix->processor ? &sums->processor_cpu : &sums->overhead_cpu, &prefix->cpu},
        {STR("thread-noncpu"), seconds, prefix->processor ? &sums->processor_noncpu : &sums->overhead_noncpu,
         &prefix->noncpu},
        {STR("memory-read"), bytes, &sums->memory_read, &prefix->memory_read},
        {STR("disk-read"), bytes, &sums->disk_read, NULL},
        {STR("disk-write"), bytes, &sums->disk_write, NULL},
        {STR("compress"), seconds, &sums->compress, &prefix->other},
        {STR("decompress"), seconds, &sums->decompress, &prefix->other},
        {STR("serialize"), seconds, &sums->serialize, &prefix->other},
        {STR("deserialize"), seconds, &sums->deserialize, &prefix->other},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!str_equal(activity->activity, kinds[i].name))
            continue;
        if (!kinds[i].counts)
            return;
        *kinds[i].sum += value;
        if (kinds[i].of_prefix)
            *kinds[i].of_prefix += value;
        return;
    }
    if (seconds)
        prefix->other += value;
}

static void set_sums(roast_summary *summary, const fine_sums *sums)
{
    double processor = sums->processor_cpu + sums->processor_noncpu;
    summary_set_real(summary, M_run_processor_cpu_time_seconds, sums->processor_cpu);
    summary_set_real(summary, M_run_processor_noncpu_time_seconds, sums->processor_noncpu);
    summary_set_real(summary, M_run_processor_cpu_percentage, ratio(sums->processor_cpu * 100, processor));
    summary_set_real(summary, M_run_processor_noncpu_percentage, ratio(sums->processor_noncpu * 100, processor));
    summary_set_real(summary, M_run_overhead_cpu_time_seconds, sums->overhead_cpu);
    summary_set_real(summary, M_run_overhead_noncpu_time_seconds, sums->overhead_noncpu);
    summary_set_int(summary, M_run_total_bytes_memory_read, whole_number(sums->memory_read));
    summary_set_int(summary, M_run_disk_read_bytes, whole_number(sums->disk_read));
    summary_set_int(summary, M_run_disk_write_bytes, whole_number(sums->disk_write));
    summary_set_real(summary, M_run_compression_time_seconds, sums->compress);
    summary_set_real(summary, M_run_decompression_time_seconds, sums->decompress);
    summary_set_real(summary, M_run_total_compression_overhead_seconds, sums->compress + sums->decompress);
    summary_set_real(summary, M_run_serialization_time_seconds, sums->serialize);
    summary_set_real(summary, M_run_deserialization_time_seconds, sums->deserialize);
    summary_set_real(summary, M_run_total_serialization_overhead_seconds, sums->serialize + sums->deserialize);
}

static void fill_activities(roast_summary *summary, size_t row, const prefix_tally *prefix)
{
    summary_cell_int(summary, M_activity_processor, row, prefix->processor);
    summary_cell_real(summary, M_activity_cpu_seconds, row, prefix->cpu);
    summary_cell_real(summary, M_activity_noncpu_seconds, row, prefix->noncpu);
    summary_cell_real(summary, M_activity_other_seconds, row, prefix->other);
    summary_cell_int(summary, M_activity_memory_read_bytes, row, whole_number(prefix->memory_read));
    summary_cell_real(summary, M_activity_overhead_seconds, row, prefix->overhead);
    summary_cell_real(summary, M_activity_spilling_seconds, row, prefix->spilling);
}

static void fill_tasks(roast_summary *summary, size_t row, const task_tally *tally)
{
    double seconds = clock_seconds(tally->ns);
    summary_cell_int(summary, M_activity_num_tasks, row, tally->done);
    summary_cell_int(summary, M_activity_failed, row, tally->failed + tally->killed);
    summary_cell_int(summary, M_activity_result_bytes, row, tally->nbytes);
    if (!tally->timed)
        return;
    summary_cell_real(summary, M_activity_total_duration, row, seconds);
    summary_cell_real(summary, M_activity_mean_duration, row, seconds / (double)tally->timed);
    summary_cell_real(summary, M_activity_max_duration, row, clock_seconds(tally->longest_ns));
}

/* A Runner's tasks have names of their own, which the activities do not go by: of kinds without activities only those
 * are told that are the work. */
static roast_code name_kinds(const analysis *a, intern *names, roast_error *err)
{
    for (uint32_t i = 0; i < a->tasks.kinds.count && tasks_are_work(&a->tasks, &a->ledger, a->run); i++)
        if (intern_add(names, a->tasks.kinds.strings[i], NULL) == INTERN_NONE)
            return fail_memory(err);
    return ROAST_OK;
}

static roast_code sum_activities(analysis *a, intern *names, prefix_tally *prefixes, fine_sums *sums, roast_error *err)
{
    for (size_t i = 0; i < run_activities(a->run); i++) {
        const roast_activity *activity = roast_run_activity(a->run, i);
        if (activity_kind_of(activity) == ACTIVITY_IDLE)
            continue;
        uint32_t number = intern_add(names, activity->prefix, NULL);
        if (number == INTERN_NONE)
            return fail_memory(err);
        prefix_tally *prefix = &prefixes[number];
        prefix->active = true;
        prefix->processor = is_processor(a, activity->prefix);
        if (isfinite(activity->value))
            add_activity(sums, prefix, activity);
    }
    return ROAST_OK;
}

static void fill_rows(analysis *a, const intern *names, const prefix_tally *prefixes)
{
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t kind = intern_find(&a->tasks.kinds, names->strings[i]);
        summary_cell_text(a->summary, M_activity_prefix, i, names->strings[i]);
        if (prefixes[i].active)
            fill_activities(a->summary, i, &prefixes[i]);
        if (kind != INTERN_NONE)
            fill_tasks(a->summary, i, &a->tasks.tallies[kind]);
    }
}

roast_code analyse_fine(analysis *a, roast_error *err)
{
    size_t count = run_activities(a->run);
    intern names = {0};
    fine_sums sums = {0};
    prefix_tally *prefixes = arena_alloc(&a->summary->memory, count + a->tasks.kinds.count, sizeof *prefixes);
    roast_code code = prefixes ? sum_activities(a, &names, prefixes, &sums, err) : fail_memory(err);
    if (!code && count)
        set_sums(a->summary, &sums);
    if (!code)
        code = name_kinds(a, &names, err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_ACTIVITY, names.count))
        code = fail_memory(err);
    if (!code)
        fill_rows(a, &names, prefixes);
    intern_release(&names);
    return code;
}
