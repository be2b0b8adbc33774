/* The frame of every page. It forbids by its policy whatever is not written here: the second wall behind html_text. */
#include "view/html_page.h"

#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/str.h"
#include "view/chart.h"
#include "view/html.h"
#include "view/page_columns.h"

/* The files of src/view/web, embedded when the library is built. */
extern const char roast_page_html[], roast_page_css[], roast_page_js[];
extern const size_t roast_page_html_size, roast_page_css_size, roast_page_js_size;

enum { ROWS_IN_PAGE = 12 }; /* of a table before one asks for more */

/* ---- What is in it -------------------------------------------------------------------------------------------- */

void html_page_heading(html_page *page, const table_heading *heading, size_t from, const char *class)
{
    buf *out = &page->headline;
    buf_format(out, "<p class=\"%s\">", class);
    for (size_t i = from; i < heading->count; i++) {
        buf_format(out, "<span class=\"%s\">", html_tone(heading->phrases[i].tone));
        html_text(out, heading->phrases[i].text);
        buf_text(out, "</span> ");
    }
    buf_text(out, "</p>\n");
}

static void put_section_title(buf *out, const section_place *place)
{
    buf_format(out, "<h2 id=\"h-%s\">", place->id);
    html_text(out, place->title);
    buf_text(out, "</h2>");
}

