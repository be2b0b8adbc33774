/* The terminal and the environment. What they say is asked for when it is needed, so that --version costs nothing. */
#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "pager.h"
#include "view/text.h"

enum { NARROWEST = 40, WIDEST = 10000, USUAL_WIDTH = 80 };

bool console_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0])
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

int complain_of(const roast_error *err)
{
    /* File names and texts of others are part of the message. */
    buf line = {0};
    buf_text(&line, "roast: ");
    text_safe(&line, str_from(err->message[0] ? err->message : roast_code_text(err->code)), console_utf8());
    buf_char(&line, '\n');
    if (line.code)
        fputs("roast: out of memory\n", stderr);
    else
        fwrite(line.data, 1, line.len, stderr);
    buf_release(&line);
    return EXIT_TROUBLE;
}

static int say(const char *format, va_list arguments)
{
    roast_error err = {.code = ROAST_USAGE};
    vsnprintf(err.message, sizeof err.message, format, arguments);
    return complain_of(&err);
}

int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int status = say(format, arguments);
    va_end(arguments);
    return status;
}

void remark(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

static bool width_of(const char *text, size_t *width)
{
    int64_t number;
    if (!text || !str_to_int(str_from(text), &number) || number < NARROWEST || number > WIDEST)
        return false;
    *width = (size_t)number;
    return true;
}

static size_t console_width(void)
{
    size_t width;
    if (width_of(getenv("COLUMNS"), &width))
        return width;
    /* Behind a pager stdout is a pipe and stderr still the terminal. */
    static const int descriptors[] = {STDOUT_FILENO, STDERR_FILENO};
    for (size_t i = 0; i < 2; i++) {
        struct winsize size;
        if (isatty(descriptors[i]) && ioctl(descriptors[i], TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
            return size.ws_col;
    }
    return USUAL_WIDTH;
}

static bool has_256_colours(void)
{
    const char *term = getenv("TERM"), *more = getenv("COLORTERM");
    return (term && strstr(term, "256color")) || (more && more[0]);
}

static bool colour_by_default(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && !(term && strcmp(term, "dumb") == 0);
}

int console_look(roast_look *out, const char *width, const char *color)
{
    *out = (roast_look){.size = sizeof *out, .ascii = !console_utf8(), .colours = has_256_colours() ? 256 : 16};
    if (width && !width_of(width, &out->columns))
        return complain("--width %s: not a number of columns from %d to %d", width, NARROWEST, WIDEST);
    if (!width)
        out->columns = console_width();
    if (!color || strcmp(color, "auto") == 0)
        out->colour = colour_by_default();
    else if (strcmp(color, "always") == 0)
        out->colour = true;
    return EXIT_FINE;
}

/* Why stdout could not be written, the first time that happened. */
static int stdout_error;

bool console_asks(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool agreed(const char *question)
{
    char answer[64];
    fflush(stdout);
    fprintf(stderr, "%s [y/N] ", question);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

bool console_write(roast_str bytes)
{
    errno = 0;
    if (fwrite(bytes.ptr, 1, bytes.len, stdout) == bytes.len)
        return true;
    if (!stdout_error)
        stdout_error = errno;
    return false;
}

int console_print(buf *out)
{
    int status = EXIT_FINE;
    if (out->code)
        status = complain("%s", roast_code_text(out->code));
    else
        console_write(buf_view(out)); /* console_finish tells */
    buf_release(out);
    return status;
}

int console_show(roast_code code, buf *out, const roast_error *err)
{
    if (!code)
        return console_print(out);
    buf_release(out);
    return complain_of(err);
}

int console_page(roast_code code, buf *out, const roast_error *err, bool at_once)
{
    if (!code && !out->code && !at_once && pager_show(buf_view(out)))
        buf_clear(out);
    return console_show(code, out, err);
}

int console_finish(int status)
{
    errno = 0;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || status == EXIT_TROUBLE) /* then a line has been said already */
        return status;
    if (!stdout_error)
        stdout_error = errno;
    if (stdout_error == EPIPE) /* "roast show x | head": the reader has seen enough */
        return EXIT_TROUBLE;
    return complain("standard output cannot be written: %s", stdout_error ? strerror(stdout_error) : "unknown error");
}
