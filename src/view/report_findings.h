/* What held the run back, as the report shows it. */
#ifndef VIEW_REPORT_FINDINGS_H
#define VIEW_REPORT_FINDINGS_H

#include "view/html_page.h"
#include "view/report_tables.h"

/* Appends the findings, with links to the tables and charts of the page that show them, and to the page's data which
 * chunks they are about. Nothing if the run is not explained. */
roast_code report_put_findings(html_page *page, const roast_summary *summary, const report_table_sets *tables,
                               const chart_set *charts);

#endif
