/* Numbers for programs. */
#include "view/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program that loads the library may have set a locale. */
static void put_digits(buf *out, char *text)
{
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    buf_text(out, text);
}

void number_put(buf *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put_digits(out, text);
}

void number_put_rounded(buf *out, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    put_digits(out, text);
}
