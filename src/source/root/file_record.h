/* A tree of a ROOT file as a run file keeps it. */
#ifndef SOURCE_ROOT_FILE_RECORD_H
#define SOURCE_ROOT_FILE_RECORD_H

#include "source/root/root.h"

/* Fills facts with what is known of a tree: by name or path, with or without ";cycle"; the file may have been opened
 * for that tree only. Names of branches within branches are those by which uproot gives them out: "parent/child". Texts
 * are the file's or in memory. */
roast_code root_facts(roast_file *facts, arena *memory, const root_file *file, const char *tree, roast_error *err);

#endif
