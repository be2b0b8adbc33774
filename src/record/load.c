/* Opening whatever a user may call a run: a run file, a folder with a run file in it, or a measurement of
 * roastcoffea 0.1.x, which is read into a run in memory. */
#include "record/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "record/recorder.h"
#include "source/legacy/legacy.h"

/* From a directory, or else from texts. */
static roast_code load_into_memory(roast_run **out, const char *path, const legacy_texts *texts, roast_error *err)
{
    roast_recorder *recorder;
    roast_code code = roast_recorder_open(&recorder, ":memory:", NULL, err);
    if (code)
        return code;
    record_sink sink = recorder_sink(recorder);
    code = path ? legacy_read(path, &sink, err) : legacy_read_texts(texts, &sink, err);
    if (!code)
        return recorder_into_run(recorder, out, err);
    roast_recorder_close(recorder, ROAST_INTERRUPTED, NULL);
    return code;
}

static roast_code load_directory(roast_run **out, const char *path, const roast_open_options *options, roast_error *err)
{
    char *run_file = NULL;
    struct stat status;
    if (asprintf(&run_file, "%s/run.roast", path) < 0)
        return fail_memory(err);
    roast_code code;
    if (stat(run_file, &status) == 0)
        code = roast_run_open(out, run_file, options, err);
    else if (errno == EACCES)
        code = fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
    else if (legacy_is_measurement(path))
        code = load_into_memory(out, path, NULL, err);
    else
        code = fail(err, ROAST_FORMAT, "%s: not a measurement: neither run.roast nor metrics.json is in it", path);
    free(run_file);
    return code;
}

roast_code run_of_metrics(roast_run **out, roast_str metrics, roast_error *err)
{
    *out = NULL;
    const legacy_texts texts = {.metrics = metrics};
    return load_into_memory(out, NULL, &texts, err);
}

roast_code roast_run_load(roast_run **out, const char *path, const roast_open_options *options, roast_error *err)
{
    *out = NULL;
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
    return S_ISDIR(status.st_mode) ? load_directory(out, path, options, err) : roast_run_open(out, path, options, err);
}
