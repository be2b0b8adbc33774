/* Fuzzing measurements of roastcoffea 0.1.x. An input is metrics.json, start_end_time.txt, metadata.json and
 * config.json one after the other, with a line "---" between them; those that are missing at the end are not there. */
#include <assert.h>
#include <stdlib.h>

#include "../unit/text_sink.h"
#include "fuzz.h"
#include "source/legacy/legacy.h"

/* What comes before the next line "---". */
static roast_str next_text(roast_str *rest)
{
    static const char separator[] = "\n---\n";
    const size_t length = sizeof separator - 1;
    roast_str all = *rest;
    const char *at = str_absent(all) ? NULL : memmem(all.ptr, all.len, separator, length);
    if (!at) {
        *rest = str_none();
        return all;
    }
    size_t before = (size_t)(at - all.ptr);
    *rest = (roast_str){at + length, all.len - before - length};
    return (roast_str){all.ptr, before};
}

static void read_texts(const legacy_texts *texts)
{
    buf records = {0};
    roast_error err = {0};
    record_sink sink = text_sink(&records);
    roast_code code = legacy_read_texts(texts, &sink, &err);
    /* A refusal says why, in one line. */
    assert(!code == !err.message[0]);
    assert(code == err.code && !strchr(err.message, '\n'));
    buf_release(&records);
}

/* As a measurement, and as parts of one that a script holds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    roast_str rest = {(const char *)data, size};
    legacy_texts texts = {.directory = "m"};
    texts.metrics = next_text(&rest);
    texts.timing = next_text(&rest);
    texts.metadata = next_text(&rest);
    texts.config = next_text(&rest);
    read_texts(&texts);
    read_texts(&(legacy_texts){.metrics = texts.metrics});
    return 0;
}
