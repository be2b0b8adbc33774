/* Tables as a page: a section each, in the frame of the report. */
#include "view/html_tables.h"

#include "base/str.h"
#include "view/html.h"
#include "view/html_page.h"

static void put_charts(html_page *page, const chart_set *charts)
{
    section_place place = html_page_begin_section(page, "charts", STR("At a glance"));
    if (charts)
        buf_text(&page->sections, "<div class=\"figures\">\n");
    for (size_t i = 0; charts && i < charts->count; i++)
        html_page_figure(page, &charts->charts[i]);
    if (charts)
        buf_text(&page->sections, "</div>\n");
    html_page_end_section(page, &place);
}

void html_tables(buf *out, const table_set *set, const chart_set *charts, roast_str title)
{
    html_page page = {0};
    html_text(&page.title, title);
    buf_text(&page.headline, "<h1><bdi>");
    html_text(&page.headline, title);
    buf_text(&page.headline, "</bdi></h1>\n");
    if (set->alarm.count)
        html_page_heading(&page, &set->alarm, 0, "alarm");
    html_page_heading(&page, &set->subline, 0, "ending");
    bool said = set->headline.count && str_ends_with(title, set->headline.phrases[0].text);
    html_page_heading(&page, &set->headline, said ? 1 : 0, "what");
    put_charts(&page, charts);
    for (size_t i = 0; i < set->count; i++) {
        section_place place = html_page_begin_section(&page, set->tables[i].id, set->tables[i].title);
        html_page_table(&page, &set->tables[i], NULL);
        html_page_end_section(&page, &place);
    }
    html_page_put(out, &page);
    html_page_release(&page);
}
