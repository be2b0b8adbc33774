/* What the tables say. A line that is n/a in most runs is marked if_known; a line whose absence tells something
 * (no report, no chunk records) stays and gives its reason. */
#include "view/table_specs.h"

static const pair_spec THROUGHPUT[] = {
    {.title = "data read", .parts = {{M_run_total_bytes_read, "", ""}}},
    {.title = "data rate", .join = " = ", .parts = {{M_run_data_rate_gbps, "", ""}, {M_run_data_rate_mbps, "", ""}}},
    {.title = "  per event", .parts = {{M_run_bytes_per_event, "", ""}}, .if_known = true},
    {.title = "files", .parts = {{M_run_num_files, "", ""}}, .if_known = true},
    {.title = "  bytes", .parts = {{M_run_avg_bytes_read_percent, "", " of them read"}}, .if_known = true},
    {.title = "  branches",
     .parts = {{M_run_avg_branches_read_percent, "", " of them read"}, {M_run_total_branches_read, "", " in all"}},
     .if_known = true},
    {.title = "  compressed to", .parts = {{M_run_avg_compression_ratio, "", "", FORM_PERCENT}}, .if_known = true},
};

static const pair_spec EVENTS[] = {
    {.title = "events", .parts = {{M_run_total_events, "", ""}}},
    {.title = "event rate", .parts = {{M_run_event_rate_elapsed_khz, "", ""}}},
    {.title = "  per core", .parts = {{M_run_event_rate_core_khz, "", "", FORM_SHORT}}},
    {.title = "  in process()", .parts = {{M_run_event_rate_cpu_total_khz, "", ""}}},
    {.title = "time per event", .parts = {{M_run_time_per_event_us_mean, "", ""}}, .if_known = true},
    {.title = "  median / p95",
     .join = " / ",
     .parts = {{M_run_time_per_event_us_p50, "", ""}, {M_run_time_per_event_us_p95, "", ""}},
     .if_known = true},
    {.title = "memory per event", .parts = {{M_run_mem_per_event_bytes_mean, "", "", FORM_MEMORY}}, .if_known = true},
    {.title = "  median / p95",
     .join = " / ",
     .parts = {{M_run_mem_per_event_bytes_p50, "", "", FORM_MEMORY},
               {M_run_mem_per_event_bytes_p95, "", "", FORM_MEMORY}},
     .if_known = true},
};

static const pair_spec TIMING[] = {
    {.title = "wall time", .parts = {{M_run_elapsed_time_seconds, "", ""}}},
    {.title = "  preprocessing", .parts = {{M_run_preprocess_time_seconds, "", ""}}, .if_known = true},
    {.title = "in process()", .parts = {{M_run_total_cpu_time, "", " in all"}}},
    {.title = "  per chunk", .parts = {{M_run_avg_cpu_time_per_chunk, "", ""}}, .if_known = true},
    {.title = "  at once", .parts = {{M_run_speedup_factor, "", " chunks on average"}}, .if_known = true},
    {.title = "core efficiency", .parts = {{M_run_core_efficiency, "", " in process()", FORM_PERCENT}}},
    {.title = "  on the CPU", .parts = {{M_run_cpu_efficiency_fine, "", "", FORM_PERCENT}}, .if_known = true},
};

static const pair_spec RESOURCES[] = {
    {.title = "workers", .parts = {{M_run_avg_workers, "", " average"}, {M_run_peak_workers, "", " peak"}}},
    {.title = "  came and went",
     .parts = {{M_run_workers_joined, "", " joined"},
               {M_run_workers_left, "", " left"},
               {M_run_workers_lost, "", " lost", .alarm = TONE_WARN}},
     .if_known = true},
    {.title = "cores", .parts = {{M_run_total_cores, "", " average"}, {M_run_peak_cores, "", " peak"}}},
    {.title = "  per worker", .parts = {{M_run_cores_per_worker, "", ""}}, .if_known = true},
    {.title = "  busy",
     .parts = {{M_run_cpu_utilization_percent_mean, "", " mean"}, {M_run_cpu_utilization_percent_max, "", " peak"}},
     .if_known = true},
    {.title = "memory per worker", .parts = {{M_run_avg_memory_per_worker_bytes, "", " average", FORM_MEMORY}}},
    {.title = "  highest", .parts = {{M_run_peak_memory_bytes, "", " peak", FORM_MEMORY}}, .if_known = true},
    {.title = "  of the limit",
     .parts = {{M_run_memory_utilization_percent_mean, "", " mean"},
               {M_run_memory_utilization_percent_max, "", " peak"}},
     .if_known = true},
    {.title = "  spilled",
     .parts = {{M_run_spilled_bytes_peak, "", " peak", FORM_MEMORY, TONE_WARN}},
     .if_known = true},
    {.title = "hosts: network",
     .parts = {{M_run_net_read_bytes, "", " in"}, {M_run_net_write_bytes, "", " out"}},
     .if_known = true},
    {.title = "hosts: disks",
     .parts = {{M_run_disk_read_bytes_host, "", " read"}, {M_run_disk_write_bytes_host, "", " written"}},
     .if_known = true},
};

