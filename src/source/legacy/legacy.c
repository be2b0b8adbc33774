/* Measurements of roastcoffea 0.1.x: loading the files, and the order in which their parts are read. */
#include "source/legacy/legacy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/metric.h"
#include "source/legacy/parts.h"

/* A clock without a date counts from the start of the machine: none has been up for 30 years. */
static const double FIRST_DATED_SECOND = 1e9;

/* ---- What the parts share ------------------------------------------------------------------------------------------
 */

void range_add(time_range *range, int64_t ns)
{
    if (ns == ROAST_ABSENT)
        return;
    if (range->first_ns == ROAST_ABSENT || ns < range->first_ns)
        range->first_ns = ns;
    if (range->last_ns == ROAST_ABSENT || ns > range->last_ns)
        range->last_ns = ns;
}

/* A zone follows the time of day; a date has no sign after its tenth character. */
static bool has_zone(roast_str text)
{
    for (size_t i = 10; i < text.len; i++)
        if (strchr("Zz+-", text.ptr[i]) && text.ptr[i])
            return true;
    return false;
}

roast_code legacy_read_time_text(legacy_reader *r, const json_place *at, roast_str text, int64_t *ns)
{
    if (!clock_parse_iso(text, ns))
        return json_fail(at, r->err, "is not a date and time");
    if (!has_zone(text)) {
        r->zone_missing = true;
        *ns -= r->zone_ns;
    }
    return ROAST_OK;
}

roast_code legacy_read_time(legacy_reader *r, const json_place *at, const json_t *value, int64_t *ns)
{
    *ns = ROAST_ABSENT;
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (json_is_string(value))
        return legacy_read_time_text(r, at, (roast_str){json_string_value(value), json_string_length(value)}, ns);
    if (!json_is_number(value))
        return json_wrong_type(at, value, "a date and time", r->err);
    double seconds = json_number_value(value);
    *ns = seconds >= 0 ? clock_ns_from_seconds(seconds) : ROAST_ABSENT;
    return *ns == ROAST_ABSENT ? json_fail(at, r->err, "is not a date and time") : ROAST_OK;
}

roast_code legacy_note(legacy_reader *r, const char *level, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return r->sink->note(r->sink->context, level, str_from(text), r->err);
}

bool legacy_grow(void **items, size_t *capacity, size_t count, size_t item_size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    while (wanted <= count)
        wanted *= 2;
    if (wanted > SIZE_MAX / 2 / item_size)
        return false;
    void *larger = realloc(*items, wanted * item_size);
    if (!larger)
        return false;
    *items = larger;
    *capacity = wanted;
    return true;
}

/* ---- The documents ----------------------------------------------------------------------------------------------- */

static roast_code parse(legacy_reader *r, const json_place *file, roast_str text, json_t **out)
{
    size_t not_numbers = 0;
    if (str_absent(text))
        return ROAST_OK;
    roast_code code = json_parse(file, text, out, &not_numbers, r->err);
    if (code || not_numbers == 0)
        return code;
    const char *name = strrchr(file->key, '/');
    return legacy_note(r, "warning", "%s: %zu %s NaN or infinite, which counts as not measured.",
                       name ? name + 1 : file->key, not_numbers, not_numbers == 1 ? "value is" : "values are");
}

/* metrics.json is a common name; without a single metric of ours it is somebody else's. */
static roast_code check_it_is_ours(legacy_reader *r)
{
    static const char *const records[] = {"tracking_data", "raw_chunk_metrics", "chunk_metrics", "raw_span_metrics"};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (json_object_get(r->metrics, records[i]))
            return ROAST_OK;
    const char *key;
    json_t *value;
    json_object_foreach(r->metrics, key, value)
    {
        if (metric_find(ROAST_SCOPE_RUN, str_from(key)) != METRIC_COUNT)
            return ROAST_OK;
    }
    return fail(r->err, ROAST_FORMAT, "%s: none of roastcoffea's metrics is in it", r->metrics_file.key);
}

static roast_code check_format(legacy_reader *r)
{
    roast_str format;
    json_place at = place_member(&r->metadata_file, "format");
    roast_code code = json_read_text(&at, json_object_get(r->metadata, "format"), &format, r->err);
    if (code || str_absent(format) || str_equal(format, STR("roastcoffea_measurement_v1")))
        return code;
    return json_fail(&at, r->err, "is not roastcoffea_measurement_v1; a newer version may read it");
}

static roast_code give_document(legacy_reader *r, const char *kind, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (!text)
        return fail_memory(r->err);
    roast_code code = r->sink->document(r->sink->context, kind, str_from(text), r->err);
    free(text);
    return code;
}

/* The configuration is the user's own; it is kept as it is, if it is JSON. */
static roast_code give_config(legacy_reader *r, const json_place *file)
{
    json_t *config = NULL;
    roast_code code = parse(r, file, r->texts->config, &config);
    if (!code && config)
        code = give_document(r, "config", config);
    json_decref(config);
    return code;
}

/* Sections that a user recorded by hand belong to no chunk. They are kept, and it is said where. */
static roast_code keep_loose_sections(legacy_reader *r)
{
    json_t *list;
    json_place at = place_member(&r->metrics_file, "raw_section_metrics");
    roast_code code = json_read_array(&at, json_object_get(r->metrics, "raw_section_metrics"), &list, r->err);
    if (code || json_array_size(list) == 0)
        return code;
    code = give_document(r, "raw_section_metrics", list);
    if (code)
        return code;
    return legacy_note(r, "info", "raw_section_metrics: %zu belong to no chunk; they are kept as a document.",
                       json_array_size(list));
}

