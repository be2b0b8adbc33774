/* Fine metrics: the engine's own account of what its tasks did, split into the processor's tasks and the rest. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"

typedef struct prefix_tally {
    bool processor;
    double cpu, noncpu, other, memory_read;
} prefix_tally;

typedef struct fine_sums {
    double processor_cpu, processor_noncpu, overhead_cpu, overhead_noncpu;
    double memory_read, disk_read, disk_write;           /* bytes */
    double compress, decompress, serialize, deserialize; /* seconds */
} fine_sums;

/* Without a processor's name, everything is the processor's. */
static bool is_processor(roast_str processor, roast_str prefix)
{
    return str_absent(processor) || str_equal(prefix, processor);
}

/* Cores that had nothing to do, which Dask lists with what they did, under no task. */
static bool is_idle_time(const roast_activity *activity)
{
    return str_equal(activity->activity, STR("idle or other spans"));
}

static void add_activity(fine_sums *sums, prefix_tally *prefix, const roast_activity *activity)
{
    double value = activity->value;
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

static void fill_row(roast_summary *summary, size_t row, roast_str name, const prefix_tally *prefix)
{
    summary_cell_text(summary, M_activity_prefix, row, name);
    summary_cell_int(summary, M_activity_processor, row, prefix->processor);
    summary_cell_real(summary, M_activity_cpu_seconds, row, prefix->cpu);
    summary_cell_real(summary, M_activity_noncpu_seconds, row, prefix->noncpu);
    summary_cell_real(summary, M_activity_other_seconds, row, prefix->other);
    summary_cell_int(summary, M_activity_memory_read_bytes, row, whole_number(prefix->memory_read));
}

static roast_code sum_activities(analysis *a, intern *names, prefix_tally *prefixes, fine_sums *sums, roast_error *err)
{
    roast_str processor = roast_run_fact(a->run, "processor");
    for (size_t i = 0; i < run_activities(a->run); i++) {
        const roast_activity *activity = roast_run_activity(a->run, i);
        if (is_idle_time(activity))
            continue;
        uint32_t prefix = intern_add(names, activity->prefix, NULL);
        if (prefix == INTERN_NONE)
            return fail_memory(err);
        prefixes[prefix].processor = is_processor(processor, activity->prefix);
        if (isfinite(activity->value))
            add_activity(sums, &prefixes[prefix], activity);
    }
    return ROAST_OK;
}

roast_code analyse_fine(analysis *a, roast_error *err)
{
    size_t count = run_activities(a->run);
    intern names = {0};
    fine_sums sums = {0};
    prefix_tally *prefixes = arena_alloc(&a->summary->memory, count, sizeof *prefixes);
    roast_code code = prefixes ? sum_activities(a, &names, prefixes, &sums, err) : fail_memory(err);
    if (!code && count)
        set_sums(a->summary, &sums);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_ACTIVITY, names.count))
        code = fail_memory(err);
    for (uint32_t i = 0; !code && i < names.count; i++)
        fill_row(a->summary, i, names.strings[i], &prefixes[i]);
    intern_release(&names);
    return code;
}
