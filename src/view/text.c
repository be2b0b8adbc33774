/* Text on a screen. Widths come from a table of ranges here, not from the C library, because that one answers only
 * in the right locale, and a run may name its files in any script. */
#include "view/text.h"

#include "base/str.h"

typedef struct range {
    uint32_t first, last;
} range;

/* Marks that are drawn over the character before them (Unicode: general category Mn and Me, by block). */
static const range COMBINING[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x05BF, 0x05BF},   {0x05C1, 0x05C2},   {0x05C4, 0x05C5},
    {0x05C7, 0x05C7}, {0x0610, 0x061A}, {0x064B, 0x065F},   {0x0670, 0x0670},   {0x06D6, 0x06DC},   {0x06DF, 0x06E4},
    {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711},   {0x0730, 0x074A},   {0x07A6, 0x07B0},   {0x07EB, 0x07F3},
    {0x0816, 0x0819}, {0x081B, 0x0823}, {0x0825, 0x0827},   {0x0829, 0x082D},   {0x0859, 0x085B},   {0x08D3, 0x0902},
    {0x093A, 0x093A}, {0x093C, 0x093C}, {0x0941, 0x0948},   {0x094D, 0x094D},   {0x0951, 0x0957},   {0x0962, 0x0963},
    {0x0981, 0x0981}, {0x09BC, 0x09BC}, {0x09C1, 0x09C4},   {0x09CD, 0x09CD},   {0x0A01, 0x0A02},   {0x0A3C, 0x0A3C},
    {0x0A41, 0x0A51}, {0x0A70, 0x0A71}, {0x0A81, 0x0A82},   {0x0ABC, 0x0ABC},   {0x0AC1, 0x0AC8},   {0x0ACD, 0x0ACD},
    {0x0B01, 0x0B01}, {0x0B3C, 0x0B3C}, {0x0B41, 0x0B44},   {0x0B4D, 0x0B56},   {0x0BC0, 0x0BC0},   {0x0BCD, 0x0BCD},
    {0x0C3E, 0x0C40}, {0x0C46, 0x0C56}, {0x0CBC, 0x0CBC},   {0x0CCC, 0x0CCD},   {0x0D41, 0x0D44},   {0x0D4D, 0x0D4D},
    {0x0DCA, 0x0DCA}, {0x0DD2, 0x0DD6}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1},
    {0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECD}, {0x0F18, 0x0F19},   {0x0F35, 0x0F35},   {0x0F37, 0x0F37},   {0x0F39, 0x0F39},
    {0x0F71, 0x0F7E}, {0x0F80, 0x0F84}, {0x0F86, 0x0F87},   {0x0F8D, 0x0FBC},   {0x0FC6, 0x0FC6},   {0x102D, 0x1030},
    {0x1032, 0x1037}, {0x1039, 0x103A}, {0x103D, 0x103E},   {0x135D, 0x135F},   {0x1712, 0x1714},   {0x17B4, 0x17B5},
    {0x17B7, 0x17BD}, {0x17C6, 0x17C6}, {0x17C9, 0x17D3},   {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},   {0x20D0, 0x20F0},
    {0x2CEF, 0x2CF1}, {0x2DE0, 0x2DFF}, {0x302A, 0x302D},   {0x3099, 0x309A},   {0xA66F, 0xA672},   {0xA674, 0xA67D},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1D167, 0x1D169}, {0x1D17B, 0x1D182}, {0xE0100, 0xE01EF},
};

/* East Asian Width W and F, and emoji that terminals draw over two columns. */
static const range WIDE[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0},
    {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D7}, {0x1F6DC, 0x1F6DF},
    {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A},
    {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

/* What a reader cannot see, or what changes how the rest of the line is drawn: controls, zero-width characters,
 * direction marks and overrides, line separators, tags, private use and noncharacters of the last planes. */
static const range UNSEEN[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x034F, 0x034F},   {0x061C, 0x061C},    {0x115F, 0x1160},
    {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0x3164, 0x3164},    {0xE000, 0xF8FF},
    {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF},
};

/* More marks than this over one character are no writing system but a way to paint over other lines. */
enum { MOST_MARKS = 3 };

static bool in_ranges(const range *ranges, size_t count, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && c >= ranges[low].first;
}

#define IN(ranges, c) in_ranges(ranges, sizeof(ranges) / sizeof(ranges)[0], c)

static size_t char_width(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (IN(COMBINING, c))
        return 0;
    return IN(WIDE, c) ? 2 : 1;
}

