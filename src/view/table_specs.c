/* What the tables say. A line whose absence tells something (no report, no chunk records) is marked LINE_ALWAYS: it
 * stays and gives its reason. */
#include "view/table_specs.h"

#include "model/core_time.h"

static const pair_spec THROUGHPUT[] = {
    {.title = "data read", .parts = {{M_run_total_bytes_read, ""}}, .shown = LINE_ALWAYS},
    {.title = "  read by chunks",
     .join = " + opening ",
     .parts = {{M_run_chunk_bytes_read, ""}, {M_run_opening_bytes_read, ""}}},
    {.title = "data rate",
     .join = " = ",
     .parts = {{M_run_data_rate_gbps, ""}, {M_run_data_rate_mbps, ""}},
     .shown = LINE_ALWAYS},
    {.title = "  per event", .parts = {{M_run_bytes_per_event, ""}}},
    {.title = "files", .parts = {{M_run_num_files, ""}}},
    {.title = "  bytes",
     .parts = {{M_run_avg_bytes_read_percent, " of file bytes read"},
               {M_run_preload_unused_bytes, " loaded for nothing", .alarm = TONE_WARN}}},
    {.title = "  branches",
     .parts = {{M_run_total_branches_read, " read"}, {M_run_avg_branches_read_percent, " of those in a file"}}},
    {.title = "  compressed to", .parts = {{M_run_avg_compression_ratio, "", FORM_PERCENT}}},
};

static const pair_spec EVENTS[] = {
    {.title = "events", .parts = {{M_run_total_events, ""}}, .shown = LINE_ALWAYS},
    {.title = "  missing",
     .parts = {{M_run_missing_files, " files", .alarm = TONE_BAD, .after_one = " file"},
               {M_run_missing_chunks, " chunks", .alarm = TONE_BAD, .after_one = " chunk"},
               {M_run_missing_events, " events", .alarm = TONE_BAD, .after_one = " event"},
               {M_run_events_expected, " expected"}},
     .shown = LINE_IF_ANY},
    {.title = "event rate", .parts = {{M_run_event_rate_elapsed_khz, ""}}, .shown = LINE_ALWAYS},
    {.title = "  per core", .parts = {{M_run_event_rate_core_khz, "", FORM_SHORT}}, .shown = LINE_ALWAYS},
    {.title = "  in process()", .parts = {{M_run_event_rate_cpu_total_khz, ""}}, .shown = LINE_ALWAYS},
    {.title = "time per event", .parts = {{M_run_time_per_event_us_mean, ""}}},
    {.title = "  median / p95",
     .join = " / ",
     .parts = {{M_run_time_per_event_us_p50, ""}, {M_run_time_per_event_us_p95, ""}}},
    {.title = "memory per event", .parts = {{M_run_mem_per_event_bytes_mean, "", FORM_MEMORY}}},
    {.title = "  median / p95",
     .join = " / ",
     .parts = {{M_run_mem_per_event_bytes_p50, "", FORM_MEMORY}, {M_run_mem_per_event_bytes_p95, "", FORM_MEMORY}}},
};

/* Every chunk tells its own: then their mean is that of the table of chunks. */
static const metric_id MEAN_OF_CHUNKS = M_run_chunk_duration_mean;

/* Tasks are the work: nothing of chunks is known. */
static const metric_id OF_TASKS = M_run_num_tasks;

static const pair_spec TIMING[] = {
    {.title = "wall time", .parts = {{M_run_elapsed_time_seconds, ""}}, .shown = LINE_ALWAYS},
    {.title = "  preprocessing", .parts = {{M_run_preprocess_time_seconds, ""}}},
    {.title = "in process()", .parts = {{M_run_process_seconds, " total"}}, .shown = LINE_ALWAYS, .unless = &OF_TASKS},
    {.title = "  per chunk", .parts = {{M_run_avg_cpu_time_per_chunk, ""}}, .unless = &MEAN_OF_CHUNKS},
    {.title = "speed-up", .parts = {{M_run_speedup_factor, "", FORM_TIMES}}},
    {.title = "  concurrent chunks", .parts = {{M_run_concurrent_chunks_mean, " mean"}}},
    {.title = "core efficiency",
     .parts = {{M_run_core_efficiency, " in process()", FORM_PERCENT}},
     .shown = LINE_ALWAYS,
     .unless = &OF_TASKS},
    {.title = "core efficiency", .parts = {{M_run_task_efficiency, " in tasks", FORM_PERCENT}}, .shown = LINE_IF_ANY},
    {.title = "  CPU of all its tasks", .parts = {{M_run_cpu_efficiency_fine, "", FORM_PERCENT}}},
};

