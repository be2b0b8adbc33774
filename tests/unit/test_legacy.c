/* Measurements of roastcoffea 0.1.x: which records they give, and what is said of those that are broken. */
#include "source/legacy/legacy.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "run/reader.h"
#include "text_sink.h"
#include "unit.h"

/* 2026-11-15T19:32:05 UTC, by date(1) */
#define T0 "1794771125"

/* ---- Reading from text ----------------------------------------------------------------------------------------- */

static char selected[1 << 16];

/* The records of one kind that a measurement of these texts gives. */
static const char *records_of(legacy_texts texts, const char *kind)
{
    buf all = {0}, some = {0};
    roast_error err = {0};
    record_sink sink = text_sink(&all);
    if (!texts.directory)
        texts.directory = "runs/m1";
    if (legacy_read_texts(&texts, &sink, &err))
        fail_msg("%s", err.message);
    text_select(&some, buf_view(&all), kind);
    snprintf(selected, sizeof selected, "%s", some.data ? some.data : "");
    buf_release(&all);
    buf_release(&some);
    return selected;
}

static const char *metrics_give(const char *metrics, const char *kind)
{
    return records_of((legacy_texts){.metrics = str_from(metrics), .timing = STR("100.5,110.75\n")}, kind);
}

static bool said(const char *notes, const char *words)
{
    return strstr(notes, words) != NULL;
}

/* ---- Workers ----------------------------------------------------------------------------------------------------- */

static const char TRACKING[] =
    "{\"tracking_data\": {"
    "\"worker_counts\": {\"2026-11-15T19:32:05.250000\": 2, \"2026-11-15T19:32:06\": 2},"
    "\"worker_memory\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:05.250000\", 100], [\"2026-11-15T19:32:06\", "
    "300]],"
    "                    \"b\": [[\"2026-11-15T19:32:05.250000\", 7], [\"2026-11-15T19:32:06\", 8]]},"
    "\"worker_memory_limit\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 4096]], \"b\": "
    "[[\"2026-11-15T19:32:06\", 0]]},"
    "\"worker_active_tasks\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 5]]},"
    "\"worker_cores\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:05.250000\", 4], [\"2026-11-15T19:32:06\", 4]],"
    "                   \"b\": [[\"2026-11-15T19:32:05.250000\", 2]]},"
    "\"worker_nbytes\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 11]]},"
    "\"worker_occupancy\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 0.5]]},"
    "\"worker_executing\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 3]]},"
    "\"worker_last_seen\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", " T0
    ".75]], \"b\": [[\"2026-11-15T19:32:06\", 0.0]]},"
    "\"worker_cpu\": {\"tcp://10.0.0.1:40\": [[\"2026-11-15T19:32:06\", 99.5]]}}}";

static void the_series_of_a_worker_are_merged_by_time(void **state)
{
    (void)state;
    assert_string_equal(metrics_give(TRACKING, "sample"),
                        "sample worker=tcp://10.0.0.1:40 t=" T0 "250000000 memory=100\n"
                        "sample worker=tcp://10.0.0.1:40 t=1794771126000000000 memory=300 managed=11 cpu=99.5 "
                        "processing=5 executing=3 occupancy=0.5 last_seen=" T0 "750000000\n"
                        "sample worker=b t=" T0 "250000000 memory=7\n"
                        "sample worker=b t=1794771126000000000 memory=8\n");
}

static void cores_and_limits_belong_to_the_worker_and_a_limit_of_0_is_none(void **state)
{
    (void)state;
    assert_string_equal(
        metrics_give(TRACKING, "worker"),
        "worker address=tcp://10.0.0.1:40 host=10.0.0.1 cores=4 limit=4096\nworker address=b cores=2\n");
}

static void a_count_has_the_cores_that_were_seen_at_its_time(void **state)
{
    (void)state;
    assert_string_equal(metrics_give(TRACKING, "count"), "count t=" T0 "250000000 workers=2 cores=6\n"
                                                         "count t=1794771126000000000 workers=2 cores=4\n");
}

static void the_documented_older_shape_is_read(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"tracking_data\": {\"cores_per_worker\": 4, \"worker_counts\": ["
        "{\"timestamp\": \"2026-11-15 19:32:05\", \"worker_count\": 10}, {\"worker_count\": 0, \"timestamp\": "
        "\"2026-11-15 19:32:06\"}],"
        "\"worker_memory\": {\"w\": [{\"timestamp\": \"2026-11-15 19:32:05\", \"memory_bytes\": 123}]}}}";
    assert_string_equal(metrics_give(metrics, "count"), "count t=" T0 "000000000 workers=10 cores=40\n"
                                                        "count t=1794771126000000000 workers=0 cores=0\n");
    assert_string_equal(metrics_give(metrics, "sample"), "sample worker=w t=" T0 "000000000 memory=123\n");
    assert_string_equal(metrics_give(metrics, "worker"), "worker address=w cores=4 left=1794771126000000000\n");
}

static void a_worker_joins_when_first_seen_and_leaves_when_first_missed(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"tracking_data\": {\"worker_counts\": {\"2026-11-15T19:32:05\": 1, \"2026-11-15T19:32:06\": 2,"
        " \"2026-11-15T19:32:07\": 1},"
        "\"worker_memory\": {\"early\": [[\"2026-11-15T19:32:05\", 1], [\"2026-11-15T19:32:06\", 1]],"
        " \"late\": [[\"2026-11-15T19:32:06\", 1], [\"2026-11-15T19:32:07\", 1]]}}}";
    assert_string_equal(metrics_give(metrics, "worker"), "worker address=early left=1794771127000000000\n"
                                                         "worker address=late joined=1794771126000000000\n");
}

/* ---- Zones and the window ------------------------------------------------------------------------------------------
 */

static void heartbeats_tell_the_zone_of_local_times(void **state)
{
    (void)state;
    /* New Delhi: five and a half hours ahead; the second worker is stale by 20 minutes. */
    static const char metrics[] = "{\"tracking_data\": {\"worker_counts\": {\"2026-11-16T01:02:05\": 1},"
                                  "\"worker_last_seen\": {\"a\": [[\"2026-11-16T01:02:05\", 1794771124.5]], \"b\": "
                                  "[[\"2026-11-16T01:02:05\", 1794769925]]}}}";
    assert_string_equal(metrics_give(metrics, "count"), "count t=" T0 "000000000 workers=1\n");
    assert_true(said(metrics_give(metrics, "note"), "UTC+5.50 h"));
}

