/* Since the last run. */
#include "view/since_words.h"

#include <math.h>

#include "analysis/since_last.h"
#include "base/str.h"
#include "view/format.h"

static void put_change(buf *out, const char *what, const double numbers[TIMES])
{
    if (!since_last_changed(numbers))
        return;
    buf_format(out, " %s ", what);
    format_count(out, (int64_t)llround(numbers[THEN]));
    buf_text(out, " → ");
    format_count(out, (int64_t)llround(numbers[SINCE]));
    buf_char(out, ',');
}

static void put_engines(buf *out, const since_last *s)
{
    if (!since_last_other_engine(s))
        return;
    buf_text(out, " engine ");
    buf_str(out, s->engine[THEN]);
    buf_text(out, " → ");
    buf_str(out, s->engine[SINCE]);
    buf_char(out, ',');
}

static void put_speed(buf *out, double faster_percent)
{
    double percent = round(fabs(faster_percent)), times = 1 - faster_percent / 100;
    if (times >= 2)
        buf_format(out, " %.*f times as long", times < 10 ? 1 : 0, times);
    else if (percent < 1)
        buf_text(out, " as fast");
    else
        buf_format(out, " %.0f %% %s", percent, faster_percent > 0 ? "faster" : "slower");
}

/* What the advice had promised, or that it is still there to be followed. */
static void put_advice(buf *out, const since_last *s)
{
    if (isfinite(s->predicted_percent)) {
        buf_format(out, "; predicted %.0f %%", s->predicted_percent);
    } else if (s->followed || !isfinite(s->advised_percent)) {
        return;
    } else if (isfinite(s->advised_chunksize)) {
        buf_text(out, "; advised: chunksize ");
        format_count(out, (int64_t)llround(s->advised_chunksize));
        buf_format(out, ", about %.0f %% faster", s->advised_percent);
    } else if (s->advised_keeping_chunks) {
        buf_format(out, "; advised: preprocess once, about %.0f %% faster", s->advised_percent);
    }
}

static void put_changes(buf *out, const since_last *s)
{
    put_change(out, "chunksize", s->chunksize);
    put_change(out, "cores", s->cores);
    put_engines(out, s);
    put_speed(out, s->faster_percent);
    put_advice(out, s);
}

static void put_line(buf *out, const since_last *s)
{
    buf_text(out, "since the last run:");
    put_changes(out, s);
}

void since_last_changes(buf *out, const roast_summary *summary)
{
    since_last s;
    buf changes = {0};
    if (since_last_read(&s, summary))
        put_changes(&changes, &s);
    buf_str(out, str_trim(buf_view(&changes)));
    out->code = out->code ? out->code : changes.code;
    buf_release(&changes);
}

void since_last_text(buf *out, const roast_summary *summary)
{
    since_last s;
    if (since_last_read(&s, summary))
        put_line(out, &s);
}

static void json_change(json_writer *w, const char *key, const double numbers[TIMES])
{
    json_put_open(w, key, '[');
    for (size_t i = 0; i < TIMES; i++)
        json_put_real(w, NULL, numbers[i]);
    json_put_close(w, ']');
}

void since_last_json(json_writer *w, const roast_summary *summary)
{
    since_last s;
    buf line = {0};
    if (!since_last_read(&s, summary)) {
        json_put_text(w, "since_last_run", str_none());
        return;
    }
    put_line(&line, &s);
    json_put_open(w, "since_last_run", '{');
    json_put_text(w, "text", buf_view(&line));
    json_put_text(w, "run", summary_fact(summary, "last_run"));
    json_change(w, "chunksize", s.chunksize);
    json_change(w, "cores", s.cores);
    json_put_real(w, "faster_percent", s.faster_percent);
    json_put_real(w, "predicted_percent", s.predicted_percent);
    json_put_close(w, '}');
    w->out->code = w->out->code ? w->out->code : line.code;
    buf_release(&line);
}
