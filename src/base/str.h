/* Slices of text. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <roast.h>
#include <string.h>

/* A string literal as a slice, without strlen. */
#define STR(literal) ((roast_str){(literal), sizeof(literal) - 1})

static inline roast_str str_none(void)
{
    return (roast_str){NULL, 0};
}

static inline roast_str str_from(const char *text)
{
    return text ? (roast_str){text, strlen(text)} : str_none();
}

static inline bool str_absent(roast_str s)
{
    return s.ptr == NULL;
}

static inline bool str_equal(roast_str a, roast_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_starts_with(roast_str s, roast_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool str_ends_with(roast_str s, roast_str suffix)
{
    return s.len >= suffix.len && (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Byte order; absent before empty. */
int str_compare(roast_str a, roast_str b);
/* The same with numbers in their order: "node2" before "node10". */
int str_compare_natural(roast_str a, roast_str b);
/* The part before the first separator; rest becomes what follows it, or absent at the end. */
roast_str str_split(roast_str *rest, char separator);
/* What follows the last slash, but for one at the end. */
roast_str str_last_part(roast_str path);
roast_str str_trim(roast_str s);
/* A whole number, or a decimal number; false if s is anything else or out of range. */
bool str_to_int(roast_str s, int64_t *out);
bool str_to_real(roast_str s, double *out);

#endif
