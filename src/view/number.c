/* Numbers for programs. */
#include "view/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void number_put(buf *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char *comma = strchr(text, ','); /* the program that loads the library may have set a locale */
    if (comma)
        *comma = '.';
    buf_text(out, text);
}