static void chunks_tell_the_zone_where_there_are_no_heartbeats(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"tracking_data\": {\"worker_counts\": {\"2026-11-15T11:32:05\": 1, \"2026-11-15T11:32:25\": 1}},"
        "\"raw_chunk_metrics\": [{\"t_start\": 1794771130, \"t_end\": 1794771140}]}";
    assert_string_equal(metrics_give(metrics, "count"), "count t=" T0 "000000000 workers=1\n"
                                                        "count t=1794771145000000000 workers=1\n");
    assert_true(said(metrics_give(metrics, "note"), "UTC-8.00 h"));
}

static void a_stated_zone_is_kept_and_an_unknown_one_is_utc_with_a_note(void **state)
{
    (void)state;
    static const char stated[] = "{\"tracking_data\": {\"worker_counts\": {\"2026-11-15T20:32:05.5+01:00\": 1}}}";
    static const char unknown[] = "{\"tracking_data\": {\"worker_counts\": {\"2026-11-15T19:32:05.5\": 1}}}";
    assert_string_equal(metrics_give(stated, "count"), "count t=" T0 "500000000 workers=1\n");
    assert_false(said(metrics_give(stated, "note"), "zone"));
    assert_string_equal(metrics_give(unknown, "count"), "count t=" T0 "500000000 workers=1\n");
    assert_true(said(metrics_give(unknown, "note"), "carry no zone; they were taken as UTC"));
}

static void the_first_sample_is_the_start_of_the_run(void **state)
{
    (void)state;
    assert_string_equal(metrics_give(TRACKING, "fact"),
                        "fact name=m1\nfact source=roastcoffea 0.1.x measurement\n"
                        "fact t_start_ns=" T0
                        "250000000\nfact t_end_ns=1794771135500000000\nfact elapsed_ns=10250000000\n");
    assert_true(said(metrics_give(TRACKING, "note"), "the first worker sample was taken as the start"));
}

static void without_samples_the_last_chunk_is_the_end_of_the_run(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_chunk_metrics\": [{\"t_start\": 1794771130, \"t_end\": 1794771140}]}";
    assert_true(said(metrics_give(metrics, "fact"),
                     "fact t_start_ns=1794771129750000000\nfact t_end_ns=1794771140000000000\n"));
}

static void with_totals_only_the_time_of_saving_is_the_end_of_the_run(void **state)
{
    (void)state;
    legacy_texts texts = {
        .metrics = STR("{\"total_events\": 5}"),
        .timing = STR("1,3"),
        .metadata = STR("{\"timestamp\": \"2026-11-15T19:32:05\", \"format\": \"roastcoffea_measurement_v1\"}")};
    assert_true(
        said(records_of(texts, "fact"), "fact t_start_ns=1794771123000000000\nfact t_end_ns=" T0 "000000000\n"));
    assert_true(said(records_of(texts, "note"), "and as UTC"));
}

static void epoch_times_in_start_end_time_are_taken_as_they_are(void **state)
{
    (void)state;
    legacy_texts texts = {.metrics = STR("{\"total_events\": 5}"), .timing = STR(T0 ".5," T0 ".75")};
    assert_true(said(records_of(texts, "fact"),
                     "fact t_start_ns=" T0 "500000000\nfact t_end_ns=" T0 "750000000\nfact elapsed_ns=250000000\n"));
}

static void a_missing_start_end_time_is_replaced_by_the_elapsed_time(void **state)
{
    (void)state;
    legacy_texts of_metrics = {.metrics = STR("{\"wall_time\": 2.5}")};
    legacy_texts of_metadata = {.metrics = STR("{\"total_events\": 1}"),
                                .metadata = STR("{\"elapsed_time_seconds\": 3.5}")};
    legacy_texts of_nothing = {.metrics = STR("{\"total_events\": 1}")};
    assert_true(said(records_of(of_metrics, "fact"), "fact elapsed_ns=2500000000\n"));
    assert_true(said(records_of(of_metrics, "note"),
                     "note warning start_end_time.txt is missing; how long the run took is from"));
    assert_true(said(records_of(of_metadata, "fact"), "fact elapsed_ns=3500000000\n"));
    assert_false(said(records_of(of_nothing, "fact"), "elapsed_ns"));
    assert_true(said(records_of(of_nothing, "note"), "is not known"));
}

/* ---- Chunks --------------------------------------------------------------------------------------------------------
 */

static void a_chunk_of_0_1_2_gives_all_of_its_fields(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"raw_chunk_metrics\": [{\"t_start\": 1794771130.5, \"t_end\": 1794771130.75, \"duration\": 0.25,"
        "\"mem_before_mb\": 1.5, \"mem_after_mb\": 2, \"mem_delta_mb\": 0.5, \"bytes_read\": 77, \"timestamp\": "
        "1794771130.8,"
        "\"num_events\": 10, \"dataset\": \"DY\", \"file\": \"a.root\", \"uuid\": null, \"entry_start\": 0, "
        "\"entry_stop\": 10,"
        "\"accessed_branches\": [\"Jet_pt\", \"nJet\"], \"num_branches_accessed\": 2, \"accessed_bytes\": 300,"
        "\"accessed_uncompressed_bytes\": 5, \"branches_read_percent\": 0.5, \"bytes_read_percent\": 0.25,"
        "\"timing\": {\"jets\": 0.125, \"hist\": 0.0625}, \"memory\": {\"jets\": 0.5}, \"bytes\": {\"jets\": 42}}]}";
    assert_string_equal(
        metrics_give(metrics, "chunk"),
        "chunk dataset=DY file=a.root start=0 stop=10 events=10 t=1794771130500000000 duration=250000000 "
        "before=1572864 after=2097152 bytes_read=77\n"
        "  section name=jets count=1 depth=0 duration=125000000 delta=524288 bytes=42\n"
        "  section name=hist count=1 depth=0 duration=62500000\n"
        "  branch name=Jet_pt\n"
        "  branch name=nJet\n"
        "  custom accessed_bytes cd 01 2c\n"
        "  custom accessed_uncompressed_bytes 05\n"
        "  custom bytes_read_percent cb 3f d0 00 00 00 00 00 00\n");
}

