/* How the data of a tree really are compressed. */
#ifndef SOURCE_ROOT_SAMPLE_H
#define SOURCE_ROOT_SAMPLE_H

#include "source/root/tfile.h"

/* Reads the headers of the first baskets of the largest branches. What cannot be read is left out. */
void root_sample(root_tfile *file, root_tree *tree, int32_t samples);

#endif
