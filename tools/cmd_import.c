/* roast import: a measurement of roastcoffea 0.1.x as a run file. */
#include "busy.h"
#include "command.h"
#include "console.h"

enum { OUTPUT, NAME, FORCE };
const option IMPORT_OPTIONS[] = {
    [OUTPUT] = {"output", "FILE", "run file to write", NULL, 'o'},
    [NAME] = {"name", "TEXT", "what to call the run (default: the name of the directory)", NULL, 'n'},
    [FORCE] = {"force", NULL, "replace the file if it exists", NULL, 'f'},
    {.name = NULL},
};

int cmd_import(const invocation *call)
{
    const char *source = call->operands[0], *target = call->values[OUTPUT];
    roast_error err = {0};
    if (!target)
        return complain("say where to write: -o FILE.roast");
    roast_recorder_options options = {.name = call->values[NAME], .overwrite = call->values[FORCE] != NULL};
    busy_begin("importing", source);
    roast_code code = roast_import(source, target, &options, &err);
    busy_end();
    return code ? complain_of(&err) : EXIT_FINE;
}
