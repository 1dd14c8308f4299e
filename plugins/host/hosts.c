/* SPDX-License-Identifier: Apache-2.0 */
/* hosts - a file in the format of hosts(5), read into lines, edited, and written. */

#include "hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BLANK " \t\r"

int
hosts_canonical_ip(const char *ip, char *canonical, size_t size)
{
    unsigned char address[sizeof(struct in6_addr)];
    int family = strchr(ip, ':') ? AF_INET6 : AF_INET;

    if (inet_pton(family, ip, address) != 1)
        return -1;
    return inet_ntop(family, address, canonical, (socklen_t)size) ? 0 : -1;
}

static int
same_family(const char *a, const char *b)
{
    return !strchr(a, ':') == !strchr(b, ':');
}

static size_t
hash(const char *name)
{
    size_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static void
add_to_index(struct hosts *h, struct hosts_line *line, size_t at)
{
    size_t slot = hash(line->names[at]) & (h->n_index - 1);

    while (h->index[slot].line)
        slot = (slot + 1) & (h->n_index - 1);
    h->index[slot].line = line;
    h->index[slot].at = at;
}

/* Splits one line, whose copy `words` may be written into. Its names go to h->names + used. */
static size_t
parse_line(struct hosts *h, struct hosts_line *line, char *words, size_t used)
{
    char *comment = strchr(words, '#'), *word, *rest = words;

    line->comment = "";
    line->names = h->names + used;
    if (comment) {
        char *end = comment + strlen(comment);

        *comment++ = '\0';
        comment += strspn(comment, BLANK);
        while (end > comment && strchr(BLANK, end[-1]))
            end--;
        *end = '\0';
        line->comment = comment;
    }
    for (char *c = words; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    word = strtok_r(words, BLANK, &rest);
    if (!word || hosts_canonical_ip(word, line->ip, sizeof line->ip) < 0)
        return used;
    while ((word = strtok_r(NULL, BLANK, &rest)))
        line->names[line->n_names++] = word;
    if (!line->n_names)
        line->ip[0] = '\0';
    return used + line->n_names;
}

static int
parse(struct hosts *h, size_t len, size_t more)
{
    size_t n_lines = 0, used = 0;

    for (const char *p = h->text; p < h->text + len; n_lines++)
        p += strcspn(p, "\n") + 1;
    h->words = strdup(h->text);
    h->names = calloc(len / 2 + 1, sizeof *h->names);
    h->lines = calloc(n_lines + more + 1, sizeof *h->lines);
    if (!h->words || !h->names || !h->lines)
        return -1;
    for (size_t at = 0; at < len; h->n_lines++) {
        struct hosts_line *line = &h->lines[h->n_lines];

        line->text = h->text + at;
        line->len = strcspn(line->text, "\n");
        h->words[at + line->len] = '\0';
        used = parse_line(h, line, h->words + at, used);
        at += line->len + 1;
    }
    for (h->n_index = 16; h->n_index < used * 2; h->n_index *= 2)
        continue;
    h->index = calloc(h->n_index, sizeof *h->index);
    if (!h->index)
        return -1;
    for (size_t i = 0; i < h->n_lines; i++)
        for (size_t k = 0; k < h->lines[i].n_names; k++)
            add_to_index(h, &h->lines[i], k);
    return 0;
}

/* The file's text with a NUL behind it; -1 with errno. */
static int
read_text(struct hosts *h, int fd, size_t *len)
{
    ssize_t got = 0;
    size_t size;

    *len = 0;
    if (fd < 0)
        return (h->text = calloc(1, 1)) ? 0 : -1;
    if (fstat(fd, &h->stat) < 0)
        return -1;
    size = (size_t)h->stat.st_size;
    h->text = calloc(1, size + 1);
    while (h->text && *len < size && (got = read(fd, h->text + *len, size - *len)) > 0)
        *len += (size_t)got;
    return h->text && got >= 0 ? 0 : -1;
}

struct hosts *
hosts_read(const char *path, int fd, size_t more)
{
    struct hosts *h = calloc(1, sizeof *h);
    size_t len;

    if (!h)
        return NULL;
    h->path = strdup(path);
    if (h->path && read_text(h, fd, &len) == 0) {
        if (strlen(h->text) != len)
            errno = EILSEQ; /* a NUL in it: writing it again would lose something */
        else if (parse(h, len, more) == 0)
            return h;
    }
    hosts_free(h);
    return NULL;
}

void
hosts_free(struct hosts *h)
{
    int why = errno;

    if (!h)
        return;
    free(h->path);
    free(h->text);
    free(h->words);
    free(h->names);
    free(h->lines);
    free(h->index);
    free(h);
    errno = why;
}

int
hosts_is_fresh(const struct hosts *h, const char *path)
{
    struct stat now;

    if (strcmp(h->path, path) != 0)
        return 0;
    if (stat(path, &now) < 0)
        return errno == ENOENT && !h->stat.st_ino;
    return now.st_ino == h->stat.st_ino && now.st_dev == h->stat.st_dev && now.st_size == h->stat.st_size
           && now.st_mtim.tv_sec == h->stat.st_mtim.tv_sec && now.st_mtim.tv_nsec == h->stat.st_mtim.tv_nsec;
}

/* The next mention of the name, from slot *slot on; NULL when there is none left. */
static const struct hosts_ref *
next_mention(const struct hosts *h, const char *name, size_t *slot)
{
    while (h->index[*slot].line) {
        const struct hosts_ref *ref = &h->index[*slot];

        *slot = (*slot + 1) & (h->n_index - 1);
        /* A name that was taken out meanwhile is an empty one, or its line has fewer. */
        if (!ref->line->gone && ref->at < ref->line->n_names && strcmp(ref->line->names[ref->at], name) == 0)
            return ref;
    }
    return NULL;
}

struct hosts_line *
hosts_find(const struct hosts *h, const char *name, const char *ip, size_t *at)
{
    size_t slot = hash(name) & (h->n_index - 1);
    const struct hosts_ref *ref, *best = NULL;
    int best_score = -1;

    while ((ref = next_mention(h, name, &slot))) {
        int score = (ref->at == 0 ? 4 : 0) + (ip && strcmp(ref->line->ip, ip) == 0 ? 2 : 0)
                    + (ip && same_family(ref->line->ip, ip) ? 1 : 0);

        if (score > best_score || (score == best_score && ref->line < best->line)) {
            best = ref;
            best_score = score;
        }
    }
    if (!best)
        return NULL;
    *at = best->at;
    return best->line;
}

void
hosts_remove(struct hosts *h, const char *name, const char *ip)
{
    size_t slot = hash(name) & (h->n_index - 1);
    const struct hosts_ref *ref;

    while ((ref = next_mention(h, name, &slot))) {
        if (ref->at > 0 && (!ip || same_family(ref->line->ip, ip))) {
            ref->line->names[ref->at] = "";
            ref->line->changed = 1;
        } else if (ref->at == 0 && !ip) {
            ref->line->gone = 1;
        }
    }
}

struct hosts_line *
hosts_add(struct hosts *h)
{
    struct hosts_line *line = &h->lines[h->n_lines++];

    line->comment = "";
    line->changed = 1;
    return line;
}

/* --- Writing. -------------------------------------------------------------------------------- */

static const char *
skip(const char *at, const char *end, int blanks)
{
    while (at < end && *at != '#' && (strchr(BLANK, *at) != NULL) == blanks)
        at++;
    return at;
}

static void
put(FILE *out, const char *from, const char *to)
{
    (void)fwrite(from, 1, (size_t)(to - from), out);
}

/* What is behind the last name: blanks, and the comment. */
static void
write_rest(FILE *out, const struct hosts_line *line, const char *at, const char *end)
{
    const char *mark = memchr(at, '#', (size_t)(end - at)), *tail = end;

    if (!line->new_comment || strcmp(line->new_comment, line->comment) == 0) {
        put(out, at, end);
        return;
    }
    while (tail > at && strchr(BLANK, tail[-1]))
        tail--; /* which is where the comment ends, and a CR may stay */
    if (!*line->new_comment) {
        put(out, mark ? tail : at, end);
    } else if (!mark) {
        fprintf(out, "\t# %s", line->new_comment);
        put(out, tail, end);
    } else {
        const char *text = mark + 1;

        while (text < tail && strchr(BLANK, *text))
            text++;
        put(out, at, text);
        fprintf(out, "%s%s", *line->comment || text > mark + 1 ? "" : " ", line->new_comment);
        put(out, tail > text ? tail : text, end);
    }
}

/* A line that was in the file: only what differs is written anew, the rest byte for byte. */
static void
write_changed(FILE *out, const struct hosts_line *line)
{
    const char *at = line->text, *end = at + line->len, *next = skip(at, end, 1), *word;
    char written[INET6_ADDRSTRLEN + 1], canonical[INET6_ADDRSTRLEN] = "";

    put(out, at, next);
    at = skip(next, end, 0);
    snprintf(written, sizeof written, "%.*s", (int)(at - next), next);
    if (hosts_canonical_ip(written, canonical, sizeof canonical) == 0 && strcmp(canonical, line->ip) == 0)
        put(out, next, at);
    else
        fputs(line->ip, out);
    for (size_t k = 0; k < line->n_names; k++, at = next) {
        word = skip(at, end, 1);
        next = skip(word, end, 0);
        if (*line->names[k])
            put(out, at, next);
    }
    for (size_t k = 0; k < line->n_more; k++)
        fprintf(out, " %s", line->more[k]);
    write_rest(out, line, at, end);
}

static void
write_new(FILE *out, const struct hosts_line *line)
{
    fprintf(out, "%s\t%s", line->ip, line->names[0]);
    for (size_t k = 0; k < line->n_more; k++)
        fprintf(out, " %s", line->more[k]);
    if (line->new_comment && *line->new_comment)
        fprintf(out, "\t# %s", line->new_comment);
}

char *
hosts_write(const struct hosts *h, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    int failed, is_open = 0;

    if (!out)
        return NULL;
    for (size_t i = 0; i < h->n_lines; i++) {
        const struct hosts_line *line = &h->lines[i];

        if (line->gone)
            continue;
        if (is_open)
            (void)fputc('\n', out);
        if (!line->changed)
            (void)fwrite(line->text, 1, line->len, out);
        else if (line->text)
            write_changed(out, line);
        else
            write_new(out, line);
        is_open = line->text && line->text[line->len] == '\0'; /* the last one, without a newline */
        if (!is_open)
            (void)fputc('\n', out);
    }
    failed = ferror(out);
    failed |= fclose(out) != 0;
    if (failed) {
        free(text);
        return NULL;
    }
    return text;
}