static const pair_spec CHUNKS[] = {
    {.title = "attempts", .parts = {{M_run_num_chunk_records, "", " measured"}}},
    {.title = "  succeeded", .parts = {{M_run_num_successful_chunks, "", ""}}, .if_known = true},
    {.title = "  failed", .parts = {{M_run_num_failed_chunks, "", "", .alarm = TONE_BAD}}, .if_known = true},
    {.title = "  retried", .parts = {{M_run_num_retried_chunks, "", "", .alarm = TONE_WARN}}, .if_known = true},
    {.title = "time in process()",
     .join = " ± ",
     .parts = {{M_run_chunk_duration_mean, "", ""}, {M_run_chunk_duration_std, "", ""}}},
    {.title = "  from / to",
     .join = " / ",
     .parts = {{M_run_chunk_duration_min, "", ""}, {M_run_chunk_duration_max, "", ""}},
     .if_known = true},
    {.title = "  p05 / median",
     .join = " / ",
     .parts = {{M_run_chunk_duration_p05, "", ""}, {M_run_chunk_duration_p50, "", ""}},
     .if_known = true},
    {.title = "  p95 / p99",
     .join = " / ",
     .parts = {{M_run_chunk_duration_p95, "", ""}, {M_run_chunk_duration_p99, "", ""}},
     .if_known = true},
    {.title = "  on the CPU", .parts = {{M_run_chunk_cpu_seconds_total, "", " in all"}}, .if_known = true},
    {.title = "  waiting", .parts = {{M_run_chunk_noncpu_seconds_total, "", " in all"}}, .if_known = true},
    {.title = "  for a core", .parts = {{M_run_chunk_run_delay_seconds_total, "", " in all"}}, .if_known = true},
    {.title = "opening files", .parts = {{M_run_chunk_open_seconds_total, "", " in all"}}, .if_known = true},
    {.title = "building events", .parts = {{M_run_chunk_schema_seconds_total, "", " in all"}}, .if_known = true},
    {.title = "events per chunk", .parts = {{M_run_chunk_events_mean, "", ""}}, .if_known = true},
    {.title = "  from / to",
     .join = " / ",
     .parts = {{M_run_chunk_events_min, "", ""}, {M_run_chunk_events_max, "", ""}},
     .if_known = true},
    {.title = "memory growth",
     .join = " ± ",
     .parts = {{M_run_chunk_mem_delta_mean_mb, "", ""}, {M_run_chunk_mem_delta_std_mb, "", ""}},
     .if_known = true},
    {.title = "  from / to",
     .join = " / ",
     .parts = {{M_run_chunk_mem_delta_min_mb, "", ""}, {M_run_chunk_mem_delta_max_mb, "", ""}},
     .if_known = true},
    {.title = "highest memory", .parts = {{M_run_chunk_mem_peak_max_mb, "", ""}}, .if_known = true},
    {.title = "cost of a chunk",
     .join = " + ",
     .parts = {{M_run_runtime_vs_events_intercept, "", ""}, {M_run_runtime_vs_events_slope, "", " per event"}},
     .if_known = true},
    {.title = "  which explains",
     .parts = {{M_run_runtime_vs_events_r2, "", "", FORM_PERCENT},
               {M_run_runtime_vs_events_outliers, "", " far above", .alarm = TONE_WARN}},
     .if_known = true},
};

