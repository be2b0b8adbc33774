/* Slices of text: comparing, splitting and reading numbers. */
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int str_compare(roast_str a, roast_str b)
{
    if (str_absent(a) || str_absent(b))
        return (int)!str_absent(a) - (int)!str_absent(b);
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.ptr, b.ptr, shorter) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Takes a number, or one other character, off the front. */
static roast_str take_run(roast_str *rest)
{
    size_t length = 0;
    while (length < rest->len && rest->ptr[length] >= '0' && rest->ptr[length] <= '9')
        length++;
    length = length ? length : 1;
    roast_str run = {rest->ptr, length};
    *rest = (roast_str){rest->ptr + length, rest->len - length};
    return run;
}

static bool is_number(roast_str run)
{
    return run.ptr[0] >= '0' && run.ptr[0] <= '9';
}

int str_compare_natural(roast_str a, roast_str b)
{
    roast_str rest_a = a, rest_b = b;
    while (rest_a.len && rest_b.len) {
        roast_str x = take_run(&rest_a), y = take_run(&rest_b);
        if (is_number(x) && is_number(y) && x.len != y.len)
            return x.len < y.len ? -1 : 1;
        int order = str_compare(x, y);
        if (order)
            return order;
    }
    return str_compare(a, b);
}

roast_str str_split(roast_str *rest, char separator)
{
    roast_str whole = *rest;
    const char *at = whole.len ? memchr(whole.ptr, separator, whole.len) : NULL;
    if (!at) {
        *rest = str_none();
        return whole;
    }
    size_t before = (size_t)(at - whole.ptr);
    *rest = (roast_str){at + 1, whole.len - before - 1};
    return (roast_str){whole.ptr, before};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

roast_str str_last_part(roast_str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/' && i < path.len)
            return (roast_str){path.ptr + i, path.len - i};
    return path;
}

roast_str str_trim(roast_str s)
{
    while (s.len && is_space(s.ptr[0]))
        s.ptr++, s.len--;
    while (s.len && is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* strtol and strtod want a terminator; a number that does not fit here is not one we accept. */
static bool to_c_string(roast_str s, char *text, size_t size)
{
    if (s.len == 0 || s.len >= size || is_space(s.ptr[0]))
        return false;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return true;
}

bool str_to_int(roast_str s, int64_t *out)
{
    char text[32], *end;
    if (!to_c_string(s, text, sizeof text))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || end == text)
        return false;
    *out = value;
    return true;
}

bool str_to_real(roast_str s, double *out)
{
    char text[64], *end;
    if (!to_c_string(s, text, sizeof text))
        return false;
    double value = strtod(text, &end);
    if (*end || end == text || !isfinite(value))
        return false;
    *out = value;
    return true;
}
