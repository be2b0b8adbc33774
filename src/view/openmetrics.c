/* Metrics by the conventions of Prometheus: base units, the unit in the name, _total for what is counted up.
 *
 * A counter is written without its TYPE. The two formats spell that line differently (OpenMetrics without _total, the
 * older one with it) and each refuses the other's; without it both read the numbers. */
#include "view/openmetrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "view/number.h"
#include "view/table.h"
#include "view/text.h"

enum { MOST_LABELS = 50 };

typedef enum family_kind { GAUGE, COUNTER } family_kind;

static const double MEBIBYTE = 1048576, PER_CENT = 0.01;

/* A metric of the catalogue and what it is called here; scale brings it to base units. */
static const struct family {
    metric_id metric;
    const char *name;
    family_kind kind;
    double scale; /* 0 for 1 */
} FAMILIES[] = {
    {M_run_elapsed_time_seconds, "roast_elapsed_seconds", GAUGE, 1},
    {M_run_preprocess_time_seconds, "roast_preprocess_seconds", GAUGE, 1},
    {M_run_total_events, "roast_events_total", COUNTER, 1},
    {M_run_total_bytes_read, "roast_read_bytes_total", COUNTER, 1},
    {M_run_total_cpu_time, "roast_process_seconds_total", COUNTER, 1},
    {M_run_num_chunks, "roast_chunks_total", COUNTER, 1},
    {M_run_num_retried_chunks, "roast_chunks_retried_total", COUNTER, 1},
    {M_run_num_recomputed_chunks, "roast_chunks_recomputed_total", COUNTER, 1},
    {M_run_chunks_not_measured, "roast_chunks_not_measured_total", COUNTER, 1},
    {M_run_data_rate_mbps, "roast_read_rate_bytes_per_second", GAUGE, 1e6},
    {M_run_event_rate_elapsed_khz, "roast_event_rate_hertz", GAUGE, 1000},
    {M_run_event_rate_core_khz, "roast_event_rate_per_core_hertz", GAUGE, 1000},
    {M_run_avg_workers, "roast_workers_average", GAUGE, 1},
    {M_run_peak_workers, "roast_workers_peak", GAUGE, 1},
    {M_run_workers_joined, "roast_workers_joined_total", COUNTER, 1},
    {M_run_workers_left, "roast_workers_left_total", COUNTER, 1},
    {M_run_workers_lost, "roast_workers_lost_total", COUNTER, 1},
    {M_run_workers_not_measured, "roast_workers_not_measured", GAUGE, 1},
    {M_run_total_cores, "roast_cores_average", GAUGE, 1},
    {M_run_peak_cores, "roast_cores_peak", GAUGE, 1},
    {M_run_avg_memory_per_worker_bytes, "roast_worker_memory_average_bytes", GAUGE, 1},
    {M_run_peak_memory_bytes, "roast_worker_memory_peak_bytes", GAUGE, 1},
    {M_run_memory_utilization_percent_mean, "roast_worker_memory_utilization_ratio", GAUGE, PER_CENT},
    {M_run_cpu_utilization_percent_mean, "roast_worker_cpu_utilization_ratio", GAUGE, PER_CENT},
    {M_run_spilled_bytes_peak, "roast_worker_spilled_peak_bytes", GAUGE, 1},
    {M_run_net_read_bytes, "roast_host_network_receive_bytes_total", COUNTER, 1},
    {M_run_net_write_bytes, "roast_host_network_transmit_bytes_total", COUNTER, 1},
    {M_run_disk_read_bytes_host, "roast_host_disk_read_bytes_total", COUNTER, 1},
    {M_run_disk_write_bytes_host, "roast_host_disk_written_bytes_total", COUNTER, 1},
    {M_run_chunk_cpu_seconds_total, "roast_chunk_cpu_seconds_total", COUNTER, 1},
    {M_run_chunk_noncpu_seconds_total, "roast_chunk_waiting_seconds_total", COUNTER, 1},
    {M_run_chunk_run_delay_seconds_total, "roast_chunk_run_delay_seconds_total", COUNTER, 1},
    {M_run_chunk_open_seconds_total, "roast_chunk_open_seconds_total", COUNTER, 1},
    {M_run_chunk_events_seconds_total, "roast_chunk_events_seconds_total", COUNTER, 1},
    {M_run_chunk_mem_peak_max_mb, "roast_chunk_memory_peak_bytes", GAUGE, MEBIBYTE},
    {M_run_num_files, "roast_files", GAUGE, 1},
    {M_run_total_branches_read, "roast_branches_read", GAUGE, 1},
    {M_run_avg_bytes_read_percent, "roast_file_read_ratio", GAUGE, PER_CENT},
    {M_run_avg_compression_ratio, "roast_file_compression_ratio", GAUGE, 1},
    {M_run_processor_cpu_time_seconds, "roast_processor_cpu_seconds_total", COUNTER, 1},
    {M_run_processor_noncpu_time_seconds, "roast_processor_waiting_seconds_total", COUNTER, 1},
    {M_run_overhead_cpu_time_seconds, "roast_overhead_cpu_seconds_total", COUNTER, 1},
    {M_run_overhead_noncpu_time_seconds, "roast_overhead_waiting_seconds_total", COUNTER, 1},
    {M_run_disk_read_bytes, "roast_spill_read_bytes_total", COUNTER, 1},
    {M_run_disk_write_bytes, "roast_spill_written_bytes_total", COUNTER, 1},
    {M_run_total_compression_overhead_seconds, "roast_compression_seconds_total", COUNTER, 1},
    {M_run_total_serialization_overhead_seconds, "roast_serialization_seconds_total", COUNTER, 1},
    {M_run_core_efficiency, "roast_core_efficiency_ratio", GAUGE, 1},
    {M_run_cpu_efficiency_fine, "roast_cpu_efficiency_ratio", GAUGE, 1},
    {M_run_speedup_factor, "roast_speedup_ratio", GAUGE, 1},
};