static void a_documented_chunk_gives_its_sections_summed(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"chunk_metrics\": [{\"chunk_id\": 3, \"filename\": \"b.root\", \"num_events\": 4, \"duration\": 2,"
        "\"memory_start_gb\": 1.5, \"memory_end_gb\": 1.25, \"memory_delta_gb\": -0.25,"
        "\"timing\": {\"jets\": 99},"
        "\"sections\": [{\"section_name\": \"jets\", \"time_delta\": 0.5}, {\"section_name\": \"jets\", "
        "\"time_delta\": 0.25, \"cpu_delta\": 0.125, \"count\": 2, \"depth\": 1}],"
        "\"memory_sections\": [{\"section_name\": \"fill\", \"memory_start_gb\": 1, \"memory_end_gb\": 1.5, "
        "\"memory_delta_gb\": 0.5},"
        " {\"section_name\": \"fill\", \"memory_start_gb\": 1.5, \"memory_end_gb\": 1.75}]}]}";
    assert_string_equal(metrics_give(metrics, "chunk"),
                        "chunk file=b.root events=4 duration=2000000000 before=1500000000 after=1250000000\n"
                        "  section name=jets count=3 depth=1 duration=750000000 cpu=125000000\n"
                        "  section name=fill count=1 depth=0 before=1000000000 after=1750000000 delta=750000000\n");
}

static void sections_of_one_chunk_do_not_leak_into_the_next(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"raw_chunk_metrics\": [{\"duration\": 1, \"timing\": {\"a\": 1, \"b\": 2}, \"extra\": 1},"
        "{\"duration\": 1, \"timing\": {\"b\": 3}}, {\"duration\": 1}]}";
    assert_string_equal(metrics_give(metrics, "chunk"), "chunk duration=1000000000\n"
                                                        "  section name=a count=1 depth=0 duration=1000000000\n"
                                                        "  section name=b count=1 depth=0 duration=2000000000\n"
                                                        "  custom extra 01\n"
                                                        "chunk duration=1000000000\n"
                                                        "  section name=b count=1 depth=0 duration=3000000000\n"
                                                        "chunk duration=1000000000\n");
}

static void what_the_user_attached_is_kept_as_msgpack(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_chunk_metrics\": [{\"duration\": 1, \"custom_metrics\": {\"n\": -3, "
                                  "\"half\": 0.5, \"none\": null}, \"yes\": true,"
                                  "\"tag\": \"\\u00e9\", \"list\": [1, [false]], \"map\": {\"k\": \"v\"}, \"thread\": "
                                  "\"MainThread\", \"mem_delta_mb\": 1}]}";
    /* As Python's msgpack packs them. */
    assert_string_equal(metrics_give(metrics, "chunk"), "chunk duration=1000000000\n"
                                                        "  custom n fd\n"
                                                        "  custom half cb 3f e0 00 00 00 00 00 00\n"
                                                        "  custom none c0\n"
                                                        "  custom yes c3\n"
                                                        "  custom tag a2 c3 a9\n"
                                                        "  custom list 92 01 91 c2\n"
                                                        "  custom map 81 a1 6b a1 76\n"
                                                        "  custom thread aa 4d 61 69 6e 54 68 72 65 61 64\n"
                                                        "  custom mem_delta_mb 01\n");
}

static void the_fields_of_newer_records_are_read_too(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_chunk_metrics\": [{\"uid\": \"x\", \"attempt\": 2, \"cpu_seconds\": 0.5, "
                                  "\"noncpu_seconds\": 0.5, \"open_seconds\": 0.25,"
                                  "\"schema_seconds\": 0.125, \"return_seconds\": 0.0625, \"run_delay_seconds\": 0.5, "
                                  "\"mem_peak_mb\": 3, \"mem_peak_shared\": true,"
                                  "\"read_requests\": 6, \"voluntary_switches\": 7, \"involuntary_switches\": 8, "
                                  "\"page_faults\": 9, \"pid\": 10, \"thread\": 11,"
                                  "\"treename\": \"Events\", \"worker\": \"w\"}]}";
    assert_string_equal(metrics_give(metrics, "chunk"),
                        "chunk tree=Events attempt=2 worker=w thread=11 pid=10 open=250000000 events_ns=125000000 "
                        "return=62500000 cpu=500000000 run_delay=500000000 peak=3145728 peak_shared requests=6 "
                        "voluntary=7 involuntary=8 page_faults=9\n");
}

static void a_chunk_with_an_error_is_a_failed_one(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_chunk_metrics\": [{\"error\": \"no such file\", \"error_type\": \"OSError\"},"
                                  "{\"error\": \"boom\"}, {\"error\": null}]}";
    assert_string_equal(metrics_give(metrics, "chunk"), "chunk error_type=OSError error=no such file\n"
                                                        "chunk error_type=unknown error=boom\n"
                                                        "chunk\n");
}

static void chunk_times_without_a_date_are_not_placed(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_chunk_metrics\": [{\"t_start\": 1945.5, \"t_end\": 1946}]}";
    assert_string_equal(metrics_give(metrics, "chunk"), "chunk duration=500000000\n");
    assert_true(said(metrics_give(metrics, "note"), "these chunks are not on the timeline"));
}

static void bytes_of_0_everywhere_are_not_measured(void **state)
{
    (void)state;
    assert_string_equal(metrics_give("{\"raw_chunk_metrics\": [{\"bytes_read\": 0}, {\"bytes_read\": 0}]}", "chunk"),
                        "chunk\nchunk\n");
    assert_string_equal(metrics_give("{\"raw_chunk_metrics\": [{\"bytes_read\": 0}, {\"bytes_read\": 9}]}", "chunk"),
                        "chunk bytes_read=0\nchunk bytes_read=9\n");
}

