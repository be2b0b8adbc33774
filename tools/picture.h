/* Charts as files: SVG, PNG or JSON, as the name of the file says. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <roast.h>

/* ".svg", … */
const char *picture_ending(roast_form form);
/* Chooses by what was given ("svg", …; may be NULL) or by the path (may be NULL). Complains, and says how to end, if
 * neither tells. */
int picture_choose(roast_form *form, const char *path, const char *given);

#endif
