/* Charts as files. */
#include "picture.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"

static const char *const ENDINGS[] = {".svg", ".png", ".json"};

const char *picture_ending(picture_format format)
{
    return ENDINGS[format];
}

static picture_format format_of(const char *path, const char *given)
{
    for (int i = 0; given && i < NO_FORMAT; i++)
        if (strcmp(given, ENDINGS[i] + 1) == 0)
            return (picture_format)i;
    for (int i = 0; !given && path && i < NO_FORMAT; i++)
        if (str_ends_with(str_from(path), str_from(ENDINGS[i])))
            return (picture_format)i;
    return given ? NO_FORMAT : AS_SVG;
}

int picture_choose(picture *p, const char *path, const char *given)
{
    const char *name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    p->as = format_of(path, given);
    p->scale = 2;
    if (p->as == NO_FORMAT)
        return complain("--format %s: not one of svg, png, json", given);
    if (!given && name && strrchr(name, '.') && p->as == AS_SVG && !str_ends_with(str_from(name), STR(".svg")))
        return complain("%s: ends in none of .svg, .png, .json", path);
    return EXIT_FINE;
}

static roast_code render(buf *out, const chart *c, const picture *p, roast_error *err)
{
    if (p->as == AS_JSON) {
        chart_json(out, c);
        return ROAST_OK;
    }
    if (p->as == AS_SVG) {
        chart_svg(out, c, &p->svg);
        return ROAST_OK;
    }
    buf svg = {0};
    chart_svg(&svg, c, &p->svg);
    roast_code code = svg.code ? fail_memory(err) : png_from_svg(out, buf_view(&svg), p->scale, err);
    buf_release(&svg);
    return code;
}

roast_code picture_write(const chart *c, const picture *p, const char *path, roast_error *err)
{
    buf bytes = {0};
    roast_code code = render(&bytes, c, p, err);
    if (!code)
        return output_buffer(path, &bytes, err);
    buf_release(&bytes);
    return code;
}