static void a_file_is_given_once_with_its_uncompressed_size(void **state)
{
    (void)state;
    /* 246769 / 334942 = 0.73675143… */
    static const char metrics[] =
        "{\"file_metadata\": {\"a.root\": {\"filename\": \"a.root\", \"compression_ratio\": 0.7367514375623242, "
        "\"total_branches\": 1601, \"total_tree_bytes\": 246769}},"
        "\"raw_chunk_metrics\": [{\"file_metadata\": {\"filename\": \"a.root\", \"total_tree_bytes\": 1}},"
        "{\"file_metadata\": {\"filename\": \"b.root\", \"compression_ratio\": 0.0, \"total_branches\": 2, "
        "\"total_tree_bytes\": 30, \"branch_bytes\": {\"x\": 10, \"y\": 20}}},"
        "{\"file_metadata\": {\"filename\": \"b.root\"}}]}";
    assert_string_equal(metrics_give(metrics, "file"),
                        "file url=a.root branches=1601 compressed=246769 uncompressed=334942\n"
                        "file url=b.root branches=2 compressed=30\n"
                        "  branch name=x compressed=10\n"
                        "  branch name=y compressed=20\n");
}

/* ---- Spans ---------------------------------------------------------------------------------------------------------
 */

static void a_tuple_is_read_as_python_writes_it(void **state)
{
    (void)state;
    /* json.dumps({str(t): 1}) of ('execute', "it's", 'a\\b\n"\'\x7f', 'é€\u200b😀') and its like */
    static const char metrics[] =
        "{\"raw_span_metrics\": {"
        "\"('execute', \\\"it's\\\", 'a\\\\\\\\b\\\\n\\\"\\\\'\\\\x7f', '\\u00e9\\u20ac\\\\u200b\\ud83d\\ude00')\": 1,"
        "\"('', '\\\\U000e0001', '\\\\t', '\\\\r')\": 2.5}}";
    assert_string_equal(metrics_give(metrics, "activity"),
                        "activity context=execute prefix=it's activity=a\\b\\n\"'\x7f "
                        "unit=\xc3\xa9\xe2\x82\xac\xe2\x80\x8b\xf0\x9f\x98\x80 value=1\n"
                        "activity context= prefix=\xf3\xa0\x80\x81 activity=\t unit=\r value=2.5\n");
}

static void a_key_that_is_no_tuple_of_three_or_four_strings_is_noted(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"raw_span_metrics\": {\"('a', 'b')\": 1, \"('a', 'b', 'c', 'd', 'e')\": 1, \"('a', 'b', 'c', None)\": "
        "1,"
        "\"('a', 'b', 'c', 'd'\": 1, \"('a', 'b', 'c', 'd') \": 1, \"plain\": 1, \"\": 1, \"('a', 'b', 'c', "
        "'\\\\q')\": 1,"
        "\"('a', 'b', 'c', '\\\\ud800')\": 1, \"('a' 'b', 'c', 'd')\": 1, \"('a\": 1, \"('a', 'b', 'c', '\\\\x4\": 1,"
        "\"('a', 'b', 'c', 'd')\": 1}}";
    assert_string_equal(metrics_give(metrics, "activity"), "activity context=a prefix=b activity=c unit=d value=1\n");
    assert_true(said(metrics_give(metrics, "note"), "raw_span_metrics: 12 keys are not"));
}

static void a_key_without_a_unit_has_the_one_that_dask_counts_in(void **state)
{
    (void)state;
    static const char metrics[] = "{\"raw_span_metrics\": {\"('execute', 'P', 'thread-cpu')\": 1.5, "
                                  "\"('execute', 'P', 'disk-read')\": 7}}";
    assert_string_equal(metrics_give(metrics, "activity"),
                        "activity context=execute prefix=P activity=thread-cpu unit=seconds value=1.5\n"
                        "activity context=execute prefix=P activity=disk-read unit=bytes value=7\n");
}

static const char *processor_of(const char *stated)
{
    static char metrics[1024];
    snprintf(
        metrics, sizeof metrics,
        "{%s\"raw_span_metrics\": {\"('execute', 'reduce', 'thread-cpu', 'seconds')\": 4,"
        "\"('execute', 'reduce', 'thread-noncpu', 'seconds')\": 1, \"('execute', 'P', 'thread-cpu', 'seconds')\": 6,"
        "\"('execute', 'P', 'thread-noncpu', 'seconds')\": 8, \"('execute', 'N/A', 'idle', 'seconds')\": 8}}",
        stated);
    const char *facts = metrics_give(metrics, "fact processor");
    return facts;
}

static void the_processor_is_the_prefix_whose_times_are_stated(void **state)
{
    (void)state;
    assert_string_equal(processor_of("\"processor_cpu_time_seconds\": 6, \"processor_io_wait_time_seconds\": 8, "),
                        "fact processor=P\n");
    assert_string_equal(processor_of("\"processor_cpu_time_seconds\": 4, \"processor_io_wait_time_seconds\": 1, "),
                        "fact processor=reduce\n");
    assert_string_equal(processor_of("\"cpu_time_seconds\": 10, \"io_time_seconds\": 9, "),
                        ""); /* everything: none was named */
    assert_string_equal(processor_of(""), "fact processor=P\n");
}

/* ---- Totals -------------------------------------------------------------------------------------------------------
 */

static void the_report_is_put_together_again_with_its_own_number_of_chunks(void **state)
{
    (void)state;
    static const char metrics[] = "{\"total_events\": 80, \"total_bytes_read\": 759268, \"total_cpu_time\": 0.75, "
                                  "\"num_chunks\": 4, \"avg_cpu_time_per_chunk\": 0.075}";
    assert_string_equal(
        metrics_give(metrics, "document"),
        "document report {\"entries\": 80, \"bytesread\": 759268, \"processtime\": 0.75, \"chunks\": 10}\n");
    assert_true(said(metrics_give(metrics, "note"), "num_chunks: 10 chunks were submitted"));
    assert_true(said(metrics_give(metrics, "given"), "given num_chunks 10\n"));
}

static void a_number_of_chunks_that_the_mean_contradicts_stays(void **state)
{
    (void)state;
    assert_string_equal(
        metrics_give("{\"total_cpu_time\": 1, \"num_chunks\": 4, \"avg_cpu_time_per_chunk\": 0.3}", "document"),
        "document report {\"processtime\": 1, \"chunks\": 4}\n");
}

