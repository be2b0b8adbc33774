/* Opening whatever a user may call a run: a run file, a folder with a run file in it, or what another program left
 * behind, which is read into a run in memory. */
#include "record/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "record/recorder.h"
#include "run/reader.h"
#include "source/legacy/legacy.h"

/* ---- The sources --------------------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

static char *run_file_in(const char *folder)
{
    char *path = NULL;
    return asprintf(&path, "%s/run.roast", folder) < 0 ? NULL : path;
}

/* Also where it cannot be looked: opening it says why. */
static bool has_run_file(const char *folder)
{
    struct stat status;
    char *path = run_file_in(folder);
    bool found = path && (stat(path, &status) == 0 || errno == EACCES);
    free(path);
    return found;
}

static roast_code open_run_file_in(roast_run **out, const char *folder, const roast_open_options *options,
                                   roast_error *err)
{
    char *path = run_file_in(folder);
    roast_code code = path ? roast_run_open(out, path, options, err) : fail_memory(err);
    free(path);
    return code;
}

static const run_source sources[] = {
    {is_file, roast_run_open, NULL},
    {has_run_file, open_run_file_in, NULL}, /* a measurement of ours */
    {legacy_is_measurement, NULL, legacy_read},
};

const run_source *run_source_of(const char *path, bool to_read)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if ((sources[i].read || !to_read) && sources[i].recognise(path))
            return &sources[i];
    return NULL;
}

/* ---- Loading ------------------------------------------------------------------------------------------------- */

/* From a source, or else from texts. */
static roast_code load_into_memory(roast_run **out, const run_source *source, const char *path,
                                   const legacy_texts *texts, roast_error *err)
{
    roast_recorder *recorder;
    roast_code code = roast_recorder_open(&recorder, ":memory:", NULL, err);
    if (code)
        return code;
    record_sink sink = recorder_sink(recorder);
    code = source ? source->read(path, &sink, err) : legacy_read_texts(texts, &sink, err);
    if (!code)
        return recorder_into_run(recorder, out, err);
    roast_recorder_close(recorder, ROAST_INTERRUPTED, NULL);
    return code;
}

roast_code run_of_metrics(roast_run **out, roast_str metrics, roast_error *err)
{
    *out = NULL;
    const legacy_texts texts = {.metrics = metrics};
    return load_into_memory(out, NULL, NULL, &texts, err);
}

roast_code roast_run_load(roast_run **out, const char *path, const roast_open_options *options, roast_error *err)
{
    *out = NULL;
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(err, errno == ENOENT ? ROAST_MISSING : ROAST_IO, "%s: %s", path, strerror(errno));
    const run_source *source = run_source_of(path, false);
    if (!source)
        return fail(err, ROAST_FORMAT, "%s: not a measurement: neither run.roast nor metrics.json is in it", path);
    if (source->open)
        return source->open(out, path, options, err);
    roast_code code = load_into_memory(out, source, path, NULL, err);
    if (!code && (code = run_came_from(*out, path, err))) {
        roast_run_close(*out);
        *out = NULL;
    }
    return code;
}