static const pair_spec ALL_TASKS[] = {
    {.title = "tasks", .parts = {{M_run_num_tasks, " done"}, {M_run_task_rate_hz, ""}}},
    {.title = "  failed", .parts = {{M_run_num_failed_tasks, "", .alarm = TONE_BAD}}, .shown = LINE_IF_ANY},
    {.title = "  lost with workers", .parts = {{M_run_num_killed_tasks, "", .alarm = TONE_WARN}}, .shown = LINE_IF_ANY},
    {.title = "  recomputed", .parts = {{M_run_num_recomputed_tasks, "", .alarm = TONE_WARN}}, .shown = LINE_IF_ANY},
    {.title = "first task after", .parts = {{M_run_first_task_seconds, ""}}},
    {.title = "time in tasks", .parts = {{M_run_task_seconds_total, ""}}},
    {.title = "  concurrent tasks", .parts = {{M_run_concurrent_tasks_mean, " mean", FORM_SHORT}}},
    {.title = "time of a task", .parts = {{M_run_task_duration_mean, " mean"}}},
    {.title = "  median / p95", .join = " / ", .parts = {{M_run_task_duration_p50, ""}, {M_run_task_duration_p95, ""}}},
    {.title = "  longest", .parts = {{M_run_task_duration_max, ""}}},
    {.title = "Dask overhead", .parts = {{M_run_task_overhead_seconds, " per task"}}},
    {.title = "results", .parts = {{M_run_task_result_bytes, " in all"}}},
};

static const pair_spec RESOURCES[] = {
    {.title = "workers",
     .parts = {{M_run_avg_workers, " average"}, {M_run_peak_workers, " peak"}},
     .shown = LINE_ALWAYS},
    {.title = "  over time",
     .join = " · ",
     .parts = {{M_run_workers_joined, " joined late"},
               {M_run_workers_left, " released"},
               {M_run_workers_lost, " lost", .alarm = TONE_WARN}}},
    {.title = "  not measured", .parts = {{M_run_workers_not_measured, "", .alarm = TONE_WARN}}, .shown = LINE_IF_ANY},
    {.title = "cores", .parts = {{M_run_total_cores, " average"}, {M_run_peak_cores, " peak"}}, .shown = LINE_ALWAYS},
    {.title = "  per worker", .parts = {{M_run_cores_per_worker, ""}}},
    {.title = "  busy",
     .parts = {{M_run_cpu_utilization_percent_mean, " mean"}, {M_run_cpu_utilization_percent_max, " peak"}}},
    {.title = "memory per worker",
     .parts = {{M_run_avg_memory_per_worker_bytes, " average", FORM_MEMORY}},
     .shown = LINE_ALWAYS},
    {.title = "  highest", .parts = {{M_run_peak_memory_bytes, " peak", FORM_MEMORY}}},
    {.title = "  of the limit",
     .parts = {{M_run_memory_utilization_percent_mean, " mean"}, {M_run_memory_utilization_percent_max, " peak"}}},
    {.title = "  spilled", .parts = {{M_run_spilled_bytes_peak, " peak", FORM_MEMORY, TONE_WARN}}},
    {.title = "hosts: network", .parts = {{M_run_net_read_bytes, " in"}, {M_run_net_write_bytes, " out"}}},
    {.title = "hosts: disks",
     .parts = {{M_run_disk_read_bytes_host, " read"}, {M_run_disk_write_bytes_host, " written"}}},
};

