/* How charts look: the palette and the rules of their style, light or dark as the reader prefers. A page takes the
 * palette as variables and uses it for everything else too. */
#include <string.h>

#include "view/svg.h"

/* Told apart by people who see red and green alike, which takes steps of lightness between them, and with enough
 * contrast on their ground. */
static const struct palette {
    const char *colours[CHART_COLOURS];
    const char *neutral, *bad, *ground, *ink, *muted, *grid;
    const char *shades[CHART_SHADES];
} LIGHT = {{"#0072b2", "#e69f00", "#04573a", "#f294c8", "#2f93f5", "#520c46", "#b8b35c"},
           "#6c757e",
           "#c8300a",
           "#ffffff",
           "#1c2430",
           "#5b6675",
           "#e3e7ec",
           {"#e3eef7", "#c2dcef", "#a0cae6", "#7fb8de", "#55a1cf", "#2a89c1", "#0072b2", "#02598c", "#044165",
            "#06283f"}},
  DARK = {
      {"#4ba3e3", "#f7c548", "#2f7d5c", "#ffe0e6", "#5fd0f0", "#b0408f", "#d7d18e"},
      "#a3a7ab",
      "#ea5836",
      "#12161c",
      "#e8ecf1",
      "#9aa5b3",
      "#2a313b",
      {"#1c2c3b", "#1e3d57", "#204f73", "#22608f", "#3076ab", "#3d8dc7", "#4ba3e3", "#7fbeec", "#b2d9f6", "#e6f4ff"}};

const char *svg_colour_name(int colour)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6"};
    return colour == CHART_BAD ? "b" : colour < 0 || colour >= CHART_COLOURS ? "n" : names[colour];
}

const char *chart_colour_text(int colour)
{
    return colour == CHART_BAD                     ? LIGHT.bad
           : colour < 0 || colour >= CHART_COLOURS ? LIGHT.neutral
                                                   : LIGHT.colours[colour];
}

const char *chart_shade_text(size_t shade)
{
    return LIGHT.shades[shade < CHART_SHADES ? shade : CHART_SHADES - 1];
}

/* Of marks and of the legend; they are in a group of this class, because marks that are shown again elsewhere are
 * styled by what is inside of them. */
static void put_colour(buf *out, const char *name, const char *value)
{
    buf_format(
        out, ".roast-marks .c%s .f,.roast-marks .c%s .a{fill:%s}.roast-marks .c%s .l,.roast-marks .c%s .p{stroke:%s}\n",
        name, name, value, name, name, value);
}

static void put_palette(buf *out, const struct palette *s)
{
    for (int i = 0; i < CHART_COLOURS; i++)
        put_colour(out, svg_colour_name(i), s->colours[i]);
    put_colour(out, svg_colour_name(CHART_NEUTRAL), s->neutral);
    put_colour(out, svg_colour_name(CHART_BAD), s->bad);
    buf_format(out, ".roast-marks .c%s .f{stroke:%s;stroke-width:1}", svg_colour_name(CHART_BAD), s->ink);
    for (int i = 0; i < CHART_SHADES; i++)
        buf_format(out, ".roast-marks .s%d{stroke:%s}", i, s->shades[i]);
    buf_format(out,
               ".roast-chart .w{fill:%s}.roast-chart .h{fill:%s}.roast-chart .t{fill:%s}.roast-chart .k{fill:%s}\n"
               ".roast-chart .g{stroke:%s}.roast-chart .x,.roast-chart .n{stroke:%s}.roast-chart .o{stroke:%s}\n",
               s->ground, s->ink, s->ink, s->muted, s->grid, s->muted, s->ground);
}

static void put_rules(buf *out)
{
    buf_text(
        out,
        ".roast-chart{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px}\n"
        ".roast-chart .h{font-size:13px;font-weight:600}.roast-chart .k{font-size:11.5px}\n"
        ".roast-chart .e{text-anchor:end}.roast-chart .m{text-anchor:middle}\n"
        ".roast-marks path{vector-effect:non-scaling-stroke}"
        ".roast-marks .y{shape-rendering:crispEdges;vector-effect:none}\n"
        ".roast-chart .g{stroke-width:1}.roast-chart .x{stroke-width:1}\n"
        ".roast-chart .n{stroke-width:1;stroke-dasharray:4 3}\n"
        ".roast-chart .o{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n"
        ".roast-marks .l{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n"
        ".roast-marks .a{opacity:.18;stroke:none}.roast-marks .q .a{opacity:.25}\n"
        ".roast-marks .f{opacity:.88;stroke:none}\n"
        ".roast-marks .p{fill:none;stroke-linecap:round;opacity:.6}.roast-marks .p0{stroke-width:3.2}\n"
        ".roast-marks .p1{stroke-width:4.2}.roast-marks .p2{stroke-width:5.6}"
        ".roast-marks .p3{stroke-width:7.5}.roast-marks .r .p0{stroke-width:5}.roast-marks .r .p1{stroke-width:5.6}"
        ".roast-marks .d{stroke-width:8;opacity:.85}\n");
}

void chart_css(buf *out)
{
    put_rules(out);
    put_palette(out, &LIGHT);
    buf_text(out, "@media (prefers-color-scheme:dark){\n");
    put_palette(out, &DARK);
    buf_text(out, "}\n");
}

/* The names of the variables in the place of colours. */
static const struct palette BY_NAME = {
    {"var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"},
    "var(--neutral)",
    "var(--bad)",
    "var(--ground)",
    "var(--ink)",
    "var(--muted)",
    "var(--grid)",
    {"var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)",
     "var(--s8)", "var(--s9)"}};

const char *chart_colour_named(const char *name)
{
    const struct {
        const char *name, *value;
    } named[] = {{"neutral", LIGHT.neutral}, {"bad", LIGHT.bad},     {"ground", LIGHT.ground},
                 {"ink", LIGHT.ink},         {"muted", LIGHT.muted}, {"grid", LIGHT.grid}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(name, named[i].name) == 0)
            return named[i].value;
    return chart_colour_text(name[1] - '0'); /* "c0" */
}

static void put_variables(buf *out, const char *where, const struct palette *s)
{
    buf_format(out, "%s{", where);
    for (int i = 0; i < CHART_COLOURS; i++)
        buf_format(out, "--c%d:%s;", i, s->colours[i]);
    for (int i = 0; i < CHART_SHADES; i++)
        buf_format(out, "--s%d:%s;", i, s->shades[i]);
    buf_format(out, "--neutral:%s;--bad:%s;--ground:%s;--ink:%s;--muted:%s;--grid:%s}\n", s->neutral, s->bad, s->ground,
               s->ink, s->muted, s->grid);
}

void chart_palette(buf *out, const char *where, bool dark)
{
    put_variables(out, where, dark ? &DARK : &LIGHT);
}

void chart_page_css(buf *out)
{
    put_variables(out, ":root", &LIGHT);
    buf_text(out, "@media (prefers-color-scheme:dark){\n");
    put_variables(out, ":root:not(.light)", &DARK);
    buf_text(out, "}\n");
    put_rules(out);
    put_palette(out, &BY_NAME);
}
