/* Where a long text goes, part by part. */
#ifndef VIEW_TEXT_OUT_H
#define VIEW_TEXT_OUT_H

#include <roast.h>

/* Takes a part of the text; what it returns other than ROAST_OK ends the export. */
typedef roast_code (*text_sink)(void *context, roast_str part);

#endif