static const pair_spec CHUNKS[] = {
    {.title = "attempts", .parts = {{M_run_num_chunk_records, " measured"}}, .shown = LINE_ALWAYS},
    {.title = "  succeeded", .parts = {{M_run_num_successful_chunks, ""}}},
    {.title = "  failed", .parts = {{M_run_num_failed_chunks, "", .alarm = TONE_BAD}}},
    {.title = "  retried", .parts = {{M_run_num_retried_chunks, "", .alarm = TONE_WARN}}},
    {.title = "  not measured", .parts = {{M_run_chunks_not_measured, "", .alarm = TONE_WARN}}, .shown = LINE_IF_ANY},
    {.title = "  recomputed", .parts = {{M_run_num_recomputed_chunks, "", .alarm = TONE_WARN}}, .shown = LINE_IF_ANY},
    {.title = "time in process()",
     .join = " ± ",
     .parts = {{M_run_chunk_duration_mean, ""}, {M_run_chunk_duration_std, ""}},
     .shown = LINE_ALWAYS},
    {.title = "  min / max", .join = " / ", .parts = {{M_run_chunk_duration_min, ""}, {M_run_chunk_duration_max, ""}}},
    {.title = "  p05 / median",
     .join = " / ",
     .parts = {{M_run_chunk_duration_p05, ""}, {M_run_chunk_duration_p50, ""}}},
    {.title = "  p95 / p99", .join = " / ", .parts = {{M_run_chunk_duration_p95, ""}, {M_run_chunk_duration_p99, ""}}},
    {.title = "  on the CPU", .parts = {{M_run_chunk_cpu_seconds_total, " total"}}},
    {.title = "  waiting", .parts = {{M_run_chunk_noncpu_seconds_total, " total"}}},
    {.title = "  for a core", .parts = {{M_run_chunk_run_delay_seconds_total, " total"}}},
    {.title = "  fit",
     .join = " + ",
     .parts = {{M_run_runtime_vs_events_intercept, ""}, {M_run_runtime_vs_events_slope, "/event"}}},
    {.title = "  R²",
     .parts = {{M_run_runtime_vs_events_r2, ""},
               {M_run_runtime_vs_events_outliers, " outliers", .alarm = TONE_WARN, .after_one = " outlier"}}},
    {.title = TITLE_OPEN, .parts = {{M_run_chunk_open_seconds_total, " total"}}},
    {.title = TITLE_EVENTS, .parts = {{M_run_chunk_events_seconds_total, " total"}}},
    {.title = "events per chunk", .parts = {{M_run_chunk_events_mean, ""}}},
    {.title = "  min / max", .join = " / ", .parts = {{M_run_chunk_events_min, ""}, {M_run_chunk_events_max, ""}}},
    {.title = "memory growth",
     .join = " ± ",
     .parts = {{M_run_chunk_mem_delta_mean_mb, ""}, {M_run_chunk_mem_delta_std_mb, ""}}},
    {.title = "  min / max",
     .join = " / ",
     .parts = {{M_run_chunk_mem_delta_min_mb, ""}, {M_run_chunk_mem_delta_max_mb, ""}}},
    {.title = "peak in a chunk", .parts = {{M_run_chunk_mem_peak_max_mb, ""}}},
};

static const pair_spec FINE[] = {
    {.title = "processor tasks", .parts = {{M_run_processor_cpu_time_seconds, " on the CPU"}}, .shown = LINE_ALWAYS},
    {.title = "  waiting", .parts = {{M_run_processor_noncpu_time_seconds, ""}}, .shown = LINE_ALWAYS},
    {.title = "  CPU / waiting",
     .join = " / ",
     .parts = {{M_run_processor_cpu_percentage, ""}, {M_run_processor_noncpu_percentage, ""}}},
    {.title = "  of core time", .parts = {{M_run_io_share_percent, " waiting"}}},
    {.title = "overhead (other tasks)", .parts = {{M_run_overhead_cpu_time_seconds, " on the CPU"}}},
    {.title = "  waiting", .parts = {{M_run_overhead_noncpu_time_seconds, ""}}},
    {.title = "from memory", .parts = {{M_run_total_bytes_memory_read, ""}}},
    {.title = "spilled to disk", .parts = {{M_run_disk_write_bytes, "", .alarm = TONE_WARN}}},
    {.title = "  read back", .parts = {{M_run_disk_read_bytes, "", .alarm = TONE_WARN}}},
    {.title = "serialising",
     .join = " / ",
     .parts = {{M_run_serialization_time_seconds, ""}, {M_run_deserialization_time_seconds, " back"}}},
    {.title = "compressing",
     .join = " / ",
     .parts = {{M_run_compression_time_seconds, ""}, {M_run_decompression_time_seconds, " back"}}},
};

