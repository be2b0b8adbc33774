/* Charts as files: SVG, PNG or JSON, as the name of the file says. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include "view/chart.h"

typedef enum picture_format { AS_SVG, AS_PNG, AS_JSON, NO_FORMAT } picture_format;

typedef struct picture {
    picture_format as;
    svg_options svg;
    double scale; /* pixels of a PNG per pixel of the chart */
} picture;

/* ".svg", … */
const char *picture_ending(picture_format format);
/* Chooses by what was given ("svg", …; may be NULL) or by the path (may be NULL), and sets the scale to 2. Complains,
 * and says how to end, if neither tells. */
int picture_choose(picture *p, const char *path, const char *given);
roast_code picture_write(const chart *c, const picture *p, const char *path, roast_error *err);

#endif