static const pair_spec FINE[] = {
    {.title = "processor tasks", .parts = {{M_run_processor_cpu_time_seconds, "", " on the CPU"}}},
    {.title = "  waiting", .parts = {{M_run_processor_noncpu_time_seconds, "", ""}}},
    {.title = "  CPU / waiting",
     .join = " / ",
     .parts = {{M_run_processor_cpu_percentage, "", ""}, {M_run_processor_noncpu_percentage, "", ""}},
     .if_known = true},
    {.title = "  of core time", .parts = {{M_run_io_share_percent, "", " waiting"}}, .if_known = true},
    {.title = "  of wall time", .parts = {{M_run_io_overhead_percent, "", " waiting"}}, .if_known = true},
    {.title = "other tasks", .parts = {{M_run_overhead_cpu_time_seconds, "", " on the CPU"}}, .if_known = true},
    {.title = "  waiting", .parts = {{M_run_overhead_noncpu_time_seconds, "", ""}}, .if_known = true},
    {.title = "from memory", .parts = {{M_run_total_bytes_memory_read, "", ""}}, .if_known = true},
    {.title = "spilled to disk", .parts = {{M_run_disk_write_bytes, "", "", .alarm = TONE_WARN}}, .if_known = true},
    {.title = "  read back", .parts = {{M_run_disk_read_bytes, "", "", .alarm = TONE_WARN}}, .if_known = true},
    {.title = "serialising",
     .join = " / ",
     .parts = {{M_run_serialization_time_seconds, "", ""}, {M_run_deserialization_time_seconds, "", " back"}},
     .if_known = true},
    {.title = "compressing",
     .join = " / ",
     .parts = {{M_run_compression_time_seconds, "", ""}, {M_run_decompression_time_seconds, "", " back"}},
     .if_known = true},
};

static const column_spec DATASETS[] = {
    {M_dataset_dataset, "dataset", .shortens = true},
    {M_dataset_num_chunks, "chunks", .priority = 1},
    {M_dataset_failed, "failed", .priority = 4, .alarm = TONE_BAD},
    {M_dataset_total_events, "events", .priority = 0},
    {M_dataset_total_duration, "in process()", .bar = true},
    {M_dataset_mean_duration, "per chunk", .priority = 3},
    {M_dataset_rate_khz, "rate", .priority = 1},
    {M_dataset_bytes_read, "read", .priority = 2},
    {M_dataset_cpu_seconds, "CPU", .priority = 5},
    {M_dataset_open_seconds, "opening", .priority = 6},
    {M_dataset_mean_events_per_chunk, "events/chunk", .priority = 7},
};

static const column_spec SECTIONS[] = {
    {M_section_section, "section", .shortens = true},
    {M_section_share_of_process_percent, "of process()", .bar = true},
    {M_section_total_duration, "time", .priority = 0},
    {M_section_count, "entered", .priority = 3},
    {M_section_mean_duration, "per entry", .priority = 1},
    {M_section_max_duration, "most in a chunk", .priority = 4},
    {M_section_cpu_seconds, "CPU", .priority = 2},
    {M_section_mean_mem_delta_mb, "memory growth", .priority = 5},
    {M_section_max_mem_delta_mb, "most", .priority = 7},
    {M_section_bytes, "read", .priority = 6},
};

static const column_spec FILES[] = {
    {M_file_file, "file", .shortens = true},
    {M_file_num_chunks, "chunks", .priority = 3},
    {M_file_failed, "failed", .priority = 2, .alarm = TONE_BAD},
    {M_file_total_events, "events", .priority = 1},
    {M_file_total_duration, "in process()", .bar = true},
    {M_file_rate_khz, "rate", .priority = 0},
    {M_file_open_seconds, "opening", .priority = 2},
    {M_file_bytes_read, "read", .priority = 4},
    {M_file_bytes_read_percent, "of bytes", .priority = 4},
    {M_file_branches_read_percent, "of branches", .priority = 6},
    {M_file_times_smaller, "packed", .form = FORM_TIMES, .priority = 5},
    {M_file_algorithm, "with", .priority = 7},
};

static const column_spec READING[] = {
    {M_dataset_dataset, "dataset", .shortens = true},
    {M_dataset_bytes_read_percent, "of bytes", .bar = true},
    {M_dataset_branches_read, "branches", .priority = 0},
    {M_dataset_branches_read_percent, "of branches", .priority = 3},
    {M_dataset_least_bytes_to_read, "at least", .priority = 1},
    {M_dataset_bytes_read, "read", .priority = 1},
    {M_dataset_requests_per_chunk, "requests/chunk", .priority = 4},
    {M_dataset_mostly_unread, "mostly unread", .shortens = true, .priority = 2},
    {M_dataset_one_column_collections, "opened for one column", .shortens = true, .priority = 5},
};

