/* Where the time went, as the report shows it. */
#ifndef VIEW_REPORT_TIME_H
#define VIEW_REPORT_TIME_H

#include "analysis/summary.h"
#include "view/html_page.h"

/* Appends a bar and a list of what core time was spent on; false, and nothing, if that is not known. */
bool report_put_time(html_page *page, const roast_summary *summary);

#endif