/* Columns of datasets, each with the dataset as its label. */
static const struct family DATASET_FAMILIES[] = {
    {M_dataset_num_chunks, "roast_dataset_chunks_total", COUNTER, 1},
    {M_dataset_failed, "roast_dataset_failed_attempts_total", COUNTER, 1},
    {M_dataset_total_events, "roast_dataset_events_total", COUNTER, 1},
    {M_dataset_total_duration, "roast_dataset_process_seconds_total", COUNTER, 1},
    {M_dataset_bytes_read, "roast_dataset_read_bytes_total", COUNTER, 1},
};

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* Escaped as both formats want it; what cannot be seen is spelled out. */
static void put_escaped(buf *out, roast_str text, bool label)
{
    buf safe = {0};
    text_safe(&safe, text, true);
    out->code = out->code ? out->code : safe.code;
    for (size_t i = 0; i < safe.len && !out->code; i++) {
        char c = safe.data[i];
        if (c == '\\' || (label && c == '"'))
            buf_char(out, '\\');
        buf_char(out, c);
    }
    buf_release(&safe);
}

static void begin_family(buf *out, const char *name, const char *type, const char *help)
{
    buf_format(out, "# HELP %s ", name);
    put_escaped(out, str_from(help), false);
    buf_char(out, '\n');
    if (!type)
        return;
    static const roast_str units[] = {STR("seconds"), STR("bytes"), STR("ratio"), STR("hertz")};
    buf_format(out, "# TYPE %s %s\n", name, type);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_ends_with((roast_str){name, strlen(name)}, units[i]))
            buf_format(out, "# UNIT %s %s\n", name, units[i].ptr);
}

static void put_sample(buf *out, const char *name, const char *label, roast_str label_value, double value)
{
    buf_text(out, name);
    if (label) {
        buf_format(out, "{%s=\"", label);
        put_escaped(out, label_value, true);
        buf_text(out, "\"}");
    }
    buf_char(out, ' ');
    number_put(out, value);
    buf_char(out, '\n');
}

static const char *type_of(const struct family *family)
{
    return family->kind == GAUGE ? "gauge" : NULL;
}

/* ---- The run ------------------------------------------------------------------------------------------------------
 */

