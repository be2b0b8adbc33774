/* Finding secrets in a text: one pass, which stops at the few characters after which a secret can begin. */
#include "base/secrets.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/secret_names.h"
#include "base/sha256.h"
#include "base/str.h"

enum { MARK_DIGITS = 8, MARK_LENGTH = 2 + MARK_DIGITS };

typedef enum secret_kind { SECRET_LOGIN, SECRET_QUERY, SECRET_VALUE } secret_kind;

typedef struct secret {
    secret_kind kind;
    size_t from, to;
} secret;

typedef struct search {
    roast_str text;
    size_t at;
    size_t taken;   /* after the last secret: what is before it names nothing */
    size_t url_end; /* of the address that at is in; before at: it is in none */
    size_t last_at; /* after the last '@' of that address; 0: there is none */
} search;

/* ---- Names that tell of a secret ------------------------------------------------------------------------------ */

static const secret_name secret_names[] = {
    {.ending = "token", .value = VALUE_WORD},
    {.ending = "password", .value = VALUE_WORD, .chosen = true},
    {.ending = "passwd", .value = VALUE_WORD, .chosen = true},
    {.ending = "passphrase", .value = VALUE_WORD, .chosen = true},
    {.ending = "pwd", .value = VALUE_WORD, .chosen = true},
    {.ending = "secret", .value = VALUE_WORD},
    {.ending = "signature", .value = VALUE_WORD},
    {.ending = "credential", .value = VALUE_WORD},
    {.ending = "credentials", .value = VALUE_WORD},
    {.ending = "authz", .value = VALUE_WORD},
    {.ending = "apikey", .value = VALUE_WORD},
    {.ending = "api_key", .value = VALUE_WORD},
    {.ending = "api-key", .value = VALUE_WORD},
    {.ending = "access_key", .value = VALUE_WORD},
    {.ending = "secret_key", .value = VALUE_WORD},
    {.ending = "private_key", .value = VALUE_WORD},
    {.ending = "authorization", .value = VALUE_LINE},
    {.ending = "cookie", .value = VALUE_LINE},
    {.ending = "bearer", .value = VALUE_AFTER_SPACE},
};

const secret_name *secret_name_of(roast_str name)
{
    if (!name.len || !isalpha((unsigned char)name.ptr[name.len - 1]))
        return NULL;
    for (size_t i = 0; i < sizeof secret_names / sizeof *secret_names; i++) {
        size_t len = strlen(secret_names[i].ending);
        if (name.len >= len && strncasecmp(name.ptr + name.len - len, secret_names[i].ending, len) == 0)
            return &secret_names[i];
    }
    return NULL;
}

/* ---- Words ---------------------------------------------------------------------------------------------------- */

