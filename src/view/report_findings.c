/* Findings as a list of cards. What to act on is open; what is small, and what the records do not tell, opens when
 * asked for. The script lights up the chunks that a finding is about, by filters of the page's data. */
#include "view/report_findings.h"

#include <string.h>

#include "base/str.h"
#include "view/findings.h"
#include "view/html.h"
#include "view/number.h"
#include "view/page_columns.h"

typedef struct finding_list {
    html_page *page;
    const roast_summary *summary;
    const explanation *explanation;
    const report_table_sets *tables;
    const chart_set *charts;
    table_set cards; /* the findings in their order, then what is not about one */
} finding_list;

/* ---- Where it is seen -------------------------------------------------------------------------------------------- */

/* Charts of the page, by the findings that are seen in them. */
static const char *const CHART_OF[FINDING_KIND_COUNT] = {
    [FINDING_OPENING] = "dataset_phases",
    [FINDING_STRAGGLERS] = "runtime_vs_events",
    [FINDING_TAIL] = "tail",
    [FINDING_TOO_FEW_CHUNKS] = "tail",
    [FINDING_MEMORY_GROWTH] = "memory_peaks",
    [FINDING_MEMORY_LIMIT] = "memory_peaks",
    [FINDING_SPILLING] = "memory_peaks",
    [FINDING_OVER_READ] = "data_access_percentage",
    [FINDING_LZMA] = "compression_ratio_distribution",
};

static void put_link(buf *out, const char *place, const char *id, roast_str text)
{
    buf_format(out, "<a href=\"#%s%s\">", place, id);
    html_text(out, text);
    buf_text(out, "</a>\n");
}

/* What of the tables is a section of its own. */
static const struct own_section {
    const char *table, *id, *text;
} SECTIONS_OF_TABLES[] = {{"ledger", "time", "Where the time went"}, {"notes", "notes", "Notes"}};

static void put_table_link(buf *out, const finding_list *list, roast_str id)
{
    for (size_t i = 0; i < sizeof SECTIONS_OF_TABLES / sizeof *SECTIONS_OF_TABLES; i++)
        if (str_equal(id, str_from(SECTIONS_OF_TABLES[i].table))) {
            put_link(out, "", SECTIONS_OF_TABLES[i].id, str_from(SECTIONS_OF_TABLES[i].text));
            return;
        }
    const table *shown = report_table_find(list->tables, id);
    if (shown && shown->n_rows)
        put_link(out, "table-", shown->id, shown->title);
}

static void put_chart_link(buf *out, const finding_list *list, const char *id)
{
    for (size_t i = 0; id && i < list->charts->count; i++)
        if (strcmp(list->charts->charts[i].id, id) == 0 && str_absent(list->charts->charts[i].why))
            put_link(out, "chart-", id, list->charts->charts[i].title);
}

static void put_links(const finding_list *list, const finding *f)
{
    buf *out = &list->page->sections;
    buf_text(out, "<p class=\"links\"><span>shown in</span>\n");
    for (roast_str rest = str_from(findings_tables_of(f)); !str_absent(rest);)
        put_table_link(out, list, str_split(&rest, ','));
    put_chart_link(out, list, CHART_OF[f->kind]);
    buf_text(out, "</p>\n");
}

/* ---- The chunks it is about -------------------------------------------------------------------------------------- */

/* Members of a filter: whose name is among the values of the advice, or what is true of the chunks. A part of the run
 * is a filter whatever the kind. */
static const struct chunk_filter {
    const char *name, *flag;
    advice_key key; /* of the name */
} FILTERS[FINDING_KIND_COUNT] = {
    [FINDING_SLOW_HOST] = {.name = "host", .key = ADVICE_HOST},
    [FINDING_SLOW_WORKER] = {.name = "worker", .key = ADVICE_WORKER},
    [FINDING_SLOW_STORAGE] = {.name = "site", .key = ADVICE_HOST},
    [FINDING_SLOW_FILE] = {.name = "file", .key = ADVICE_FILE},
    [FINDING_MEMORY_GROWTH] = {.name = "worker", .key = ADVICE_WORKER},
    [FINDING_MEMORY_LIMIT] = {.name = "worker", .key = ADVICE_WORKER},
    [FINDING_SPILLING] = {.name = "worker", .key = ADVICE_WORKER},
    [FINDING_WARM_UP] = {.flag = "first"},
    [FINDING_STRAGGLERS] = {.flag = "slow"},
    [FINDING_FAILURES] = {.flag = "failed"},
    [FINDING_WORKERS_LOST] = {.flag = "failed"},
    [FINDING_MISSING] = {.flag = "failed"},
};

