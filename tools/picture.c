/* Charts as files. */
#include "picture.h"

#include <string.h>

#include "base/str.h"
#include "command.h"
#include "console.h"

static const char *const ENDINGS[] = {[ROAST_SVG] = ".svg", [ROAST_PNG] = ".png", [ROAST_CHART] = ".json"};

const char *picture_ending(roast_form form)
{
    return ENDINGS[form];
}

int picture_choose(roast_form *form, const char *path, const char *given)
{
    const char *name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (*form = ROAST_SVG; *form <= ROAST_CHART; (*form)++) {
        const char *ending = ENDINGS[*form];
        if (given ? strcmp(given, ending + 1) == 0 : name && str_ends_with(str_from(name), str_from(ending)))
            return EXIT_FINE;
    }
    *form = ROAST_SVG;
    if (name && strrchr(name, '.'))
        return complain("%s: ends in none of .svg, .png, .json", path);
    return EXIT_FINE;
}
