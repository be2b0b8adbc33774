/* A sink that writes each record as a line of text with the fields that are not absent, so that a test states the
 * records it expects. */
#ifndef TESTS_TEXT_SINK_H
#define TESTS_TEXT_SINK_H

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/sink.h"

static inline void text_int(buf *out, const char *name, int64_t value)
{
    if (value != ROAST_ABSENT)
        buf_format(out, " %s=%" PRId64, name, value);
}

static inline void text_real(buf *out, const char *name, double value)
{
    if (!isnan(value))
        buf_format(out, " %s=%.12g", name, value);
}

static inline void text_str(buf *out, const char *name, roast_str value)
{
    if (str_absent(value))
        return;
    buf_format(out, " %s=", name);
    for (size_t i = 0; i < value.len; i++) /* a record is one line */
        if (value.ptr[i] == '\n')
            buf_text(out, "\\n");
        else
            buf_char(out, value.ptr[i]);
}

static inline roast_code text_fact(void *out, const char *key, roast_str value, roast_error *err)
{
    (void)err;
    buf_text(out, "fact");
    text_str(out, key, value);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_fact_int(void *out, const char *key, int64_t value, roast_error *err)
{
    (void)err;
    buf_text(out, "fact");
    text_int(out, key, value);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_given(void *out, roast_str metric, roast_value value, roast_error *err)
{
    (void)err;
    buf_text(out, "given ");
    buf_str(out, metric);
    if (value.kind == ROAST_INT)
        buf_format(out, " %" PRId64 "\n", value.as.integer);
    else
        buf_format(out, " %#.12g\n", value.as.real);
    return ROAST_OK;
}

static inline roast_code text_worker(void *out, const roast_worker *w, roast_error *err)
{
    (void)err;
    buf_text(out, "worker");
    text_str(out, "address", w->address);
    text_str(out, "name", w->name);
    text_str(out, "host", w->host);
    text_int(out, "pid", w->pid);
    text_int(out, "cores", w->cores);
    text_int(out, "limit", w->memory_limit);
    text_int(out, "joined", w->joined_ns);
    text_int(out, "left", w->left_ns);
    if (w->lost)
        buf_text(out, " lost");
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_sample(void *out, const roast_sample *s, roast_error *err)
{
    (void)err;
    buf_text(out, "sample");
    text_str(out, "worker", s->worker);
    text_int(out, "t", s->t_ns);
    text_int(out, "memory", s->memory);
    text_int(out, "managed", s->managed);
    text_int(out, "spilled", s->spilled);
    text_real(out, "cpu", s->cpu);
    text_int(out, "processing", s->processing);
    text_int(out, "executing", s->executing);
    text_real(out, "occupancy", s->occupancy);
    text_int(out, "last_seen", s->last_seen_ns);
    text_real(out, "net_read", s->net_read);
    text_real(out, "net_write", s->net_write);
    text_real(out, "disk_read", s->disk_read);
    text_real(out, "disk_write", s->disk_write);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_count(void *out, const roast_worker_count *c, roast_error *err)
{
    (void)err;
    buf_text(out, "count");
    text_int(out, "t", c->t_ns);
    text_int(out, "workers", c->workers);
    text_int(out, "cores", c->cores);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline void text_chunk_parts(buf *out, const roast_chunk *c)
{
    for (size_t i = 0; i < c->n_sections; i++) {
        const roast_section *s = &c->sections[i];
        buf_text(out, "  section");
        text_str(out, "name", s->name);
        text_int(out, "count", s->count);
        text_int(out, "depth", s->depth);
        text_int(out, "duration", s->duration_ns);
        text_int(out, "cpu", s->cpu_ns);
        text_int(out, "before", s->rss_before);
        text_int(out, "after", s->rss_after);
        text_int(out, "delta", s->rss_delta);
        text_int(out, "bytes", s->bytes);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < c->n_branches; i++) {
        buf_text(out, "  branch");
        text_str(out, "name", c->branches[i]);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < c->n_custom; i++) {
        buf_text(out, "  custom ");
        buf_str(out, c->custom[i].name);
        for (size_t b = 0; b < c->custom[i].msgpack.len; b++)
            buf_format(out, " %02x", (unsigned char)c->custom[i].msgpack.ptr[b]);
        buf_char(out, '\n');
    }
}

static inline roast_code text_chunk(void *out, const roast_chunk *c, roast_error *err)
{
    (void)err;
    buf_text(out, c->uid ? "chunk" : "chunk without uid");
    text_str(out, "dataset", c->dataset);
    text_str(out, "file", c->file);
    text_str(out, "tree", c->treename);
    text_str(out, "uuid", c->uuid);
    text_int(out, "start", c->entry_start);
    text_int(out, "stop", c->entry_stop);
    text_int(out, "events", c->events);
    text_int(out, "attempt", c->attempt);
    text_str(out, "worker", c->worker);
    text_int(out, "thread", c->thread);
    text_int(out, "pid", c->pid);
    text_int(out, "t", c->t_start_ns);
    text_int(out, "duration", c->duration_ns);
    text_int(out, "open", c->open_ns);
    text_int(out, "events_ns", c->events_ns);
    text_int(out, "return", c->return_ns);
    text_int(out, "cpu", c->cpu_ns);
    text_int(out, "run_delay", c->run_delay_ns);
    text_int(out, "before", c->rss_before);
    text_int(out, "after", c->rss_after);
    text_int(out, "peak", c->rss_peak);
    if (c->peak_shared)
        buf_text(out, " peak_shared");
    text_int(out, "bytes_read", c->bytes_read);
    text_int(out, "requests", c->read_requests);
    text_int(out, "voluntary", c->voluntary_switches);
    text_int(out, "involuntary", c->involuntary_switches);
    text_int(out, "page_faults", c->page_faults);
    text_str(out, "error_type", c->error_type);
    text_str(out, "error", c->error);
    buf_char(out, '\n');
    text_chunk_parts(out, c);
    return ROAST_OK;
}

static inline roast_code text_file(void *out, const roast_file *f, roast_error *err)
{
    (void)err;
    buf_text(out, "file");
    text_str(out, "url", f->url);
    text_str(out, "uuid", f->uuid);
    text_str(out, "tree", f->tree);
    text_int(out, "entries", f->entries);
    text_int(out, "branches", f->total_branches);
    text_int(out, "compressed", f->compressed);
    text_int(out, "uncompressed", f->uncompressed);
    text_int(out, "clusters", f->clusters);
    text_str(out, "algorithm", f->algorithm);
    text_int(out, "level", f->level);
    buf_char(out, '\n');
    for (size_t i = 0; i < f->n_branches; i++) {
        buf_text(out, "  branch");
        text_str(out, "name", f->branches[i].name);
        text_int(out, "compressed", f->branches[i].compressed);
        text_int(out, "uncompressed", f->branches[i].uncompressed);
        text_int(out, "baskets", f->branches[i].baskets);
        buf_char(out, '\n');
    }
    return ROAST_OK;
}

static inline roast_code text_task(void *out, const roast_task *t, roast_error *err)
{
    (void)err;
    buf_text(out, "task");
    text_str(out, "key", t->key);
    text_str(out, "prefix", t->prefix);
    text_str(out, "worker", t->worker);
    text_int(out, "start", t->start_ns);
    text_int(out, "stop", t->stop_ns);
    text_str(out, "state", t->state);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_activity(void *out, const roast_activity *a, roast_error *err)
{
    (void)err;
    buf_text(out, "activity");
    text_str(out, "context", a->context);
    text_str(out, "prefix", a->prefix);
    text_str(out, "activity", a->activity);
    text_str(out, "unit", a->unit);
    text_real(out, "value", a->value);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_document(void *out, const char *kind, roast_str json, roast_error *err)
{
    (void)err;
    buf_format(out, "document %s ", kind);
    buf_str(out, json);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline roast_code text_note(void *out, const char *level, roast_str text, roast_error *err)
{
    (void)err;
    buf_format(out, "note %s ", level);
    buf_str(out, text);
    buf_char(out, '\n');
    return ROAST_OK;
}

static inline record_sink text_sink(buf *out)
{
    return (record_sink){.context = out,
                         .fact = text_fact,
                         .fact_int = text_fact_int,
                         .given = text_given,
                         .worker = text_worker,
                         .sample = text_sample,
                         .count = text_count,
                         .chunk = text_chunk,
                         .file = text_file,
                         .task = text_task,
                         .activity = text_activity,
                         .document = text_document,
                         .note = text_note};
}

/* The records of one kind (lines that start with this, and the parts indented under them). */
static inline void text_select(buf *out, roast_str all, const char *kind)
{
    bool taken = false;
    while (all.len) {
        roast_str line = str_split(&all, '\n');
        if (!str_starts_with(line, STR("  ")))
            taken = str_starts_with(line, str_from(kind));
        if (taken && line.len) {
            buf_str(out, line);
            buf_char(out, '\n');
        }
    }
}

#endif