/* The last part of the path, whatever slashes it ends in. */
static roast_str name_of(const char *directory)
{
    roast_str path = str_from(directory);
    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    const char *slash = memrchr(path.ptr, '/', path.len);
    return slash && path.len > 1 ? (roast_str){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)} : path;
}

static roast_code read_parts(legacy_reader *r)
{
    roast_code code = ROAST_OK;
    if (!r->loose)
        code = r->sink->fact(r->sink->context, "name", name_of(r->texts->directory), r->err);
    if (!code)
        code = r->sink->fact(r->sink->context, "source", STR("roastcoffea 0.1.x measurement"), r->err);
    roast_code (*const parts[])(legacy_reader *) = {tracking_survey,     chunks_survey, window_place,
                                                    tracking_read,       files_read,    chunks_read,
                                                    keep_loose_sections, spans_read,    totals_read};
    for (size_t i = 0; !code && i < sizeof parts / sizeof *parts; i++)
        code = parts[i](r);
    return code;
}

roast_code legacy_read_texts(const legacy_texts *texts, const record_sink *sink, roast_error *err)
{
    buf metrics_path = {0}, metadata_path = {0}, config_path = {0};
    const char *directory = texts->directory ? texts->directory : "the data given";
    buf_format(&metrics_path, texts->directory ? "%s/metrics.json" : "%s", directory);
    buf_format(&metadata_path, "%s/metadata.json", directory);
    buf_format(&config_path, "%s/config.json", directory);
    const time_range none = {ROAST_ABSENT, ROAST_ABSENT};
    legacy_reader r = {.texts = texts,
                       .sink = sink,
                       .err = err,
                       .loose = !texts->directory,
                       .first_dated_second = texts->directory ? FIRST_DATED_SECOND : 0,
                       .tracked = none,
                       .chunks = none,
                       .heartbeat_lag = ROAST_ABSENT};
    roast_code code = ROAST_OK;
    if (metrics_path.code || metadata_path.code || config_path.code) {
        code = fail_memory(err);
        goto done;
    }
    r.metrics_file = (json_place){.key = metrics_path.data};
    r.metadata_file = (json_place){.key = metadata_path.data};
    json_place config_file = {.key = config_path.data};
    code = parse(&r, &r.metrics_file, str_absent(texts->metrics) ? STR("") : texts->metrics, &r.metrics);
    if (!code)
        code = parse(&r, &r.metadata_file, texts->metadata, &r.metadata);
    if (!code)
        code = check_it_is_ours(&r);
    if (!code)
        code = check_format(&r);
    if (!code)
        code = read_parts(&r);
    if (!code)
        code = give_config(&r, &config_file);
done:
    json_decref(r.metrics);
    json_decref(r.metadata);
    buf_release(&metrics_path);
    buf_release(&metadata_path);
    buf_release(&config_path);
    return code;
}

/* ---- The files ----------------------------------------------------------------------------------------------------
 */

static roast_code read_all(int file, const char *path, buf *text, roast_error *err)
{
    char block[65536];
    ssize_t got;
    while ((got = read(file, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
        buf_bytes(text, block, (size_t)got);
        if (text->code)
            return fail(err, text->code, "%s: %s", path, roast_code_text(text->code));
    }
    return ROAST_OK;
}

/* An optional file that is not there leaves *text absent. O_NONBLOCK: a pipe of that name must not stop us. */
static roast_code read_file(const char *directory, const char *name, bool optional, buf *content, roast_str *text,
                            roast_error *err)
{
    buf path = {0};
    struct stat status;
    roast_code code = ROAST_OK;
    int file = -1;
    *text = str_none();
    buf_format(&path, "%s/%s", directory, name);
    if (path.code) {
        code = fail_memory(err);
        goto done;
    }
    file = open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        if (!(optional && errno == ENOENT))
            code = fail(err, ROAST_IO, "%s: %s", path.data, strerror(errno));
        goto done;
    }
    if (fstat(file, &status) != 0) {
        code = fail(err, ROAST_IO, "%s: %s", path.data, strerror(errno));
        goto done;
    }
    if (!S_ISREG(status.st_mode)) {
        code = fail(err, ROAST_FORMAT, "%s: is %s, not a file", path.data,
                    S_ISDIR(status.st_mode) ? "a directory" : "a device or pipe");
        goto done;
    }
    code = read_all(file, path.data, content, err);
    *text = content->len ? buf_view(content) : STR("");
done:
    if (file >= 0)
        close(file);
    buf_release(&path);
    return code;
}

bool legacy_is_measurement(const char *path)
{
    struct stat status;
    int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool is_one = fstatat(folder, "metrics.json", &status, 0) == 0;
    close(folder);
    return is_one;
}

roast_code legacy_read(const char *directory, const record_sink *sink, roast_error *err)
{
    buf metrics = {0}, timing = {0}, metadata = {0}, config = {0};
    legacy_texts texts = {.directory = directory};
    roast_code code = read_file(directory, "metrics.json", false, &metrics, &texts.metrics, err);
    if (!code)
        code = read_file(directory, "start_end_time.txt", true, &timing, &texts.timing, err);
    if (!code)
        code = read_file(directory, "metadata.json", true, &metadata, &texts.metadata, err);
    if (!code)
        code = read_file(directory, "config.json", true, &config, &texts.config, err);
    if (!code)
        code = legacy_read_texts(&texts, sink, err);
    buf_release(&metrics);
    buf_release(&timing);
    buf_release(&metadata);
    buf_release(&config);
    return code;
}
