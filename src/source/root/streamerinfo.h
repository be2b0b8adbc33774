/* A file's own description of its classes. */
#ifndef SOURCE_ROOT_STREAMERINFO_H
#define SOURCE_ROOT_STREAMERINFO_H

#include "source/root/layout.h"

/* Fills in the layouts that the file describes, if it can be read. */
void root_streamerinfo_read(root_layouts *layouts);

#endif
