/* Errors: a code and one line of text, filled in place so that failing never allocates. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char ELLIPSIS[] = "\xe2\x80\xa6";

/* A message cut in the middle of a UTF-8 character would be garbage on the user's terminal. */
static void end_with_ellipsis(char *text, size_t size)
{
    size_t end = size - sizeof ELLIPSIS;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, ELLIPSIS, sizeof ELLIPSIS);
}

roast_code fail(roast_error *err, roast_code code, const char *format, ...)
{
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    if (length < 0)
        err->message[0] = '\0';
    else if ((size_t)length >= sizeof err->message)
        end_with_ellipsis(err->message, sizeof err->message);
    err->code = code;
    return code;
}

roast_code fail_memory(roast_error *err)
{
    return fail(err, ROAST_MEMORY, "out of memory");
}

const char *roast_code_text(roast_code code)
{
    switch (code) {
#define CODE_TEXT(name, number, text)                                                                                  \
    case ROAST_##name:                                                                                                 \
        return text;
        ROAST_CODES(CODE_TEXT)
#undef CODE_TEXT
    }
    return "unknown code";
}

const char *roast_version(void)
{
    return ROAST_VERSION_TEXT;
}
