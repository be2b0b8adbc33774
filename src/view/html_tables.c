/* Tables as a page: a section each, in the frame of the report. */
#include "view/html_tables.h"

#include "base/str.h"
#include "view/html.h"
#include "view/html_page.h"

void html_tables(buf *out, const table_set *set, roast_str title)
{
    html_page page = {0};
    html_text(&page.title, title);
    buf_text(&page.headline, "<h1><bdi>");
    html_text(&page.headline, title);
    buf_text(&page.headline, "</bdi></h1>\n");
    html_page_heading(&page, &set->subline, 0, "ending");
    bool said = set->headline.count && str_ends_with(title, set->headline.phrases[0].text);
    html_page_heading(&page, &set->headline, said ? 1 : 0, "what");
    for (size_t i = 0; i < set->count; i++) {
        section_place place = html_page_begin_section(&page, set->tables[i].id, set->tables[i].title);
        html_page_table(&page, &set->tables[i], NULL);
        html_page_end_section(&page, &place);
    }
    html_page_put(out, &page);
    html_page_release(&page);
}
