/* Where the time went, as a bar and a list, which names what the bar has in colours. */
#include "view/report_time.h"

#include "base/str.h"
#include "view/format.h"
#include "view/html.h"
#include "view/time_split.h"

static void put_share(buf *out, double percent)
{
    buf_format(out, "%d.%02d%%", (int)percent, (int)(percent * 100) % 100);
}

static void put_bar(buf *out, const time_split *split)
{
    double at = 0;
    buf_text(out,
             "<svg class=\"stack\" role=\"img\" aria-label=\"Core time by what it was spent on; the list below has "
             "the numbers\">");
    for (size_t i = 0; i < split->count; i++) {
        double share = 100 * split->parts[i].seconds / split->total;
        buf_format(out, "<rect class=\"%s\" height=\"100%%\" x=\"", split->parts[i].class);
        put_share(out, at);
        buf_text(out, "\" width=\"");
        put_share(out, share);
        buf_text(out, "\"><title>");
        html_text(out, split->parts[i].title);
        buf_text(out, "</title></rect>");
        at += share;
    }
    buf_text(out, "</svg>\n");
}

static void put_list(buf *out, const time_split *split, glossary *terms)
{
    buf_text(out, "<ul class=\"parts\">\n");
    for (size_t i = 0; i < split->count; i++) {
        const time_part *part = &split->parts[i];
        if (part->seconds < LEAST_TIME_SHARE * split->whole)
            continue;
        term_list about = terms_of_category(part->category);
        buf_format(out, "<li><i class=\"%s\"></i><span>", part->class);
        glossary_label(out, terms, part->title, &about);
        buf_text(out, "</span> <b>");
        format_percent(out, 100 * part->seconds / split->whole);
        buf_text(out, "</b> <small>");
        format_seconds(out, part->seconds);
        buf_text(out, "</small></li>\n");
    }
    buf_text(out, "</ul>\n");
}

bool report_put_time(html_page *page, const roast_summary *summary)
{
    time_split split = split_time(summary);
    buf *out = &page->sections;
    if (!(split.total > 0))
        return false;
    buf_text(out, "<p class=\"lead\">");
    format_seconds(out, split.whole);
    buf_text(out, " of core time, by what it was spent on.</p>\n");
    put_bar(out, &split);
    put_list(out, &split, &page->terms);
    return true;
}