static void zeros_of_0_1_2_for_what_it_did_not_measure_are_absent(void **state)
{
    (void)state;
    static const char metrics[] = "{\"total_events\": 0, \"total_bytes_read\": 0, \"total_cpu_time\": 0, "
                                  "\"num_chunks\": 0, \"avg_workers\": 0.0, \"total_cores\": null,"
                                  "\"disk_read_bytes\": 0, \"data_rate_gbps\": 0}";
    assert_string_equal(metrics_give(metrics, "given"), "given disk_read_bytes 0\n");
    assert_string_equal(metrics_give(metrics, "document"), "");
}

static void stated_metrics_are_given_under_their_canonical_names(void **state)
{
    (void)state;
    static const char metrics[] = "{\"event_rate_agg_khz\": 2.5, \"overall_rate_gbps\": 1, \"data_rate_gbps\": 3, "
                                  "\"peak_memory_bytes\": 12.0, \"not_ours\": 5, \"per_dataset\": {}}";
    assert_string_equal(metrics_give(metrics, "given"), "given data_rate_gbps 3.00000000000\n"
                                                        "given event_rate_cpu_total_khz 2.50000000000\n"
                                                        "given peak_memory_bytes 12\n");
}

static void the_configuration_is_kept(void **state)
{
    (void)state;
    legacy_texts texts = {.metrics = STR("{\"total_events\": 1}"),
                          .config = STR("{\"chunksize\": 100,\n \"redirector\": \"x\"}")};
    assert_true(
        said(records_of(texts, "document config"), "document config {\"chunksize\":100,\"redirector\":\"x\"}\n"));
}

static void sections_that_belong_to_no_chunk_are_kept_as_a_document(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"total_events\": 1, \"raw_section_metrics\": [{\"name\": \"a\", \"duration\": 1.5}]}";
    assert_true(
        said(metrics_give(metrics, "document"), "document raw_section_metrics [{\"name\":\"a\",\"duration\":1.5}]\n"));
    assert_true(said(metrics_give(metrics, "note"), "raw_section_metrics: 1 belong to no chunk"));
}

static void nan_and_infinity_count_as_not_measured(void **state)
{
    (void)state;
    static const char metrics[] =
        "{\"total_events\": 5, \"speedup_factor\": NaN, \"core_efficiency\": Infinity, \"bytes_per_event\":-Infinity,"
        "\"raw_chunk_metrics\": [{\"dataset\": \"NaN, -Infinity \\\" NaN\", \"duration\": NaN, \"mine\": [NaN]}]}";
    assert_string_equal(metrics_give(metrics, "given"), "given total_events 5\n");
    assert_string_equal(metrics_give(metrics, "chunk"), "chunk dataset=NaN, -Infinity \" NaN\n  custom mine 91 c0\n");
    assert_true(said(metrics_give(metrics, "note"), "metrics.json: 5 values are NaN or infinite"));
}

static void integers_beyond_64_bits_are_fine_where_a_real_will_do(void **state)
{
    (void)state;
    static const char metrics[] = "{\"total_events\": 5, \"speedup_factor\": 100000000000000000000000000}";
    assert_string_equal(metrics_give(metrics, "given"),
                        "given total_events 5\ngiven speedup_factor 1.00000000000e+26\n");
}

/* ---- Bad input -----------------------------------------------------------------------------------------------------
 */

static void assert_refused(legacy_texts texts, roast_code code, const char *message)
{
    buf all = {0};
    roast_error err = {0};
    record_sink sink = text_sink(&all);
    texts.directory = "m1";
    roast_code seen = legacy_read_texts(&texts, &sink, &err);
    buf_release(&all);
    assert_string_equal(err.message, message);
    assert_int_equal(seen, code);
}

static void broken_metrics_are_refused_with_the_place_that_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *metrics;
        const char *message;
    } cases[] = {
        {"", "the file is empty"},
        {" \n", "the file is empty"},
        {"[]", "holds a list, not an object"},
        {"{\"total_events\": 5,\n \"tracking", "cut off in line 2"},
        {"{\"total_events\": 5} x", "not valid JSON in line 1: end of file expected near 'x'"},
        {"{\"total_events\": \"many\"}", "total_events is a string, not a number"},
        {"{\"total_events\": true}", "total_events is true or false, not a number"},
        {"{\"total_events\": 10000000000000000000000000000}", "total_events is too large a number"},
        {"{\"total_events\": 1e999}", "not valid JSON in line 1: real number overflow near '1e999'"},
        {"{\"speedup_factor\": []}", "speedup_factor is a list, not a number"},
        {"{\"accuracy\": 0.5}", "none of roastcoffea's metrics is in it"},
        {"{\"tracking_data\": []}", "tracking_data is a list, not an object"},
        {"{\"tracking_data\": {\"worker_memory\": 3}}", "tracking_data.worker_memory is a number, not an object"},
        {"{\"tracking_data\": {\"worker_memory\": {\"tcp://a:1\": {}}}}",
         "tracking_data.worker_memory[\"tcp://a:1\"] is an object, not a list"},
        {"{\"tracking_data\": {\"worker_memory\": {\"w\": [[]]}}}",
         "tracking_data.worker_memory.w[0] is not a pair of a time and a value"},
        {"{\"tracking_data\": {\"worker_memory\": {\"w\": [{\"a\": 1, \"b\": 2}]}}}",
         "tracking_data.worker_memory.w[0] is not a pair of a time and a value"},
        {"{\"tracking_data\": {\"worker_memory\": {\"w\": [[\"noon\", 1]]}}}",
         "tracking_data.worker_memory.w[0][0] is not a date and time"},
        {"{\"tracking_data\": {\"worker_memory\": {\"w\": [[-1e300, 1]]}}}",
         "tracking_data.worker_memory.w[0][0] is not a date and time"},
        {"{\"tracking_data\": {\"worker_cpu\": {\"w\": [[\"2026-11-15T19:32:05\", \"x\"]]}}}",
         "tracking_data.worker_cpu.w[0][1] is a string, not a number"},
        {"{\"tracking_data\": {\"worker_counts\": {\"line\\nbreak\": 1}}}",
         "tracking_data.worker_counts[\"line?break\"] is not a date and time"},
        {"{\"raw_chunk_metrics\": {}}", "raw_chunk_metrics is an object, not a list"},
        {"{\"raw_chunk_metrics\": [{}, 3]}", "raw_chunk_metrics[1] is a number, not an object"},
        {"{\"raw_chunk_metrics\": [{\"duration\": \"x\"}]}", "raw_chunk_metrics[0].duration is a string, not a number"},
        {"{\"raw_chunk_metrics\": [{\"duration\": 1e300}]}", "raw_chunk_metrics[0].duration is too large a number"},
        {"{\"raw_chunk_metrics\": [{\"mem_before_mb\": 1e17}]}",
         "raw_chunk_metrics[0].mem_before_mb is too large a number"},
        {"{\"raw_chunk_metrics\": [{\"dataset\": 3}]}", "raw_chunk_metrics[0].dataset is a number, not a string"},
        {"{\"raw_chunk_metrics\": [{\"accessed_branches\": [3]}]}",
         "raw_chunk_metrics[0].accessed_branches[0] is a number, not a string"},
        {"{\"raw_chunk_metrics\": [{\"timing\": {\"jet selection\": []}}]}",
         "raw_chunk_metrics[0].timing[\"jet selection\"] is a list, not a number"},
        {"{\"raw_chunk_metrics\": [{\"sections\": [{}]}]}", "raw_chunk_metrics[0].sections[0] has no section_name"},
        {"{\"raw_chunk_metrics\": [{\"file_metadata\": {\"filename\": \"a\", \"total_branches\": \"x\"}}]}",
         "raw_chunk_metrics[0].file_metadata.total_branches is a string, not a number"},
        {"{\"raw_span_metrics\": {\"('a', 'b', 'c', 'd')\": \"x\"}}",
         "raw_span_metrics[\"('a', 'b', 'c', 'd')\"] is a string, not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[512];
        snprintf(message, sizeof message, "m1/metrics.json: %s", cases[i].message);
        bool foreign = strstr(cases[i].message, "none of") != NULL;
        assert_refused((legacy_texts){.metrics = str_from(cases[i].metrics), .timing = STR("1,2")},
                       foreign ? ROAST_FORMAT : ROAST_CORRUPT, message);
    }
}