section_place html_page_begin_section(html_page *page, const char *id, roast_str title)
{
    buf *out = &page->sections;
    section_place place = {.before = out->len, .id = id, .title = title};
    buf_format(out, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n", id, id);
    put_section_title(out, &place);
    buf_char(out, '\n');
    place.opened = out->len;
    return place;
}

section_place html_page_begin_folded(html_page *page, const char *id, roast_str title, roast_str remark)
{
    buf *out = &page->sections;
    section_place place = {.before = out->len, .id = id, .title = title, .folded = true};
    buf_format(out, "<section id=\"%s\" class=\"folded\" aria-labelledby=\"h-%s\">\n<details><summary>", id, id);
    put_section_title(out, &place);
    buf_text(out, " <span class=\"remark\">");
    html_text(out, str_absent(remark) ? STR("") : remark);
    buf_text(out, "</span></summary>\n<div class=\"inside\">\n");
    place.opened = out->len;
    return place;
}

void html_page_end_section(html_page *page, const section_place *place)
{
    buf *out = &page->sections;
    if (out->len == place->opened && !out->code) {
        out->len = place->before; /* it had nothing to say */
        return;
    }
    buf_text(out, place->folded ? "</div></details></section>\n" : "</section>\n");
    buf_format(&page->navigation, "<a href=\"#%s\">", place->id);
    html_text(&page->navigation, place->title);
    buf_text(&page->navigation, "</a>\n");
}

/* The rows that are not in the page itself. */
static void put_rows(html_page *page, const table *t)
{
    buf rows = {0};
    html_grid_json(&rows, t);
    page_element_put(&page->data, "rows", t->id, &rows);
    buf_release(&rows);
}

void html_page_table(html_page *page, const table *t, const char *title)
{
    if (!t || (t->n_rows == 0 && str_absent(t->more)))
        return;
    buf *out = &page->sections;
    buf_format(out, "<div class=\"table\" id=\"table-%s\">\n", t->id);
    if (title)
        buf_format(out, "<h3>%s</h3>\n", title);
    if (t->layout != TABLE_GRID) {
        html_pairs(out, t, &page->terms);
    } else {
        html_grid(out, t, ROWS_IN_PAGE, &page->terms);
        put_rows(page, t);
    }
    buf_text(out, "</div>\n");
}

enum { FIGURE_WIDTH = 600, NARROW_WIDTH = 380 }; /* pixels */

/* The numbers of a chart, for its picture to answer with; points are in the picture. */
static void put_numbers(html_page *page, const chart *c)
{
    buf numbers = {0};
    chart_json(&numbers, c, true);
    page_element_put(&page->data, "figure", c->id, &numbers);
    buf_release(&numbers);
}

/* In two sizes, of which the style shows one: words that shrink with a picture cannot be read on a telephone. */
void html_page_figure(html_page *page, const chart *c)
{
    buf_format(&page->sections, "<figure id=\"chart-%s\">\n", c->id);
    chart_svg(&page->sections, c, &(svg_options){.width = FIGURE_WIDTH, .embedded = true});
    chart_svg(&page->sections, c, &(svg_options){.width = NARROW_WIDTH, .embedded = true, .drawn_width = FIGURE_WIDTH});
    buf_text(&page->sections, "</figure>\n");
    put_numbers(page, c);
}

/* ---- The frame ------------------------------------------------------------------------------------------------ */

typedef struct frame {
    buf *out;
    const html_page *page;
    buf style;
} frame;

static void put_title(frame *f)
{
    buf_str(f->out, buf_view(&f->page->title));
}

static void put_headline(frame *f)
{
    buf_str(f->out, buf_view(&f->page->headline));
}

static void put_navigation(frame *f)
{
    buf_str(f->out, buf_view(&f->page->navigation));
}

static void put_sections(frame *f)
{
    buf_str(f->out, buf_view(&f->page->sections));
}

static void put_data(frame *f)
{
    buf_str(f->out, buf_view(&f->page->data));
    buf meanings = {0};
    glossary_json(&meanings, &f->page->terms);
    page_element_put(f->out, "data", "glossary", &meanings);
    buf_release(&meanings);
}

static void put_style(frame *f)
{
    buf_str(f->out, buf_view(&f->style));
}

static void put_script(frame *f)
{
    buf_bytes(f->out, roast_page_js, roast_page_js_size);
}

static void put_version(frame *f)
{
    buf_text(f->out, roast_version());
}

static void put_hash(buf *out, const char *bytes, size_t size)
{
    unsigned char digest[SHA256_BYTES];
    sha256(digest, bytes, size);
    buf_text(out, "'sha256-");
    base64_put(out, digest, sizeof digest);
    buf_char(out, '\'');
}

/* Only what is written here runs or styles the page, and nothing is fetched. */
static void put_policy(frame *f)
{
    buf_text(f->out, "default-src 'none'; script-src ");
    put_hash(f->out, roast_page_js, roast_page_js_size);
    buf_text(f->out, "; style-src ");
    put_hash(f->out, f->style.data, f->style.len);
    buf_text(f->out, "; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'");
}

static const struct slot {
    const char *name;
    void (*put)(frame *f);
} SLOTS[] = {
    {"policy", put_policy},         {"title", put_title},       {"style", put_style},
    {"headline", put_headline},     {"sections", put_sections}, {"data", put_data},
    {"navigation", put_navigation}, {"script", put_script},     {"version", put_version},
};

static void fill_slot(frame *f, roast_str name)
{
    for (size_t i = 0; i < sizeof SLOTS / sizeof SLOTS[0]; i++)
        if (str_equal(name, str_from(SLOTS[i].name)))
            SLOTS[i].put(f);
}

static void fill(frame *f)
{
    const char *at = roast_page_html, *end = roast_page_html + roast_page_html_size;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        buf_bytes(f->out, at, (size_t)((close ? open : end) - at));
        if (!close)
            return;
        fill_slot(f, (roast_str){open + 2, (size_t)(close - open - 2)});
        at = close + 2;
    }
}

void html_page_put(buf *out, const html_page *page)
{
    frame f = {.out = out, .page = page};
    /* The palette and the charts' own rules come from the charts, so that both look alike. */
    chart_page_css(&f.style);
    buf_bytes(&f.style, roast_page_css, roast_page_css_size);
    const buf *const parts[] = {&page->title,    &page->headline, &page->navigation,
                                &page->sections, &page->data,     &f.style};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i]->code && !out->code)
            out->code = parts[i]->code;
    if (!out->code)
        fill(&f);
    buf_release(&f.style);
}

void html_page_release(html_page *page)
{
    buf_release(&page->title);
    buf_release(&page->headline);
    buf_release(&page->navigation);
    buf_release(&page->sections);
    buf_release(&page->data);
}
