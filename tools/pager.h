/* A text that is longer than the terminal, through the user's pager. */
#ifndef TOOLS_PAGER_H
#define TOOLS_PAGER_H

#include <roast.h>

/* False if the text has to be printed: stdout is no terminal, the text fits on it, or there is no pager. Who leaves the
 * pager early has seen enough. */
bool pager_show(roast_str text);

#endif