static const column_spec BRANCHES[] = {
    {M_branch_dataset, "dataset", .shortens = true},
    {M_branch_branch, "branch", .shortens = true},
    {M_branch_access, "", .priority = 0},
    {M_branch_share_percent, "of bytes", .bar = true},
    {M_branch_bytes_per_event, "per event", .priority = 0},
    {M_branch_compressed_bytes, "size", .priority = 1},
    {M_branch_times_smaller, "packed", .form = FORM_TIMES, .priority = 2},
    {M_branch_baskets, "baskets", .priority = 4},
    {M_branch_files, "files", .priority = 3},
    {M_branch_files_read, "read in", .priority = 5},
};

static const metric_id BRANCH_GROUPS[] = {M_branch_dataset, M_branch_access};

static const column_spec WORKERS[] = {
    {M_worker_worker, "worker", .shortens = true},
    {M_worker_host, "host", .priority = 7, .shortens = true},
    {M_worker_cores, "cores", .priority = 3},
    {M_worker_present_seconds, "present", .priority = 1},
    {M_worker_departure, "end", .priority = 0, .alarm = TONE_WARN, .alarm_text = "lost"},
    {M_worker_reason, "reason", .priority = 6, .shortens = true},
    {M_worker_chunks, "chunks", .priority = 1},
    {M_worker_failed, "failed", .priority = 4, .alarm = TONE_BAD},
    {M_worker_events, "events", .priority = 5},
    {M_worker_busy_seconds, "busy", .bar = true},
    {M_worker_rate_khz, "rate", .priority = 2},
    {M_worker_peak_memory_bytes, "peak memory", FORM_MEMORY, .priority = 2},
    {M_worker_memory_limit, "limit", FORM_MEMORY, .priority = 6},
    {M_worker_avg_cpu_percent, "CPU", .priority = 3},
};

static const column_spec FAILURES[] = {
    {M_failure_count, "times", .priority = 0},
    {M_failure_error_type, "error", .shortens = true, .alarm = TONE_BAD},
    {M_failure_error, "message", .most_lines = 3, .priority = 0},
    {M_failure_file, "file", .shortens = true, .priority = 1},
    {M_failure_worker, "worker", .shortens = true, .priority = 3},
    {M_failure_dataset, "dataset", .shortens = true, .priority = 4},
    {M_failure_lost_seconds, "lost", .priority = 2},
};

static const column_spec TASKS[] = {
    {M_activity_prefix, "tasks", .shortens = true},
    {M_activity_cpu_seconds, "on the CPU", .bar = true},
    {M_activity_noncpu_seconds, "waiting", .priority = 0},
    {M_activity_other_seconds, "in the engine", .priority = 1},
    {M_activity_memory_read_bytes, "from memory", .priority = 2},
};

#define PAIRS(rows)    .pairs = rows, .n_pairs = sizeof(rows) / sizeof(rows)[0]
#define GRID(of, list) .scope = ROAST_SCOPE_##of, .columns = list, .n_columns = sizeof(list) / sizeof(list)[0]

const table_spec TABLE_SPECS[] = {
    {"throughput", "Throughput", PAIRS(THROUGHPUT)},
    {"events", "Event processing", PAIRS(EVENTS)},
    {"timing", "Timing", PAIRS(TIMING)},
    {"resources", "Resources", PAIRS(RESOURCES)},
    {"chunks", "Chunks", PAIRS(CHUNKS)},
    {"fine", "Fine metrics", PAIRS(FINE), .if_known = true},
    {"tasks", "Tasks", GRID(activity, TASKS), .sort = M_activity_cpu_seconds},
    {"datasets", "Datasets", GRID(dataset, DATASETS), .sort = M_dataset_total_duration},
    {"sections", "Sections", GRID(section, SECTIONS), .sort = M_section_total_duration},
    {"files", "Files", GRID(file, FILES), .sort = M_file_total_duration},
    {"reading", "Reading", GRID(dataset, READING), .sort = M_dataset_tree_bytes, .if_known = true},
    {"branches", "Branches", GRID(branch, BRANCHES), .groups = BRANCH_GROUPS, .n_groups = 2, .if_asked = true},
    {"workers", "Workers", GRID(worker, WORKERS), .sort = M_worker_busy_seconds, .alarm_first = true},
    {"failures", "Failures", GRID(failure, FAILURES), .sort = M_failure_count},
    {"notes", "Notes", .notes = true},
};
const size_t TABLE_SPEC_COUNT = sizeof TABLE_SPECS / sizeof TABLE_SPECS[0];