static void put_info(buf *out, const roast_summary *summary)
{
    static const char *const facts[] = {"engine", "coffea", "distributed", "roastcoffea"};
    begin_family(out, "roast_run_info", "gauge", "The run; its value is always 1.");
    buf_text(out, "roast_run_info{name=\"");
    put_escaped(out, summary->run_name, true);
    buf_format(out, "\",outcome=\"%s\"", roast_outcome_name(summary->outcome));
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        roast_str value = summary_fact(summary, facts[i]);
        if (str_absent(value))
            continue;
        buf_format(out, ",%s=\"", facts[i]);
        put_escaped(out, value, true);
        buf_char(out, '"');
    }
    buf_text(out, "} 1\n");
}

static void put_moment(buf *out, const char *name, const char *help, int64_t t_ns)
{
    if (t_ns == ROAST_ABSENT)
        return;
    begin_family(out, name, "gauge", help);
    put_sample(out, name, NULL, str_none(), (double)t_ns / 1e9);
}

/* Those at chunks that had succeeded before are among them. */
static double succeeded_attempts(const roast_summary *summary)
{
    return summary_real(summary, M_run_num_chunk_records) - summary_real(summary, M_run_num_failed_chunks);
}

static void put_attempts(buf *out, const roast_summary *summary)
{
    double succeeded = succeeded_attempts(summary), failed = summary_real(summary, M_run_num_failed_chunks);
    if (!isfinite(succeeded) || !isfinite(failed))
        return;
    begin_family(out, "roast_chunk_attempts_total", NULL, "Attempts at chunks that were measured.");
    put_sample(out, "roast_chunk_attempts_total", "result", STR("succeeded"), succeeded);
    put_sample(out, "roast_chunk_attempts_total", "result", STR("failed"), failed);
}

/* Exact quantiles over the attempts that succeeded. */
static void put_durations(buf *out, const roast_summary *summary)
{
    static const struct {
        metric_id metric;
        roast_str quantile;
    } quantiles[] = {
        {M_run_chunk_duration_p05, STR("0.05")},
        {M_run_chunk_duration_p50, STR("0.5")},
        {M_run_chunk_duration_p95, STR("0.95")},
        {M_run_chunk_duration_p99, STR("0.99")},
    };
    double count = succeeded_attempts(summary);
    double mean = summary_real(summary, M_run_chunk_duration_mean);
    if (!isfinite(count) || !(mean >= 0))
        return;
    begin_family(out, "roast_chunk_duration_seconds", "summary", "Time in process() of the chunks that succeeded.");
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double value = summary_real(summary, quantiles[i].metric);
        if (value >= 0) /* a clock that was set back gives others, and readers refuse them */
            put_sample(out, "roast_chunk_duration_seconds", "quantile", quantiles[i].quantile, value);
    }
    put_sample(out, "roast_chunk_duration_seconds_sum", NULL, str_none(), mean * count);
    put_sample(out, "roast_chunk_duration_seconds_count", NULL, str_none(), count);
}

static void put_run(buf *out, const roast_summary *summary)
{
    for (size_t i = 0; i < sizeof FAMILIES / sizeof FAMILIES[0]; i++) {
        const struct family *family = &FAMILIES[i];
        double value = summary_real(summary, family->metric) * family->scale;
        if (!isfinite(value))
            continue;
        begin_family(out, family->name, type_of(family), metric_info(family->metric)->help);
        put_sample(out, family->name, NULL, str_none(), value);
    }
}

/* ---- Rows with a label ----------------------------------------------------------------------------------------------
 */

/* Rows in the order of what they weigh, and where the rest begins. Rows with one name are one. */
typedef struct labelled {
    roast_str name;
    double weight;
    uint32_t group; /* of its name; MOST_LABELS for the rest */
} labelled;

typedef struct label_set {
    roast_str names[MOST_LABELS + 1];
    size_t count;
    uint32_t *group_of_row;
    arena memory;
} label_set;