static const table_column DATASETS[] = {
    {"dataset", M_dataset_dataset, .shortens = true},
    {"chunks", M_dataset_num_chunks, .priority = 1},
    {"failed", M_dataset_failed, .priority = 4, .alarm = TONE_BAD},
    {"events", M_dataset_total_events, .priority = 0},
    {"missing", M_dataset_missing_events, .priority = 0, .alarm = TONE_BAD},
    {"files missing", M_dataset_missing_files, .priority = 4, .alarm = TONE_BAD},
    {"in process()", M_dataset_total_duration, .bar = true},
    {"per chunk", M_dataset_mean_duration, .priority = 3},
    {"rate", M_dataset_rate_khz, .priority = 1},
    {"read by chunks", M_dataset_bytes_read, .priority = 2},
    {"CPU", M_dataset_cpu_seconds, .priority = 5},
    {COLUMN_OPEN, M_dataset_open_seconds, .priority = 6},
    {"events/chunk", M_dataset_mean_events_per_chunk, .priority = 7},
};

static const table_column SECTIONS[] = {
    {"section", M_section_section, .shortens = true},
    {"of process()", M_section_share_of_process_percent, .bar = true},
    {"time", M_section_total_duration, .priority = 0},
    {"self", M_section_self_duration, .priority = 0},
    {"calls", M_section_count, .priority = 3},
    {"mean per call", M_section_mean_duration, .priority = 1},
    {"max in a chunk", M_section_max_duration, .priority = 4},
    {"CPU", M_section_cpu_seconds, .priority = 2},
    {"bytes read", M_section_bytes, .priority = 5},
};

static const table_column MEMORY_SECTIONS[] = {
    {"section", M_section_section, .shortens = true},
    {"calls", M_section_count, .priority = 1},
    {"growth per chunk (mean)", M_section_mean_mem_delta_mb, .priority = 0},
    {"min", M_section_min_mem_delta_mb, .priority = 2},
    {"max", M_section_max_mem_delta_mb, .priority = 0},
};

static const table_column FILES[] = {
    {"file", M_file_file, .shortens = true, .place = true},
    {"chunks", M_file_num_chunks, .priority = 3},
    {"failed", M_file_failed, .priority = 2, .alarm = TONE_BAD},
    {"events", M_file_total_events, .priority = 1},
    {"in process()", M_file_total_duration, .bar = true},
    {"rate", M_file_rate_khz, .priority = 0},
    {COLUMN_OPEN, M_file_open_seconds, .priority = 2},
    {"read by chunks", M_file_source_bytes_read, .priority = 4},
    {"bytes used", M_file_bytes_read_percent, .priority = 4},
    {"branches used", M_file_branches_read_percent, .priority = 6},
    {"compression", M_file_times_smaller, .form = FORM_TIMES, .priority = 5},
    {"codec", M_file_algorithm, .priority = 7},
};

static const table_column READING[] = {
    {"dataset", M_dataset_dataset, .shortens = true},
    {"bytes used", M_dataset_bytes_read_percent, .bar = true},
    {"branches", M_dataset_branches_read, .priority = 0},
    {"branches used", M_dataset_branches_read_percent, .priority = 3},
    {"needed", M_dataset_least_bytes_to_read, .priority = 1},
    {"read by chunks", M_dataset_bytes_read, .priority = 1},
    {"read ÷ needed", M_dataset_read_amplification, .form = FORM_TIMES, .priority = 1},
    {"requests/chunk", M_dataset_requests_per_chunk, .priority = 4},
    {"mostly unread", M_dataset_mostly_unread, .shortens = true, .priority = 2},
    {"opened for one column", M_dataset_one_column_collections, .shortens = true, .priority = 5},
};