static bool is_about_chunks(const finding *f)
{
    const struct chunk_filter *filter = &FILTERS[f->kind];
    bool named = filter->name && !str_absent(f->advice.values[filter->key].name);
    return named || filter->flag || f->until_seconds > 0;
}

/* The key of the next member of an object. */
static void put_key(buf *out, const char *key)
{
    buf_format(out, out->len && out->data[out->len - 1] == '{' ? "\"%s\":" : ",\"%s\":", key);
}

static void put_filter(buf *out, const finding *f)
{
    const struct chunk_filter *filter = &FILTERS[f->kind];
    put_key(out, finding_id(f->kind));
    buf_char(out, '{');
    if (filter->name && !str_absent(f->advice.values[filter->key].name)) {
        put_key(out, filter->name);
        html_quoted(out, f->advice.values[filter->key].name);
    }
    if (filter->flag) {
        put_key(out, filter->flag);
        buf_text(out, "true");
    }
    if (f->until_seconds > 0) {
        put_key(out, "from");
        number_put(out, f->from_seconds);
        put_key(out, "to");
        number_put(out, f->until_seconds);
    }
    buf_char(out, '}');
}

/* {"slow_host":{"host":"node7"},…}: filters of chunks, as lanes.js takes them, by findings. */
static void put_filters(const finding_list *list)
{
    buf text = {0};
    buf_char(&text, '{');
    for (size_t i = 0; i < list->explanation->count; i++)
        if (is_about_chunks(&list->explanation->findings[i]))
            put_filter(&text, &list->explanation->findings[i]);
    buf_char(&text, '}');
    page_element_put(&list->page->data, "data", "findings", &text);
    buf_release(&text);
}

/* ---- Cards ------------------------------------------------------------------------------------------------------- */

static const finding *finding_at(const finding_list *list, size_t card)
{
    return card < list->explanation->count ? &list->explanation->findings[card] : NULL;
}

static bool is_folded(const finding_list *list, size_t card)
{
    const finding *f = finding_at(list, card);
    return !f || finding_is_small(list->explanation, f);
}

static void put_card(finding_list *list, size_t card)
{
    buf *out = &list->page->sections;
    const finding *f = finding_at(list, card);
    const table *lines = &list->cards.tables[card];
    buf_format(out, "<li id=\"finding-%s\">\n<h3>", lines->id);
    html_text(out, lines->title);
    buf_text(out, "</h3>\n");
    html_list(out, lines, &list->page->terms);
    if (f)
        put_links(list, f);
    buf_text(out, "</li>\n");
}

static void put_cards(finding_list *list, bool folded)
{
    buf_text(&list->page->sections, "<ol class=\"findings\">\n");
    for (size_t i = 0; i < list->cards.count; i++)
        if (is_folded(list, i) == folded)
            put_card(list, i);
    buf_text(&list->page->sections, "</ol>\n");
}

/* Where the verdict stands: nothing is fine that was not looked at. */
static void put_no_finding(buf *out, const finding_list *list)
{
    if (!list->explanation->n_gaps) {
        buf_text(out, "<p class=\"fine\">Nothing stands out.</p>\n");
        return;
    }
    buf gap = {0};
    findings_put_gap(&gap, list->summary, list->explanation);
    buf_text(out, "<p class=\"missing\">Not determined: ");
    html_text(out, buf_view(&gap));
    buf_text(out, "</p>\n");
    out->code = out->code ? out->code : gap.code;
    buf_release(&gap);
}

static void put_list(finding_list *list)
{
    buf *out = &list->page->sections;
    size_t folded = 0;
    for (size_t i = 0; i < list->cards.count; i++)
        folded += is_folded(list, i);
    if (folded < list->cards.count)
        put_cards(list, false);
    else
        put_no_finding(out, list);
    if (folded) {
        buf_text(out, "<details class=\"minor\"><summary>What is too small to act on, or not known</summary>\n");
        put_cards(list, true);
        buf_text(out, "</details>\n");
    }
    put_filters(list);
}

roast_code report_put_findings(html_page *page, const roast_summary *summary, const report_table_sets *tables,
                               const chart_set *charts)
{
    finding_list list = {
        .page = page, .summary = summary, .explanation = summary->explanation, .tables = tables, .charts = charts};
    if (!list.explanation)
        return ROAST_OK;
    roast_code code = findings_tables(&list.cards, summary, list.explanation, false, NULL);
    if (!code)
        put_list(&list);
    tables_release(&list.cards);
    return code;
}