/* How many bytes a character with this first byte has, and the bits of its value that the byte holds. */
static size_t sequence_length(unsigned char first, uint32_t *bits)
{
    if (first < 0x80)
        return *bits = first, 1;
    if (first >= 0xC2 && first <= 0xDF)
        return *bits = first & 0x1FU, 2;
    if (first >= 0xE0 && first <= 0xEF)
        return *bits = first & 0x0FU, 3;
    if (first >= 0xF0 && first <= 0xF4)
        return *bits = first & 0x07U, 4;
    return 0;
}

uint32_t text_next(roast_str *rest)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = 0;
    size_t length = sequence_length((unsigned char)rest->ptr[0], &c);
    bool valid = length > 0 && length <= rest->len;
    for (size_t i = 1; valid && i < length; i++) {
        unsigned char byte = (unsigned char)rest->ptr[i];
        valid = (byte & 0xC0) == 0x80;
        c = c << 6 | (byte & 0x3FU);
    }
    valid = valid && c >= smallest[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
    size_t taken = valid ? length : 1;
    *rest = (roast_str){rest->ptr + taken, rest->len - taken};
    return valid ? c : TEXT_REPLACEMENT;
}

void text_put(buf *out, uint32_t c)
{
    char bytes[4];
    if (c < 0x80) {
        buf_char(out, (char)c);
    } else if (c < 0x800) {
        bytes[0] = (char)(0xC0 | c >> 6);
        bytes[1] = (char)(0x80 | (c & 0x3F));
        buf_bytes(out, bytes, 2);
    } else if (c < 0x10000) {
        bytes[0] = (char)(0xE0 | c >> 12);
        bytes[1] = (char)(0x80 | (c >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (c & 0x3F));
        buf_bytes(out, bytes, 3);
    } else {
        bytes[0] = (char)(0xF0 | c >> 18);
        bytes[1] = (char)(0x80 | (c >> 12 & 0x3F));
        bytes[2] = (char)(0x80 | (c >> 6 & 0x3F));
        bytes[3] = (char)(0x80 | (c & 0x3F));
        buf_bytes(out, bytes, 4);
    }
}

size_t text_width(roast_str s)
{
    size_t width = 0;
    while (s.len)
        width += char_width(text_next(&s));
    return width;
}

static void spell_out(buf *out, uint32_t c)
{
    if (c == '\n')
        buf_text(out, "\\n");
    else if (c == '\t')
        buf_text(out, "\\t");
    else if (c == '\r')
        buf_text(out, "\\r");
    else
        buf_format(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

/* The signs of our own tables, in ASCII. */
static const char *ascii_likeness(uint32_t c)
{
    static const struct {
        uint32_t character;
        const char *ascii;
    } likenesses[] = {
        {0xB7, "-"},    {0xB5, "u"},    {0xD7, "x"},    {0xB1, "+-"},    {0x2013, "-"},  {0x2014, "-"},  {0x2018, "'"},
        {0x2019, "'"},  {0x201C, "\""}, {0x201D, "\""}, {0x2026, "..."}, {0x2192, "->"}, {0x2190, "<-"}, {0x2212, "-"},
        {0x2264, "<="}, {0x2265, ">="}, {0xA0, " "},    {0x202F, " "},   {0xF7, "/"},    {0xB2, "2"},
    };
    for (size_t i = 0; i < sizeof likenesses / sizeof likenesses[0]; i++)
        if (likenesses[i].character == c)
            return likenesses[i].ascii;
    return "?";
}

void text_safe(buf *out, roast_str s, bool utf8)
{
    int marks = MOST_MARKS; /* a mark at the very start has nothing to sit on */
    while (s.len) {
        uint32_t c = text_next(&s);
        bool mark = char_width(c) == 0;
        marks = mark ? marks + 1 : 0;
        if (IN(UNSEEN, c) || marks > MOST_MARKS)
            spell_out(out, c);
        else if (c < 0x80 || utf8)
            text_put(out, c);
        else if (!mark)
            buf_text(out, ascii_likeness(c));
    }
}

/* The front of s that fits in width columns. */
static roast_str front(roast_str s, size_t width)
{
    roast_str rest = s;
    size_t used = 0, taken = 0;
    while (rest.len) {
        used += char_width(text_next(&rest));
        if (used > width)
            break;
        taken = s.len - rest.len;
    }
    return (roast_str){s.ptr, taken};
}

/* What is left of s when columns of its front are gone; never starts with a combining mark. */
static roast_str without_front(roast_str s, size_t columns)
{
    size_t gone = 0;
    while (s.len) {
        roast_str after = s;
        size_t width = char_width(text_next(&after));
        if (gone >= columns && width > 0)
            break;
        gone += width;
        s = after;
    }
    return s;
}

void text_shorten_to(buf *out, roast_str safe, size_t width, int front_percent, bool utf8)
{
    size_t whole = text_width(safe);
    if (whole <= width) {
        buf_str(out, safe);
        return;
    }
    roast_str ellipsis = utf8 ? STR("…") : width > 4 ? STR("..") : STR("~");
    size_t mark = text_width(ellipsis);
    if (width <= mark) {
        buf_str(out, front(ellipsis, width));
        return;
    }
    size_t kept = width - mark, at_front = kept * (size_t)front_percent / 100, at_end = kept - at_front;
    buf_str(out, front(safe, at_front));
    buf_str(out, ellipsis);
    buf_str(out, without_front(safe, whole - at_end));
}

void text_shorten(buf *out, roast_str safe, size_t width, bool utf8)
{
    text_shorten_to(out, safe, width, 40, utf8); /* the end of a path says more than its front */
}

/* What coffea says of what it caught, in Python's notation, which is a line; absent if it says nothing of the kind. */
static roast_str wrapped_error(roast_str error)
{
    static const char words[] = "The error was: ";
    roast_str inside = str_none();
    for (const char *at; error.len && (at = memmem(error.ptr, error.len, words, strlen(words))); error = inside)
        inside = (roast_str){at + strlen(words), error.len - (size_t)(at - error.ptr) - strlen(words)};
    inside = str_trim(str_split(&inside, '\n'));
    inside.len -= str_ends_with(inside, STR("."));
    return inside.len ? inside : str_none();
}

static roast_str take_line(roast_str *rest, roast_str newline)
{
    const char *end = rest->len ? memmem(rest->ptr, rest->len, newline.ptr, newline.len) : NULL;
    roast_str line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
    *rest = end ? (roast_str){end + newline.len, rest->len - line.len - newline.len} : str_none();
    return str_trim(line);
}

void text_error(buf *out, roast_str error)
{
    roast_str inside = wrapped_error(error), rest = str_absent(inside) ? error : inside;
    roast_str newline = str_absent(inside) ? STR("\n") : STR("\\n");
    for (bool begun = false; !str_absent(rest);) {
        roast_str line = take_line(&rest, newline);
        if (begun && !line.len)
            return;
        buf_text(out, begun ? " " : "");
        buf_str(out, line);
        begun |= line.len > 0;
    }
}

/* Where a line may be broken: the fewer places, the better the line reads. */
typedef enum break_place {
    BREAK_AT_PARTS, /* after a sign that divides */
    BREAK_AT_WORDS, /* not between a number and its unit */
    BREAK_AT_SPACES,
    BREAK_ANYWHERE
} break_place;

static bool may_break_after(roast_str before, break_place place)
{
    char last = before.len ? before.ptr[before.len - 1] : ' ';
    if (place == BREAK_AT_PARTS)
        return str_ends_with(before, STR("·")) || strchr(",;/=+", last);
    return place != BREAK_AT_WORDS || !(last >= '0' && last <= '9');
}

/* Where the line ends, given that the text goes on after it: after a space, or after everything. */
static size_t break_before(roast_str line, break_place place)
{
    for (size_t end = line.len; place != BREAK_ANYWHERE && end > 1; end--)
        if (line.ptr[end - 1] == ' ' && may_break_after((roast_str){line.ptr, end - 1}, place))
            return end;
    return place == BREAK_ANYWHERE ? line.len : break_before(line, place + 1);
}

roast_str text_take_line(roast_str *rest, size_t width, bool at_parts)
{
    roast_str line = front(*rest, width);
    if (line.len == 0) { /* one wide character in a column of one */
        roast_str after = *rest;
        text_next(&after);
        line.len = rest->len - after.len;
    }
    break_place place = at_parts ? BREAK_AT_PARTS : BREAK_AT_WORDS;
    bool at_space = line.len < rest->len && rest->ptr[line.len] == ' ' && may_break_after(line, place);
    if (line.len < rest->len && !at_space)
        line.len = break_before(line, place);
    *rest = (roast_str){rest->ptr + line.len, rest->len - line.len};
    while (rest->len && rest->ptr[0] == ' ')
        rest->ptr++, rest->len--;
    while (line.len > 1 && line.ptr[line.len - 1] == ' ')
        line.len--;
    return line;
}