static const table_column BRANCHES[] = {
    {"dataset", M_branch_dataset, .shortens = true},
    {"branch", M_branch_branch, .shortens = true},
    {"", M_branch_access, .priority = 0},
    {"share of bytes", M_branch_share_percent, .bar = true},
    {"per event", M_branch_bytes_per_event, .priority = 0},
    {"size", M_branch_compressed_bytes, .priority = 1},
    {"compression", M_branch_times_smaller, .form = FORM_TIMES, .priority = 2},
    {"baskets", M_branch_baskets, .priority = 4},
    {"files", M_branch_files, .priority = 3},
    {"files read", M_branch_files_read, .priority = 5},
};

static const table_column STORAGE[] = {
    {"server", M_storage_server, .shortens = true, .place = true},
    {"chunks", M_storage_num_chunks, .priority = 2},
    {"failed", M_storage_failed, .priority = 1, .alarm = TONE_BAD},
    {"read", M_storage_bytes_read, .bar = true},
    {"rate/chunk", M_storage_read_rate_mbps, .priority = 0},
    {"open p50", M_storage_open_seconds_p50, .priority = 0},
    {"open p95", M_storage_open_seconds_p95, .priority = 1},
    {"requests", M_storage_requests_per_mb, .priority = 3},
};

static const table_column WORKERS[] = {
    {"worker", M_worker_worker, FORM_WORKER, .shortens = true, .place = true},
    {"host", M_worker_host, .priority = 7, .shortens = true, .place = true},
    {"cores", M_worker_cores, .priority = 3},
    {"present", M_worker_present_seconds, .priority = 1},
    {"end", M_worker_departure, .priority = 0, .alarm = TONE_WARN, .alarm_text = "lost", .id = "left",
     .words = "released"},
    {"measured", M_worker_measured, .alarm = TONE_WARN, .alarm_text = "no", .if_any = true},
    {"reason", M_worker_reason, .priority = 6, .shortens = true},
    {"chunks", M_worker_chunks, .priority = 1},
    {"failed", M_worker_failed, .priority = 4, .alarm = TONE_BAD},
    {"events", M_worker_events, .priority = 5},
    {"busy", M_worker_busy_seconds, .bar = true},
    {"rate", M_worker_rate_khz, .priority = 2},
    {"peak memory", M_worker_peak_memory_bytes, FORM_MEMORY, .priority = 2},
    {"limit", M_worker_memory_limit, FORM_MEMORY, .priority = 6},
    {"CPU", M_worker_avg_cpu_percent, .priority = 3},
};

static const table_column MISSING[] = {
    {"dataset", M_missing_dataset, .shortens = true, .priority = 1},
    {"file", M_missing_file, .shortens = true, .place = true},
    {"tree", M_missing_treename, .shortens = true, .priority = 5},
    {"from", M_missing_entry_start, .priority = 0},
    {"to", M_missing_entry_stop, .priority = 0},
    {"events", M_missing_events, .priority = 0, .alarm = TONE_BAD},
    {"whole file", M_missing_whole_file, .priority = 6},
    {"tried", M_missing_attempts, .priority = 4},
    {"nature", M_missing_nature, .priority = 2},
    {"error", M_missing_error_type, .shortens = true, .priority = 2, .alarm = TONE_BAD},
    {"message", M_missing_error, FORM_ERROR, .most_lines = 3, .priority = 3},
};