static void broken_companions_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        legacy_texts texts;
        const char *message;
    } cases[] = {
        {{.timing = {"", 0}}, "m1/start_end_time.txt: expected two times in seconds, \"start,end\""},
        {{.timing = {"1 2", 3}}, "m1/start_end_time.txt: expected two times in seconds, \"start,end\""},
        {{.timing = {"1,nan", 5}}, "m1/start_end_time.txt: expected two times in seconds, \"start,end\""},
        {{.timing = {"2,1", 3}}, "m1/start_end_time.txt: the end comes before the start"},
        {{.timing = {"0,1e300", 7}}, "m1/start_end_time.txt: the times are too large"},
        {{.timing = {"1e10,1e10", 9}}, "m1/start_end_time.txt: the times are too large"},
        {{.metadata = {"{", 1}}, "m1/metadata.json: cut off in line 1"},
        {{.metadata = {"{\"format\": \"v9\"}", 16}},
         "m1/metadata.json: format is not roastcoffea_measurement_v1; a newer version may read it"},
        {{.metadata = {"{\"timestamp\": 5.5, \"elapsed_time_seconds\": []}", 46}},
         "m1/metadata.json: elapsed_time_seconds is a list, not a number"},
        {{.config = {"", 0}}, "m1/config.json: the file is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        legacy_texts texts = cases[i].texts;
        texts.metrics = STR("{\"total_events\": 1}");
        assert_refused(texts, ROAST_CORRUPT, cases[i].message);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const units[] = {"[", "{\"a\":"};
    for (size_t u = 0; u < 2; u++) {
        buf text = {0};
        buf_text(&text, "{\"raw_chunk_metrics\": [{\"mine\": ");
        buf_repeat(&text, str_from(units[u]), 10000);
        assert_refused((legacy_texts){.metrics = buf_view(&text), .timing = STR("1,2")}, ROAST_CORRUPT,
                       "m1/metrics.json: nested too deeply in line 1");
        buf_release(&text);
    }
}

static void nesting_that_the_parser_takes_is_kept(void **state)
{
    (void)state;
    buf text = {0};
    buf_text(&text, "{\"raw_chunk_metrics\": [{\"mine\": ");
    buf_repeat(&text, STR("["), 2000);
    buf_repeat(&text, STR("]"), 2000);
    buf_text(&text, "}]}");
    const char *chunk = metrics_give(text.data, "chunk");
    assert_int_equal(strlen(chunk), strlen("chunk\n  custom mine\n") + 2000 * 3); /* " 91" each, the innermost " 90" */
    buf_release(&text);
}

static void every_cut_of_a_measurement_is_refused_in_one_line(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof TRACKING - 1; length++) {
        buf all = {0};
        roast_error err = {0};
        record_sink sink = text_sink(&all);
        legacy_texts texts = {.directory = "m1", .metrics = {TRACKING, length}, .timing = STR("1,2")};
        assert_int_equal(legacy_read_texts(&texts, &sink, &err), ROAST_CORRUPT);
        assert_non_null(strstr(err.message, "m1/metrics.json: "));
        assert_null(strchr(err.message, '\n'));
        buf_release(&all);
    }
}

