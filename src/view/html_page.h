/* A page that needs nothing else: the frame of web/page.html with its style and script, and slots for what is in it.
 */
#ifndef VIEW_HTML_PAGE_H
#define VIEW_HTML_PAGE_H

#include "view/chart.h"
#include "view/glossary.h"

/* HTML, each appended to by whoever makes the page. Zero-initialised is empty and ready. */
typedef struct html_page {
    buf title, headline, navigation, sections;
    buf data;       /* for the script */
    glossary terms; /* of labels, which the script explains */
} html_page;

/* Phrases of a heading, from the one with this index on, in a paragraph of a class. */
void html_page_heading(html_page *page, const table_heading *heading, size_t from, const char *class);
/* A section, and its link in the navigation; one in which nothing was written is left out of both. A folded one shows
 * its title, and a remark beside it (may be absent), until it is asked for. */
typedef struct section_place {
    size_t before, opened;
    const char *id;
    roast_str title;
    bool folded;
} section_place;
section_place html_page_begin_section(html_page *page, const char *id, roast_str title);
section_place html_page_begin_folded(html_page *page, const char *id, roast_str title, roast_str remark);
void html_page_end_section(html_page *page, const section_place *place);
/* A table, under a title of its own if it has one: the first rows here, all of them for the script. */
void html_page_table(html_page *page, const table *t, const char *title);

/* A chart, drawn as wide as half of the page, and again for narrow screens. */
void html_page_figure(html_page *page, const chart *c);

/* Appends the whole page; what went wrong is in out->code. */
void html_page_put(buf *out, const html_page *page);
void html_page_release(html_page *page);

#endif