static const table_column ERRORS[] = {
    {"failures", M_error_count, .priority = 0},
    {"error", M_error_error_type, .shortens = true, .alarm = TONE_BAD},
    {"nature", M_error_nature, .priority = 3},
    {"files", M_error_files, .priority = 1},
    {"workers", M_error_workers, .priority = 4},
    {"time lost", M_error_lost_seconds, .priority = 2},
    {"events lost", M_error_lost_events, .priority = 1, .alarm = TONE_BAD},
    {"first message", M_error_error, FORM_ERROR, .most_lines = 6, .priority = 0},
};

static const table_column FAILURES[] = {
    {"times", M_failure_count, .priority = 0},
    {"error", M_failure_error_type, .shortens = true, .alarm = TONE_BAD},
    {"nature", M_failure_nature, .priority = 3},
    {"message", M_failure_error, FORM_ERROR, .most_lines = 3, .priority = 0},
    {"file", M_failure_file, .shortens = true, .place = true, .priority = 1},
    {"worker", M_failure_worker, FORM_WORKER, .shortens = true, .place = true, .priority = 3},
    {"dataset", M_failure_dataset, .shortens = true, .priority = 4},
    {"time lost", M_failure_lost_seconds, .priority = 2},
};

static const table_column TASKS[] = {
    {"tasks", M_activity_prefix, .most_lines = 2, .id = "N/A", .words = "(no task: scheduler and transfers)"},
    {"done", M_activity_num_tasks, .priority = 1},
    {"failed", M_activity_failed, .priority = 2, .alarm = TONE_BAD, .if_any = true},
    {"on the CPU", M_activity_cpu_seconds, .bar = true},
    {"waiting", M_activity_noncpu_seconds, .priority = 0},
    {"Dask overhead", M_activity_other_seconds, .priority = 1},
    {"spilling", M_activity_spilling_seconds, .priority = 3, .if_any = true},
    {"mean", M_activity_mean_duration, .priority = 2},
    {"longest", M_activity_max_duration, .priority = 4},
    {"results", M_activity_result_bytes, .priority = 3},
    {"from memory", M_activity_memory_read_bytes, .priority = 2},
};

static const table_column LEDGER[] = {
    {"", M_ledger_title, .shortens = true},
    {"of core time", M_ledger_share_percent, .bar = true},
    {"core time", M_ledger_core_seconds, .priority = 1},
};