/* ---- Directories ----------------------------------------------------------------------------------------------------
 */

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(in_scratch(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void put_measurement(void)
{
    assert_int_equal(mkdir(in_scratch("m"), 0755), 0);
    put_file("m/metrics.json", "{\"total_events\": 80, \"total_cpu_time\": 4, \"raw_chunk_metrics\": ["
                               "{\"t_start\": 1794771130, \"duration\": 4, \"dataset\": \"DY\"},"
                               "{\"t_start\": 1794771130, \"duration\": 4, \"dataset\": \"DY\"}]}");
    put_file("m/start_end_time.txt", "10,18\n");
    put_file("m/metadata.json", "{\"timestamp\": \"2026-11-15T19:32:21.602482\"}");
}

static roast_code count_row(void *context, const run_chunk *row)
{
    (void)row;
    ++*(size_t *)context;
    return ROAST_OK;
}

static void assert_is_the_measurement(roast_run *run, const char *name)
{
    size_t chunks = 0;
    assert_str(roast_run_name(run), name);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    assert_int_equal(run_fact_int(run, "elapsed_ns"), 8000000000);
    assert_str(roast_run_document(run, "report"), "{\"entries\": 80, \"processtime\": 4}");
    assert_int_equal(run_each_chunk(run, RUN_EVERYTHING, count_row, &chunks, NULL), ROAST_OK);
    assert_int_equal(chunks, 2);
    roast_run_close(run);
}

static void a_measurement_is_loaded_as_a_run_and_not_touched(void **state)
{
    (void)state;
    put_measurement();
    struct stat before, after;
    roast_run *run;
    roast_error err = {0};
    assert_int_equal(stat(in_scratch("m"), &before), 0);
    assert_int_equal(roast_run_load(&run, in_scratch("m/"), NULL, &err), ROAST_OK);
    assert_is_the_measurement(run, "m");
    assert_int_equal(stat(in_scratch("m"), &after), 0);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

static void an_imported_measurement_is_a_run_file(void **state)
{
    (void)state;
    put_measurement();
    roast_run *run;
    roast_error err = {0};
    roast_recorder_options named = {.name = "mine", .overwrite = true};
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("x.roast"), NULL, &err), ROAST_OK);
    assert_int_equal(roast_run_load(&run, in_scratch("x.roast"), NULL, &err), ROAST_OK);
    assert_is_the_measurement(run, "m");
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("x.roast"), NULL, &err), ROAST_USAGE);
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("x.roast"), &named, &err), ROAST_OK);
    assert_int_equal(roast_run_load(&run, in_scratch("x.roast"), NULL, &err), ROAST_OK);
    assert_is_the_measurement(run, "mine");
}

static void a_folder_with_a_run_file_gives_that_run(void **state)
{
    (void)state;
    put_measurement();
    roast_run *run;
    roast_error err = {0};
    roast_recorder_options named = {.name = "the run file"};
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("m/run.roast"), &named, &err), ROAST_OK);
    assert_int_equal(roast_run_load(&run, in_scratch("m"), NULL, &err), ROAST_OK);
    assert_is_the_measurement(run, "the run file");
}

static void a_failed_import_leaves_nothing_and_replaces_nothing(void **state)
{
    (void)state;
    put_measurement();
    roast_error err = {0};
    roast_recorder_options overwrite = {.overwrite = true};
    roast_run *run;
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("good.roast"), NULL, &err), ROAST_OK);
    put_file("m/metrics.json", "{\"raw_chunk_metrics\": [{\"duration\": 1}, {\"duration\": \"x\"}]}");
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("bad.roast"), NULL, &err), ROAST_CORRUPT);
    assert_int_not_equal(access(in_scratch("bad.roast"), F_OK), 0);
    assert_int_not_equal(access(in_scratch("bad.roast-wal"), F_OK), 0);
    assert_int_equal(roast_import(in_scratch("m"), in_scratch("good.roast"), &overwrite, &err), ROAST_CORRUPT);
    assert_int_equal(roast_run_load(&run, in_scratch("good.roast"), NULL, &err), ROAST_OK);
    assert_is_the_measurement(run, "m");
}

static void assert_not_loaded(const char *name, roast_code code, const char *words)
{
    roast_run *run;
    roast_error err = {0};
    assert_int_equal(roast_run_load(&run, in_scratch(name), NULL, &err), code);
    assert_null(run);
    if (!strstr(err.message, words) || !strstr(err.message, in_scratch(name)))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, err.message, words);
}

static void what_is_no_measurement_is_named(void **state)
{
    (void)state;
    assert_not_loaded("nothing", ROAST_MISSING, "No such file or directory");
    mkdir(in_scratch("empty"), 0755);
    assert_not_loaded("empty", ROAST_FORMAT, "neither run.roast nor metrics.json is in it");
    put_measurement();
    assert_not_loaded("m/metrics.json", ROAST_FORMAT, "this is JSON, not a run file");
    unlink(in_scratch("m/metadata.json"));
    mkdir(in_scratch("m/metadata.json"), 0755);
    assert_not_loaded("m", ROAST_FORMAT, "metadata.json: is a directory, not a file");
    rmdir(in_scratch("m/metadata.json"));
    unlink(in_scratch("m/metrics.json"));
    mkfifo(in_scratch("m/metrics.json"), 0644);
    assert_not_loaded("m", ROAST_FORMAT, "metrics.json: is a device or pipe, not a file");
    unlink(in_scratch("m/metrics.json"));
    assert_int_equal(symlink("nowhere", in_scratch("m/metrics.json")), 0);
    assert_not_loaded("m", ROAST_FORMAT, "neither run.roast nor metrics.json");
}

