/* JSON that people and Python wrote. Every error is one line: the file, the place in it, what is wrong. */
#include "source/legacy/json_input.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"

/* ---- Parsing -------------------------------------------------------------------------------------------------- */

/* The bare word at the front of s, if it is one that Python writes for a number that is not finite. */
static size_t not_a_number_length(roast_str s)
{
    static const roast_str words[] = {{"NaN", 3}, {"Infinity", 8}, {"-Infinity", 9}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts_with(s, words[i]))
            return words[i].len;
    return 0;
}

/* The next such word at or after *at, outside of strings. */
static bool find_not_a_number(roast_str text, size_t *at, bool *in_string, size_t *length)
{
    for (; *at < text.len; (*at)++) {
        char c = text.ptr[*at];
        if (*in_string && c == '\\')
            (*at)++;
        else if (c == '"')
            *in_string = !*in_string;
        else if (!*in_string && (c == 'N' || c == 'I' || c == '-')) {
            *length = not_a_number_length((roast_str){text.ptr + *at, text.len - *at});
            if (*length)
                return true;
        }
    }
    return false;
}

/* Writes text with null for each of them into repaired, which stays empty if there are none. */
static size_t replace_not_numbers(roast_str text, buf *repaired)
{
    size_t found = 0, at = 0, copied = 0, length = 0;
    bool in_string = false;
    while (find_not_a_number(text, &at, &in_string, &length)) {
        buf_bytes(repaired, text.ptr + copied, at - copied);
        buf_text(repaired, "null");
        copied = at += length;
        found++;
    }
    if (found)
        buf_bytes(repaired, text.ptr + copied, text.len - copied);
    return found;
}

static json_t *parse_text(roast_str text, json_error_t *problem)
{
    json_t *root = json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, problem);
    /* Python's integers have no limit. As reals they can be told from a real mistake, by name, later. */
    if (!root && json_error_code(problem) == json_error_numeric_overflow)
        root = json_loadb(text.ptr, text.len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, problem);
    return root;
}

/* A message is one line: what the file brings along must not add another. */
static roast_code fail_in_one_line(roast_error *err, buf *message)
{
    for (size_t i = 0; i < message->len; i++)
        if ((unsigned char)message->data[i] < ' ' || message->data[i] == 0x7f)
            message->data[i] = '?';
    roast_code code = message->code ? fail_memory(err) : fail(err, ROAST_CORRUPT, "%s", message->data);
    buf_release(message);
    return code;
}

static roast_code parse_failure(const json_place *file, roast_str text, const json_error_t *problem, roast_error *err)
{
    if (str_trim(text).len == 0)
        return fail(err, ROAST_CORRUPT, "%s: the file is empty", file->key);
    if (problem->line < 0) /* jansson gave up before it read anything */
        return fail_memory(err);
    switch (json_error_code(problem)) {
    case json_error_out_of_memory:
        return fail_memory(err);
    case json_error_premature_end_of_input:
        return fail(err, ROAST_CORRUPT, "%s: cut off in line %d", file->key, problem->line);
    case json_error_stack_overflow:
        return fail(err, ROAST_CORRUPT, "%s: nested too deeply in line %d", file->key, problem->line);
    default:
        break;
    }
    buf message = {0};
    buf_format(&message, "%s: not valid JSON in line %d: %s", file->key, problem->line, problem->text);
    return fail_in_one_line(err, &message);
}

roast_code json_parse(const json_place *file, roast_str text, json_t **out, size_t *not_numbers, roast_error *err)
{
    *out = NULL;
    buf repaired = {0};
    json_error_t problem = {0};
    roast_code code = ROAST_OK;
    *not_numbers = replace_not_numbers(text, &repaired);
    if (repaired.code) {
        code = fail(err, repaired.code, "%s: %s", file->key, roast_code_text(repaired.code));
        goto done;
    }
    json_t *root = parse_text(*not_numbers ? buf_view(&repaired) : text, &problem);
    if (!root)
        code = parse_failure(file, text, &problem, err);
    else if (!json_is_object(root)) {
        code = json_wrong_type(file, root, "an object", err);
        json_decref(root);
    } else
        *out = root;
done:
    buf_release(&repaired);
    return code;
}

/* ---- Errors that name the place --------------------------------------------------------------------------------- */

static bool is_plain_name(const char *key)
{
    size_t plain = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return plain > 0 && key[plain] == '\0';
}

/* As a programmer would write it: tracking_data.worker_memory["tcp://10.0.0.1:4000"][12] */
static void write_place(buf *out, const json_place *at)
{
    if (!at->parent) {
        buf_format(out, "%s: ", at->key);
        return;
    }
    write_place(out, at->parent);
    if (!at->key)
        buf_format(out, "[%zu]", at->index);
    else if (is_plain_name(at->key))
        buf_format(out, "%s%s", at->parent->parent ? "." : "", at->key);
    else
        buf_format(out, "[\"%s\"]", at->key);
}

roast_code json_fail(const json_place *at, roast_error *err, const char *problem)
{
    buf message = {0};
    write_place(&message, at);
    buf_format(&message, "%s%s", at->parent ? " " : "", problem);
    return fail_in_one_line(err, &message);
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

roast_code json_wrong_type(const json_place *at, const json_t *value, const char *wanted, roast_error *err)
{
    char problem[80];
    snprintf(problem, sizeof problem, "%s %s, not %s", at->parent ? "is" : "holds", type_name(value), wanted);
    return json_fail(at, err, problem);
}

/* ---- Typed access -------------------------------------------------------------------------------------------------
 */

roast_code json_read_int(const json_place *at, const json_t *value, int64_t *out, roast_error *err)
{
    *out = ROAST_ABSENT;
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (!json_is_number(value))
        return json_wrong_type(at, value, "a number", err);
    if (json_is_integer(value))
        *out = json_integer_value(value);
    else if (fabs(json_real_value(value)) < 9e18)
        *out = llround(json_real_value(value));
    else
        return json_fail(at, err, "is too large a number");
    return ROAST_OK;
}

roast_code json_read_real(const json_place *at, const json_t *value, double *out, roast_error *err)
{
    *out = (double)NAN;
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (!json_is_number(value))
        return json_wrong_type(at, value, "a number", err);
    *out = json_number_value(value);
    return ROAST_OK;
}

roast_code json_read_text(const json_place *at, const json_t *value, roast_str *out, roast_error *err)
{
    *out = str_none();
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (!json_is_string(value))
        return json_wrong_type(at, value, "a string", err);
    *out = (roast_str){json_string_value(value), json_string_length(value)};
    return ROAST_OK;
}

roast_code json_read_object(const json_place *at, json_t *value, json_t **out, roast_error *err)
{
    *out = NULL;
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (!json_is_object(value))
        return json_wrong_type(at, value, "an object", err);
    *out = value;
    return ROAST_OK;
}

roast_code json_read_array(const json_place *at, json_t *value, json_t **out, roast_error *err)
{
    *out = NULL;
    if (!value || json_is_null(value))
        return ROAST_OK;
    if (!json_is_array(value))
        return json_wrong_type(at, value, "a list", err);
    *out = value;
    return ROAST_OK;
}
