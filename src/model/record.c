/* The nouns: records with every field absent, to fill in what is known. */
#include <math.h>
#include <roast.h>

roast_worker roast_worker_none(void)
{
    return (roast_worker){
        .pid = ROAST_ABSENT,
        .cores = ROAST_ABSENT,
        .memory_limit = ROAST_ABSENT,
        .joined_ns = ROAST_ABSENT,
        .left_ns = ROAST_ABSENT,
        .clock_offset_ns = ROAST_ABSENT,
        .clock_error_ns = ROAST_ABSENT,
    };
}

roast_sample roast_sample_none(void)
{
    return (roast_sample){
        .t_ns = ROAST_ABSENT,
        .memory = ROAST_ABSENT,
        .managed = ROAST_ABSENT,
        .spilled = ROAST_ABSENT,
        .cpu = (double)NAN,
        .processing = ROAST_ABSENT,
        .executing = ROAST_ABSENT,
        .occupancy = (double)NAN,
        .last_seen_ns = ROAST_ABSENT,
        .net_read = (double)NAN,
        .net_write = (double)NAN,
        .disk_read = (double)NAN,
        .disk_write = (double)NAN,
    };
}

roast_section roast_section_none(void)
{
    return (roast_section){
        .count = 1,
        .duration_ns = ROAST_ABSENT,
        .cpu_ns = ROAST_ABSENT,
        .rss_before = ROAST_ABSENT,
        .rss_after = ROAST_ABSENT,
        .rss_delta = ROAST_ABSENT,
        .bytes = ROAST_ABSENT,
    };
}

roast_chunk roast_chunk_none(void)
{
    return (roast_chunk){
        .entry_start = ROAST_ABSENT,
        .entry_stop = ROAST_ABSENT,
        .events = ROAST_ABSENT,
        .attempt = ROAST_ABSENT,
        .round = ROAST_ABSENT,
        .thread = ROAST_ABSENT,
        .pid = ROAST_ABSENT,
        .t_start_ns = ROAST_ABSENT,
        .duration_ns = ROAST_ABSENT,
        .open_ns = ROAST_ABSENT,
        .events_ns = ROAST_ABSENT,
        .return_ns = ROAST_ABSENT,
        .cpu_ns = ROAST_ABSENT,
        .run_delay_ns = ROAST_ABSENT,
        .rss_before = ROAST_ABSENT,
        .rss_after = ROAST_ABSENT,
        .rss_peak = ROAST_ABSENT,
        .bytes_read = ROAST_ABSENT,
        .read_requests = ROAST_ABSENT,
        .voluntary_switches = ROAST_ABSENT,
        .involuntary_switches = ROAST_ABSENT,
        .page_faults = ROAST_ABSENT,
    };
}

roast_file roast_file_none(void)
{
    return (roast_file){
        .entries = ROAST_ABSENT,
        .total_branches = ROAST_ABSENT,
        .compressed = ROAST_ABSENT,
        .uncompressed = ROAST_ABSENT,
        .clusters = ROAST_ABSENT,
        .level = ROAST_ABSENT,
        .bytes_read = ROAST_ABSENT,
    };
}

roast_task roast_task_none(void)
{
    return (roast_task){
        .thread = ROAST_ABSENT,
        .start_ns = ROAST_ABSENT,
        .stop_ns = ROAST_ABSENT,
        .nbytes = ROAST_ABSENT,
        .attempt = ROAST_ABSENT,
    };
}
