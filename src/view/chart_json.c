/* Charts as JSON: what a renderer in another language needs to draw the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "view/chart.h"
#include "view/json.h"

/* Nine digits: less than a thousandth of a pixel, and half the size of all of them. */
enum { DIGITS = 9, DIGITS_SAID = 4 };

static void put_number(buf *out, double value, int digits)
{
    if (!isfinite(value)) {
        buf_text(out, "null");
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    char *comma = strchr(text, ','); /* the program that loads the library may have set a locale */
    if (comma)
        *comma = '.';
    buf_text(out, text);
}

/* On one line, whatever its length. */
static void put_rounded(json_writer *w, const char *key, const double *values, size_t count, int digits)
{
    if (!values)
        return;
    json_put_key(w, str_from(key));
    w->after_key = false;
    buf_char(w->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_char(w->out, ',');
        put_number(w->out, values[i], digits);
    }
    buf_char(w->out, ']');
}

static void put_numbers(json_writer *w, const char *key, const double *values, size_t count)
{
    put_rounded(w, key, values, count, DIGITS);
}

static void put_bool(json_writer *w, const char *key, bool value)
{
    json_put_key(w, str_from(key));
    w->after_key = false;
    buf_text(w->out, value ? "true" : "false");
}

static void put_axis(json_writer *w, const char *key, const chart_axis *axis)
{
    if (str_absent(axis->label)) {
        json_put_text(w, key, str_none());
        return;
    }
    json_put_open(w, key, '{');
    json_put_text(w, "label", axis->label);
    json_put_text(w, "unit", axis->unit);
    json_put_text(w, "kind", str_from(chart_scale_text(axis->scale)));
    put_numbers(w, "limits", (double[]){axis->low, axis->high}, 2);
    json_put_open(w, "ticks", '[');
    for (size_t i = 0; i < axis->n_ticks; i++) {
        json_put_open(w, NULL, '{');
        json_put_real(w, "at", axis->ticks[i].at);
        json_put_text(w, "label", axis->ticks[i].label);
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
    json_put_open(w, "categories", '[');
    for (size_t i = 0; i < axis->n_categories; i++)
        json_put_text(w, NULL, axis->categories[i]);
    json_put_close(w, ']');
    if (axis->scale == CHART_TIME)
        json_put_int(w, "origin_ns", axis->origin_ns);
    json_put_close(w, '}');
}

static void put_panels(json_writer *w, const chart *c)
{
    json_put_open(w, "panels", '[');
    for (size_t i = 0; i < c->n_panels; i++) {
        json_put_open(w, NULL, '{');
        put_numbers(w, "x", (double[]){c->panels[i].from, c->panels[i].to}, 2);
        put_axis(w, "y", &c->panels[i].y);
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

static void put_shades(json_writer *w, const chart *c)
{
    json_put_open(w, "shades", '[');
    for (size_t i = 0; i < CHART_SHADES && !str_absent(c->z.label); i++)
        json_put_text(w, NULL, str_from(chart_shade_text(i)));
    json_put_close(w, ']');
}

static void put_series(json_writer *w, const chart_series *s, bool beside_picture)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "name", s->name);
    json_put_text(w, "kind", str_from(chart_kind_text(s->kind)));
    json_put_int(w, "colour", s->colour);
    json_put_text(w, "shade", str_from(chart_colour_text(s->colour)));
    json_put_int(w, "panel", (int64_t)s->panel);
    put_bool(w, "legend", s->legend);
    put_bool(w, "quiet", s->quiet);
    if (s->kind == CHART_BARS)
        json_put_real(w, "width", s->width);
    if (s->kind == CHART_POINTS && beside_picture) {
        json_put_close(w, '}');
        return;
    }
    put_numbers(w, "x", s->x, s->count);
    put_numbers(w, "x2", s->x2, s->count);
    put_numbers(w, "y", s->y, s->count);
    put_numbers(w, "y2", s->y2, s->count);
    put_rounded(w, "z", s->z, s->count, beside_picture ? DIGITS_SAID : DIGITS); /* the picture has the shades */
    put_numbers(w, "weight", s->weight, s->count);
    json_put_close(w, '}');
}

static void put_notes(json_writer *w, const chart *c)
{
    static const char *const kinds[] = {"text", "at_x", "at_y"};
    json_put_open(w, "annotations", '[');
    for (size_t i = 0; i < c->n_notes; i++) {
        json_put_open(w, NULL, '{');
        json_put_text(w, "kind", str_from(kinds[c->notes[i].kind]));
        if (c->notes[i].kind != NOTE_TEXT)
            json_put_real(w, "at", c->notes[i].at);
        json_put_text(w, "text", c->notes[i].text);
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

void chart_json(buf *out, const chart *c, bool beside_picture)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "id", str_from(c->id));
    json_put_text(&w, "title", c->title);
    json_put_text(&w, "description", c->description);
    json_put_text(&w, "why_empty", c->why);
    put_bool(&w, "horizontal", c->horizontal);
    json_put_real(&w, "width", c->width);
    json_put_real(&w, "height", c->height);
    put_axis(&w, "x", &c->x);
    put_panels(&w, c);
    put_axis(&w, "z", &c->z);
    put_shades(&w, c);
    json_put_open(&w, "series", '[');
    for (size_t i = 0; i < c->n_series; i++)
        put_series(&w, &c->series[i], beside_picture);
    json_put_close(&w, ']');
    json_put_text(&w, "legend_more", c->more);
    put_notes(&w, c);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