static double cell(const roast_summary *summary, metric_id column, size_t row)
{
    roast_value value = summary_cell(summary, column, row);
    if (value.kind == ROAST_INT)
        return (double)value.as.integer;
    return value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

static int compare_weights(const void *left, const void *right)
{
    const labelled *a = *(labelled *const *)left, *b = *(labelled *const *)right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a > b) - (a < b);
}

static uint32_t group_named(label_set *set, roast_str name)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (str_equal(set->names[i], name))
            return i;
    if (set->count == MOST_LABELS)
        return MOST_LABELS;
    set->names[set->count] = name;
    return (uint32_t)set->count++;
}

static bool choose_labels(label_set *set, const roast_summary *summary, metric_id name, metric_id weight)
{
    size_t rows = summary->rows[metric_info(name)->scope].count;
    labelled *all = arena_alloc(&set->memory, rows, sizeof *all);
    labelled **order = arena_alloc(&set->memory, rows, sizeof *order);
    set->group_of_row = arena_alloc(&set->memory, rows, sizeof *set->group_of_row);
    if (!all || !order || !set->group_of_row)
        return false;
    for (size_t i = 0; i < rows; i++) {
        roast_value value = summary_cell(summary, name, i);
        double size = cell(summary, weight, i);
        all[i].name = value.kind == ROAST_TEXT ? value.as.text : STR("(no name)");
        all[i].weight = isfinite(size) ? size : 0;
        order[i] = &all[i];
    }
    qsort(order, rows, sizeof *order, compare_weights);
    for (size_t i = 0; i < rows; i++)
        set->group_of_row[order[i] - all] = group_named(set, order[i]->name);
    set->names[MOST_LABELS] = STR("(others)");
    return true;
}

static void put_labelled(buf *out, const roast_summary *summary, const label_set *set, const char *label,
                         const struct family *family, const char *help)
{
    double sums[MOST_LABELS + 1];
    bool any = false;
    for (size_t i = 0; i <= MOST_LABELS; i++)
        sums[i] = (double)NAN;
    for (size_t row = 0; row < summary->rows[metric_info(family->metric)->scope].count; row++) {
        double value = cell(summary, family->metric, row) * family->scale, *sum = &sums[set->group_of_row[row]];
        if (isfinite(value))
            *sum = (isfinite(*sum) ? *sum : 0) + value;
        any = any || isfinite(value);
    }
    if (!any)
        return;
    begin_family(out, family->name, type_of(family), help);
    for (size_t i = 0; i <= MOST_LABELS; i++)
        if (isfinite(sums[i]))
            put_sample(out, family->name, label, set->names[i], sums[i]);
}

static void put_datasets(buf *out, const roast_summary *summary)
{
    label_set set = {0};
    if (!choose_labels(&set, summary, M_dataset_dataset, M_dataset_total_duration))
        out->code = out->code ? out->code : ROAST_MEMORY;
    for (size_t i = 0; !out->code && i < sizeof DATASET_FAMILIES / sizeof DATASET_FAMILIES[0]; i++)
        put_labelled(out, summary, &set, "dataset", &DATASET_FAMILIES[i],
                     metric_info(DATASET_FAMILIES[i].metric)->help);
    arena_release(&set.memory);
}

static void put_failures(buf *out, const roast_summary *summary)
{
    static const struct family family = {M_failure_count, "roast_failed_attempts_total", COUNTER, 1};
    label_set set = {0};
    if (!choose_labels(&set, summary, M_failure_error_type, M_failure_count))
        out->code = out->code ? out->code : ROAST_MEMORY;
    else
        put_labelled(out, summary, &set, "error_type", &family, "Attempts at chunks that failed, by kind of error.");
    arena_release(&set.memory);
}

void openmetrics_summary(buf *out, const roast_summary *summary)
{
    put_info(out, summary);
    put_moment(out, "roast_start_timestamp_seconds", "When the run began.", summary->t_start_ns);
    put_moment(out, "roast_end_timestamp_seconds", "When the run ended.", summary->t_end_ns);
    put_run(out, summary);
    put_attempts(out, summary);
    put_durations(out, summary);
    put_datasets(out, summary);
    put_failures(out, summary);
    buf_text(out, "# EOF\n");
}
