/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-spacing - a space that is missing on a line, as in "- file:/etc/motd" and "-file: /etc/motd".
 *
 * To YAML the first is text that goes on in the next line, and the second a key that starts with '-'. It
 * gives up only at the first key below, where nothing is wrong. */
#include "config.h"

#include "manifest/text/yaml-parts.h"

#include "base/complaint.h"
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct line {
    const char *start, *text, *end; /* text: behind blanks and the '-' of items */
    bool item;
};

/* `end` is the line feed, which is neither blank nor text. */
static struct line
read_line(const char *start, const char *end)
{
    struct line line = { .start = start, .text = start };
    size_t n;

    while (*line.text == ' ' || (*line.text == '-' && line.text[1] == ' ')) {
        line.item |= *line.text == '-';
        line.text++;
    }
    for (n = (size_t)(end - line.text); n && strchr(" \t\r", line.text[n - 1]); n--)
        continue;
    line.end = line.text + n;
    return line;
}

static size_t
name_length(const char *text, const char *end)
{
    size_t n = 0;

    while (text + n < end && (text[n] == '_' || isalpha((unsigned char)text[n])))
        n++;
    return n;
}

static bool
complain(const struct line *line, const char *at, unsigned number, unsigned file,
         struct rh_complaints *complaints)
{
    size_t column = rh_utf8_count(line->start, (size_t)(at - line->start)) + 1;
    struct rh_place place = { .line = number, .file = (uint16_t)file };

    place.column = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX);
    rh_complain(complaints, place, "for example: - file: /etc/motd",
                *at == '-'   ? "add a space after '-'"
                : *at == ':' ? "add a space after the colon"
                             : "missing ':' after a key");
    return true;
}

bool
rh_yaml_missing_space(const char *text, size_t n, unsigned number, unsigned file,
                      struct rh_complaints *complaints)
{
    const char *start = text, *end, *name_end;
    struct line line = { 0 };
    unsigned found = 0;

    for (unsigned i = 1; i < number; i++, start = end + 1) {
        struct line one;

        end = memchr(start, '\n', (size_t)(text + n - start));
        if (!end)
            break;
        one = read_line(start, end);
        if (one.text < one.end && *one.text != '#') {
            line = one;
            found = i;
        }
    }
    if (!found)
        return false;
    if (*line.text == '-')
        return name_length(line.text + 1, line.end) && complain(&line, line.text, found, file, complaints);
    name_end = line.text + name_length(line.text, line.end);
    if (name_end == line.text || name_end + 1 >= line.end
        || memmem(name_end, (size_t)(line.end - name_end), ": ", 2) || line.end[-1] == ':')
        return false;
    if (*name_end == ':' && strncmp(name_end, "://", 3) != 0)
        return complain(&line, name_end, found, file, complaints);
    return line.item && *name_end == ' ' && complain(&line, name_end, found, file, complaints);
}