#define DATASET_COLUMN(id, key, title, name, rank, colour) {name, M_dataset_ledger_##key, .priority = rank},
#define WORKER_COLUMN(id, key, title, name, rank, colour)                                                              \
    {name, M_worker_ledger_##key, .priority = rank,                                                                    \
     .if_any = LEDGER_##id == LEDGER_NOT_MEASURED || LEDGER_##id == LEDGER_SPILLING},

/* clang-format off */
static const table_column DATASET_LEDGER[] = {
    {"dataset", M_dataset_ledger_dataset, .shortens = true},
    {"core time", M_dataset_ledger_core_seconds, .bar = true},
    LEDGER_CATEGORIES_OF_CHUNKS(DATASET_COLUMN)
};

static const table_column WORKER_LEDGER[] = {
    {"worker", M_worker_ledger_worker, FORM_WORKER, .shortens = true, .place = true},
    {"core time", M_worker_ledger_core_seconds, .bar = true},
    LEDGER_CATEGORIES_OF_CHUNKS(WORKER_COLUMN)
    LEDGER_CATEGORIES_OF_WORKERS(WORKER_COLUMN)
};
/* clang-format on */

const screen_number SCREEN_NUMBERS[] = {
    {"", {M_run_total_events, "events", .after_one = "event"}},
    {"", {M_run_event_rate_elapsed_khz, ""}},
    {"", {M_run_total_bytes_read, "read"}},
    {"", {M_run_data_rate_mbps, ""}},
    {"cores ", {M_run_core_efficiency, "in process()", FORM_WHOLE}},
    {"", {M_run_num_tasks, "tasks", .after_one = "task"}},
    {"", {M_run_task_rate_hz, ""}},
    {"cores ", {M_run_task_efficiency, "in tasks", FORM_WHOLE}},
};
const size_t SCREEN_NUMBER_COUNT = sizeof SCREEN_NUMBERS / sizeof SCREEN_NUMBERS[0];

#define PAIRS(rows) TABLE_OF_METRICS, .pairs = rows, .n_pairs = sizeof(rows) / sizeof(rows)[0]
#define GRID(of, list)                                                                                                 \
    TABLE_OF_ROWS, .scope = (roast_scope)SCOPE_##of, .columns = list, .n_columns = sizeof(list) / sizeof(list)[0]
#define LARGEST_FIRST(metric) .order = ROWS_LARGEST_FIRST, .sort = metric

const table_spec TABLE_SPECS[] = {
    {"findings", "What held it back", TABLE_OF_FINDINGS},
    {"ledger", "Where the core time went", GRID(ledger, LEDGER)},
    {"throughput", "Throughput", PAIRS(THROUGHPUT), .unless = &OF_TASKS},
    {"events", "Event processing", PAIRS(EVENTS), .unless = &OF_TASKS},
    {"timing", "Timing", PAIRS(TIMING)},
    {"resources", "Resources", PAIRS(RESOURCES)},
    {"chunks", "Chunks", PAIRS(CHUNKS), .unless = &OF_TASKS},
    {"fine", "Fine metrics", PAIRS(FINE), .shown = TABLE_IF_KNOWN, .unless = &OF_TASKS},
    {"all_tasks", "All tasks", PAIRS(ALL_TASKS), .shown = TABLE_IF_KNOWN},
    {"tasks", "Tasks", GRID(activity, TASKS), LARGEST_FIRST(M_activity_cpu_seconds)},
    {"datasets", "Datasets", GRID(dataset, DATASETS), LARGEST_FIRST(M_dataset_total_duration)},
    {"sections", "Sections", GRID(section, SECTIONS), .order = ROWS_AS_TREE, .sort = M_section_total_duration,
     .groups = {M_section_parent}, .tells = {M_section_total_duration, M_section_bytes}},
    {"memory_sections", "Memory of sections", GRID(section, MEMORY_SECTIONS),
     LARGEST_FIRST(M_section_mean_mem_delta_mb), .tells = {M_section_mean_mem_delta_mb}},
    {"files", "Files", GRID(file, FILES), LARGEST_FIRST(M_file_total_duration)},
    {"reading", "Reading", GRID(dataset, READING), LARGEST_FIRST(M_dataset_tree_bytes), .shown = TABLE_IF_KNOWN},
    {"branches", "Branches", GRID(branch, BRANCHES), .order = ROWS_BY_GROUP,
     .groups = {M_branch_dataset, M_branch_access}, .shown = TABLE_IF_ASKED},
    {"storage", "Storage", GRID(storage, STORAGE), LARGEST_FIRST(M_storage_bytes_read), .shown = TABLE_IF_SEVERAL},
    {"workers", "Workers", GRID(worker, WORKERS), .order = ROWS_ALARM_FIRST, .sort = M_worker_busy_seconds},
    {"ledger_datasets", "Core time of the datasets", GRID(dataset_ledger, DATASET_LEDGER),
     LARGEST_FIRST(M_dataset_ledger_core_seconds), .shown = TABLE_IF_ASKED},
    {"ledger_workers", "Core time of the workers", GRID(worker_ledger, WORKER_LEDGER),
     LARGEST_FIRST(M_worker_ledger_core_seconds), .shown = TABLE_IF_ASKED},
    {"missing", "Missing from the result: what to run again", GRID(missing, MISSING), LARGEST_FIRST(M_missing_events)},
    {"failures", "Failures", GRID(error, ERRORS), LARGEST_FIRST(M_error_count), .details = "failures_by_file"},
    {"failures_by_file", "Failures by file and worker", GRID(failure, FAILURES), LARGEST_FIRST(M_failure_count),
     .shown = TABLE_IF_ASKED},
    {"notes", "Notes", TABLE_OF_NOTES},
    {"facts", "Machine and software", TABLE_OF_FACTS, .shown = TABLE_IF_ASKED},
};
const size_t TABLE_SPEC_COUNT = sizeof TABLE_SPECS / sizeof TABLE_SPECS[0];