static bool ends_word(char c)
{
    return (unsigned char)c <= ' ' || c == '\x7f';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* Where the word at from ends: before white space or one of the two characters, and before punctuation that closes a
 * sentence or a bracket around it. */
static size_t word_end(roast_str text, size_t from, char closing, char separator)
{
    size_t to = from;
    while (to < text.len && !ends_word(text.ptr[to]) && text.ptr[to] != closing && text.ptr[to] != separator)
        to++;
    while (to > from && strchr(".,;:!)]}>\"'`\\", text.ptr[to - 1]))
        to--;
    return to;
}

static size_t skip_spaces(roast_str text, size_t from)
{
    while (from < text.len && (text.ptr[from] == ' ' || text.ptr[from] == '\t'))
        from++;
    return from;
}

static roast_str part_of(roast_str text, size_t from, size_t to)
{
    return (roast_str){text.ptr + from, to - from};
}

static bool at_address(roast_str text, size_t at)
{
    return str_starts_with(part_of(text, at, text.len), STR("://"));
}

/* ---- Values --------------------------------------------------------------------------------------------------- */

/* The name before a separator: token in token= and "token" : and \"token\": */
static roast_str name_before(const search *s)
{
    const char *text = s->text.ptr;
    size_t at = s->at;
    for (int spaces = 0; text[s->at] != ' ' && spaces < 2 && at > s->taken && text[at - 1] == ' '; spaces++)
        at--;
    if (at > s->taken && is_quote(text[at - 1]))
        at--;
    if (at > s->taken && text[at - 1] == '\\')
        at--;
    return part_of(s->text, s->taken, at);
}

static size_t quoted_end(roast_str text, size_t from, char quote)
{
    for (size_t at = from; at < text.len; at++) {
        if (text.ptr[at] == quote)
            return at;
        if (text.ptr[at] == '\\')
            at++;
    }
    return text.len;
}

static size_t line_end(roast_str text, size_t from)
{
    while (from < text.len && text.ptr[from] != '\n' && text.ptr[from] != '\r')
        from++;
    return from;
}

/* A value may say its kind first: token: Bearer abc. */
static size_t skip_scheme(roast_str text, size_t from)
{
    static const char *const schemes[] = {"bearer ", "basic "};
    for (size_t i = 0; i < 2; i++)
        if (text.len - from > strlen(schemes[i]) && strncasecmp(text.ptr + from, schemes[i], strlen(schemes[i])) == 0)
            return skip_spaces(text, from + strlen(schemes[i]));
    return from;
}

static secret value_at(roast_str text, size_t from, secret_value value)
{
    from = skip_spaces(text, from);
    if (value != VALUE_LINE)
        from = skip_scheme(text, from);
    if (from < text.len && is_quote(text.ptr[from]))
        return (secret){SECRET_VALUE, from + 1, quoted_end(text, from + 1, text.ptr[from])};
    if (value == VALUE_LINE)
        return (secret){SECRET_VALUE, from, line_end(text, from)};
    return (secret){SECRET_VALUE, from, word_end(text, from, '&', '&')};
}

/* The value of a name that tells of a secret, at a separator, unless it has been stripped before. */
static bool find_value(search *s, secret *found)
{
    const secret_name *name = secret_name_of(name_before(s));
    if (!name || (name->value == VALUE_AFTER_SPACE) != (s->text.ptr[s->at] == ' '))
        return false;
    *found = value_at(s->text, s->at + 1, name->value);
    if (found->from < s->url_end && found->to > s->url_end) /* a part of an address is one word, as that is */
        found->to = s->url_end;
    return found->to > found->from && !str_starts_with(part_of(s->text, found->from, found->to), STR(STRIPPED));
}

/* ---- Addresses ------------------------------------------------------------------------------------------------ */

static bool in_scheme(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '.' || c == '-';
}

/* An address that is quoted ends with its quote, any other at white space: its query may hold all other characters. */
static char closing_of(roast_str text, size_t colon)
{
    size_t begin = colon;
    while (begin > 0 && in_scheme(text.ptr[begin - 1]))
        begin--;
    char before = begin > 0 ? text.ptr[begin - 1] : ' ';
    return is_quote(before) ? before : before == '<' ? '>' : ' ';
}

static size_t after_last_at_sign(roast_str text, size_t from, size_t to)
{
    const char *sign = to > from ? memrchr(text.ptr + from, '@', to - from) : NULL;
    return sign ? (size_t)(sign - text.ptr) + 1 : 0;
}

static bool has_odd_port(roast_str host)
{
    const char *colon = host.len && host.ptr[0] != '[' ? memchr(host.ptr, ':', host.len) : NULL;
    for (const char *at = colon; at && ++at < host.ptr + host.len;)
        if (!isdigit((unsigned char)*at))
            return true;
    return false;
}

/* At "://". One address inside another ends where that one does. What looks like a port and is no number is the
 * beginning of a password with a '/', '?' or '#' in it, if there is an '@' after it. */
static bool find_login(search *s, secret *found)
{
    size_t from = s->at + 3;
    if (from > s->url_end) {
        s->url_end = word_end(s->text, from, closing_of(s->text, s->at), '\0');
        s->last_at = after_last_at_sign(s->text, from, s->url_end);
    }
    size_t host_end = from;
    while (host_end < s->url_end && !strchr("/?#", s->text.ptr[host_end]))
        host_end++;
    size_t to = after_last_at_sign(s->text, from, host_end);
    size_t host = to ? to : from;
    if (s->last_at > host_end && has_odd_port(part_of(s->text, host, host_end)))
        to = s->last_at;
    *found = (secret){SECRET_LOGIN, from, to};
    return to > 0;
}

static bool is_mark(roast_str query)
{
    if (query.len != MARK_LENGTH || query.ptr[0] != '?' || query.ptr[1] != '#')
        return false;
    for (size_t i = 2; i < MARK_LENGTH; i++)
        if (!strchr("0123456789abcdef", query.ptr[i]))
            return false;
    return true;
}

/* At '?' or '#'. */
static bool find_query(search *s, secret *found)
{
    if (s->at >= s->url_end)
        return false;
    *found = (secret){SECRET_QUERY, s->at, s->url_end};
    if (is_mark(part_of(s->text, found->from, found->to))) {
        s->at = s->url_end - 1;
        return false;
    }
    return found->to - found->from > 1;
}

static void put_mark(buf *out, roast_str query)
{
    buf hashed = {0};
    unsigned char digest[SHA256_BYTES];
    while (!str_absent(query)) {
        roast_str parameter = str_split(&query, '&'), value = parameter, name = str_split(&value, '=');
        const secret_name *tells = secret_name_of(name);
        buf_str(&hashed, tells && tells->chosen ? name : parameter);
        if (!str_absent(query))
            buf_char(&hashed, '&');
    }
    sha256(digest, hashed.data, hashed.len);
    if (hashed.code)
        out->code = hashed.code;
    buf_release(&hashed);
    buf_text(out, "?#");
    for (size_t i = 0; i < MARK_DIGITS / 2; i++)
        buf_format(out, "%02x", digest[i]);
}

/* ---- Texts ---------------------------------------------------------------------------------------------------- */

static bool find_at(search *s, secret *found)
{
    switch (s->text.ptr[s->at]) {
    case ':':
        return at_address(s->text, s->at) ? find_login(s, found) : find_value(s, found);
    case '=':
    case ' ':
        return find_value(s, found);
    case '?':
    case '#':
        return find_query(s, found);
    default:
        return false;
    }
}

static bool find_next(search *s, secret *found)
{
    for (; s->at < s->text.len; s->at++)
        if (find_at(s, found)) {
            s->at = s->taken = found->to;
            return true;
        }
    return false;
}

/* Most texts are names, or addresses of workers: a look at their characters is enough. */
static bool may_hold_secret(roast_str text)
{
    for (size_t i = 0; i < text.len; i++)
        switch (text.ptr[i]) {
        case ' ':
        case '#':
        case '=':
        case '?':
        case '@':
            return true;
        case ':': /* but for "://" and the one before a port */
            if (at_address(text, i))
                i += 2;
            else if (i == 0 || !isdigit((unsigned char)text.ptr[i - 1]))
                return true;
            break;
        default:
            break;
        }
    return false;
}

bool strip_secrets(roast_str *text, arena *memory)
{
    if (!may_hold_secret(*text))
        return true;
    search s = {.text = *text};
    secret found;
    buf kept = {0};
    size_t copied = 0;
    while (find_next(&s, &found)) {
        buf_str(&kept, part_of(*text, copied, found.from));
        if (found.kind == SECRET_VALUE)
            buf_text(&kept, STRIPPED);
        else if (found.kind == SECRET_QUERY)
            put_mark(&kept, part_of(*text, found.from + 1, found.to));
        copied = found.to;
    }
    if (!copied)
        return true;
    buf_str(&kept, part_of(*text, copied, text->len));
    *text = kept.code ? str_none() : arena_str(memory, buf_view(&kept));
    buf_release(&kept);
    return !str_absent(*text);
}

bool strip_secrets_of(roast_str name, roast_str *text, arena *memory)
{
    if (!secret_name_of(name))
        return strip_secrets(text, memory);
    if (text->len)
        *text = STR(STRIPPED);
    return true;
}