/* In a process of its own, which gives up being root: root may read everything. */
static void a_file_without_permission_is_named(void **state)
{
    (void)state;
    put_measurement();
    assert_int_equal(chmod(in_scratch("m/metrics.json"), 0), 0);
    assert_int_equal(chmod(scratch, 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        roast_run *run;
        roast_error err = {0};
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(3);
        roast_code code = roast_run_load(&run, in_scratch("m"), NULL, &err);
        _exit(code == ROAST_IO && strstr(err.message, "/m/metrics.json: Permission denied") ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- A real one -----------------------------------------------------------------------------------------------------
 */

static size_t lines_in(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void the_real_measurement_gives_every_record(void **state)
{
    (void)state;
    const char *data = getenv("ROAST_TEST_DATA");
    if (!data) {
        puts("# skipped: ROAST_TEST_DATA is not set");
        return;
    }
    char directory[512];
    snprintf(directory, sizeof directory, "%s/measurement-0.1.2", data);
    buf all = {0};
    roast_error err = {0};
    record_sink sink = text_sink(&all);
    if (legacy_read(directory, &sink, &err))
        fail_msg("%s", err.message);
    static const struct {
        const char *kind;
        size_t lines;
    } expected[] = {/* by Python's json over the same file */
                    {"worker address", 2}, {"sample", 150}, {"count", 75},
                    {"activity", 21},      {"file", 2},     {"fact processor=Proc", 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        buf some = {0};
        text_select(&some, buf_view(&all), expected[i].kind);
        assert_int_equal(lines_in(some.data), expected[i].lines);
        buf_release(&some);
    }
    assert_non_null(strstr(all.data, "fact t_start_ns=1794771125945607000\nfact t_end_ns=1794771140884601203\n"
                                     "fact elapsed_ns=14938994203\n"));
    assert_non_null(strstr(all.data, "file url=/data/nano/nano_dy.root branches=1499 compressed=247868 uncompressed="));
    buf_release(&all);
}

static double number_of(roast_value value)
{
    return value.kind == ROAST_INT ? (double)value.as.integer : value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

/* Times per chunk are kept in whole nanoseconds; every other number agrees to the last digits. None of the defects of
 * 0.1.2 shows in this measurement: no worker left, and each chunk has its record. */
static void the_summary_of_the_real_measurement_has_the_numbers_of_its_metrics(void **state)
{
    (void)state;
    const char *data = getenv("ROAST_TEST_DATA");
    if (!data) {
        puts("# skipped: ROAST_TEST_DATA is not set");
        return;
    }
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s/measurement-0.1.2", data);
    snprintf(path, sizeof path, "%s/metrics.json", directory);
    json_t *metrics = json_load_file(path, 0, NULL), *value;
    assert_non_null(metrics);
    roast_run *run;
    roast_summary *summary;
    assert_int_equal(roast_run_load(&run, directory, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_summarize(&summary, run, NULL), ROAST_OK);
    size_t compared = 0;
    const char *name;
    json_object_foreach(metrics, name, value)
    {
        if (!json_is_number(value))
            continue;
        double seen = number_of(roast_summary_get(summary, name, NULL)), stated = json_number_value(value);
        double tolerance = strncmp(name, "chunk_duration", 14) == 0 ? 1e-9 : 1e-9 * fabs(stated);
        if (!(fabs(seen - stated) <= tolerance))
            fail_msg("%s is %.17g, metrics.json says %.17g", name, seen, stated);
        compared++;
    }
    assert_int_equal(compared, 50); /* all of its numbers, counted by Python */
    for (size_t row = 0; row < roast_summary_rows(summary, ROAST_SCOPE_FILE); row++) {
        roast_str file = roast_summary_cell(summary, ROAST_SCOPE_FILE, row, "file").as.text;
        value = json_object_get(json_object_get(metrics, "file_read_metrics"), file.ptr);
        assert_close(number_of(roast_summary_cell(summary, ROAST_SCOPE_FILE, row, "bytes_read_percent")),
                     json_number_value(json_object_get(value, "bytes_read_percent")), 1e-9);
    }
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_FILE), 2);
    roast_summary_free(summary);
    roast_run_close(run);
    json_decref(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_series_of_a_worker_are_merged_by_time),
        cmocka_unit_test(cores_and_limits_belong_to_the_worker_and_a_limit_of_0_is_none),
        cmocka_unit_test(a_count_has_the_cores_that_were_seen_at_its_time),
        cmocka_unit_test(the_documented_older_shape_is_read),
        cmocka_unit_test(a_worker_joins_when_first_seen_and_leaves_when_first_missed),
        cmocka_unit_test(heartbeats_tell_the_zone_of_local_times),
        cmocka_unit_test(chunks_tell_the_zone_where_there_are_no_heartbeats),
        cmocka_unit_test(a_stated_zone_is_kept_and_an_unknown_one_is_utc_with_a_note),
        cmocka_unit_test(the_first_sample_is_the_start_of_the_run),
        cmocka_unit_test(without_samples_the_last_chunk_is_the_end_of_the_run),
        cmocka_unit_test(with_totals_only_the_time_of_saving_is_the_end_of_the_run),
        cmocka_unit_test(epoch_times_in_start_end_time_are_taken_as_they_are),
        cmocka_unit_test(a_missing_start_end_time_is_replaced_by_the_elapsed_time),
        cmocka_unit_test(a_chunk_of_0_1_2_gives_all_of_its_fields),
        cmocka_unit_test(a_documented_chunk_gives_its_sections_summed),
        cmocka_unit_test(sections_of_one_chunk_do_not_leak_into_the_next),
        cmocka_unit_test(what_the_user_attached_is_kept_as_msgpack),
        cmocka_unit_test(the_fields_of_newer_records_are_read_too),
        cmocka_unit_test(a_chunk_with_an_error_is_a_failed_one),
        cmocka_unit_test(chunk_times_without_a_date_are_not_placed),
        cmocka_unit_test(bytes_of_0_everywhere_are_not_measured),
        cmocka_unit_test(a_file_is_given_once_with_its_uncompressed_size),
        cmocka_unit_test(a_tuple_is_read_as_python_writes_it),
        cmocka_unit_test(a_key_that_is_no_tuple_of_three_or_four_strings_is_noted),
        cmocka_unit_test(a_key_without_a_unit_has_the_one_that_dask_counts_in),
        cmocka_unit_test(the_processor_is_the_prefix_whose_times_are_stated),
        cmocka_unit_test(the_report_is_put_together_again_with_its_own_number_of_chunks),
        cmocka_unit_test(a_number_of_chunks_that_the_mean_contradicts_stays),
        cmocka_unit_test(zeros_of_0_1_2_for_what_it_did_not_measure_are_absent),
        cmocka_unit_test(stated_metrics_are_given_under_their_canonical_names),
        cmocka_unit_test(the_configuration_is_kept),
        cmocka_unit_test(sections_that_belong_to_no_chunk_are_kept_as_a_document),
        cmocka_unit_test(nan_and_infinity_count_as_not_measured),
        cmocka_unit_test(integers_beyond_64_bits_are_fine_where_a_real_will_do),
        cmocka_unit_test(broken_metrics_are_refused_with_the_place_that_is_wrong),
        cmocka_unit_test(broken_companions_are_refused_by_name),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(nesting_that_the_parser_takes_is_kept),
        cmocka_unit_test(every_cut_of_a_measurement_is_refused_in_one_line),
        test_in_scratch(a_measurement_is_loaded_as_a_run_and_not_touched),
        test_in_scratch(an_imported_measurement_is_a_run_file),
        test_in_scratch(a_folder_with_a_run_file_gives_that_run),
        test_in_scratch(a_failed_import_leaves_nothing_and_replaces_nothing),
        test_in_scratch(what_is_no_measurement_is_named),
        test_in_scratch(a_file_without_permission_is_named),
        cmocka_unit_test(the_real_measurement_gives_every_record),
        cmocka_unit_test(the_summary_of_the_real_measurement_has_the_numbers_of_its_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
