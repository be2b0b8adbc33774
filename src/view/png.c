/* PNG through librsvg and cairo. Both are loaded when the first picture is asked for, so that roast neither needs them
 * to build nor pays for them when it starts: with what they need they are forty libraries. */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "view/chart.h"

enum { CAIRO_ARGB32 = 0, CAIRO_FINE = 0, MOST_PIXELS = 16384 };

typedef struct rectangle {
    double x, y, width, height;
} rectangle;

typedef int (*write_part)(void *context, const unsigned char *bytes, unsigned length);

/* The few calls that are needed, as their headers declare them. */
typedef struct rsvg_calls {
    void *(*handle_new)(const uint8_t *bytes, size_t length, void **error);
    int (*handle_size)(void *handle, double *width, double *height);
    int (*handle_render)(void *handle, void *cairo, const rectangle *where, void **error);
    void (*object_unref)(void *object);
    void (*error_free)(void *error);
    void *(*surface_new)(int format, int width, int height);
    int (*surface_status)(void *surface);
    int (*surface_write)(void *surface, write_part write, void *context);
    void (*surface_free)(void *surface);
    void *(*cairo_new)(void *surface);
    void (*cairo_free)(void *cairo);
} rsvg_calls;

/* dlsym gives object pointers; this is POSIX's way to make functions of them. */
static bool load_symbol(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Never unloaded: GObject keeps types. Loading again only counts. */
static bool load_calls(rsvg_calls *out)
{
    int how = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    void *rsvg = dlopen("librsvg-2.so.2", how), *cairo = dlopen("libcairo.so.2", how);
    void *object = dlopen("libgobject-2.0.so.0", how), *glib = dlopen("libglib-2.0.so.0", how);
    return load_symbol(rsvg, "rsvg_handle_new_from_data", &out->handle_new) &&
           load_symbol(rsvg, "rsvg_handle_get_intrinsic_size_in_pixels", &out->handle_size) &&
           load_symbol(rsvg, "rsvg_handle_render_document", &out->handle_render) &&
           load_symbol(object, "g_object_unref", &out->object_unref) &&
           load_symbol(glib, "g_error_free", &out->error_free) &&
           load_symbol(cairo, "cairo_image_surface_create", &out->surface_new) &&
           load_symbol(cairo, "cairo_surface_status", &out->surface_status) &&
           load_symbol(cairo, "cairo_surface_write_to_png_stream", &out->surface_write) &&
           load_symbol(cairo, "cairo_surface_destroy", &out->surface_free) &&
           load_symbol(cairo, "cairo_create", &out->cairo_new) && load_symbol(cairo, "cairo_destroy", &out->cairo_free);
}

static int keep_part(void *context, const unsigned char *bytes, unsigned length)
{
    buf *out = context;
    buf_bytes(out, bytes, length);
    return CAIRO_FINE;
}

static roast_code paint(buf *out, const rsvg_calls *calls, void *handle, double scale, roast_error *err)
{
    double width, height;
    void *error = NULL;
    if (!calls->handle_size(handle, &width, &height))
        return fail(err, ROAST_FORMAT, "the picture has no size in pixels");
    double across = ceil(width * scale), down = ceil(height * scale);
    if (!(across >= 1 && down >= 1 && across <= MOST_PIXELS && down <= MOST_PIXELS))
        return fail(err, ROAST_LIMIT, "a picture of %.0f by %.0f pixels is too large; the most is %d each way", across,
                    down, MOST_PIXELS);
    void *surface = calls->surface_new(CAIRO_ARGB32, (int)across, (int)down);
    void *cairo = calls->cairo_new(surface);
    rectangle where = {0, 0, across, down};
    roast_code code = ROAST_OK;
    if (!calls->handle_render(handle, cairo, &where, &error) || calls->surface_status(surface) != CAIRO_FINE)
        code = fail(err, ROAST_FORMAT, "librsvg could not draw the picture");
    else if (calls->surface_write(surface, keep_part, out) != CAIRO_FINE || out->code)
        code = fail_memory(err);
    if (error)
        calls->error_free(error);
    calls->cairo_free(cairo);
    calls->surface_free(surface);
    return code;
}

roast_code png_from_svg(buf *out, roast_str svg, double scale, roast_error *err)
{
    rsvg_calls calls;
    if (!load_calls(&calls))
        return fail(err, ROAST_MISSING,
                    "PNG needs librsvg, which is not installed (Debian: librsvg2-2); SVG works without it");
    void *error = NULL;
    void *handle = calls.handle_new((const uint8_t *)svg.ptr, svg.len, &error);
    if (!handle) {
        if (error)
            calls.error_free(error);
        return fail(err, ROAST_FORMAT, "librsvg could not read the picture");
    }
    roast_code code = paint(out, &calls, handle, scale, err);
    calls.object_unref(handle);
    return code;
}
