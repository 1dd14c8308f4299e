/* SPDX-License-Identifier: Apache-2.0 */
/* status - the database of dpkg, read as apt reads it: from its file.
 *
 * While dpkg works it writes what it does into files beside it, and then the whole anew, in one step: as
 * long as there are no such notes, the file is all there is to know. */

#include "status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/var/lib/dpkg"

enum { LARGEST = 256 << 20 };

static int
is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static int
has_notes(void)
{
    DIR *dir = opendir(FOLDER "/updates");
    const struct dirent *e;
    int any = !dir;

    errno = 0;
    while (dir && !any && (e = readdir(dir)))
        any = e->d_name[0] != '.' && strcmp(e->d_name, "tmp.i") != 0;
    any |= errno != 0; /* what cannot be read may be one */
    if (dir)
        (void)closedir(dir);
    return any;
}

/* The whole file, in memory of the call; NULL when it is none that could be read. */
static char *
read_whole(rhost_ctx *ctx)
{
    int fd = open(FOLDER "/status", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    size_t n = 0, size = 0;
    ssize_t got = 1;
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < LARGEST) {
        size = (size_t)st.st_size;
        text = rhost_alloc(ctx, size + 1);
    }
    while (text && n < size && got > 0) {
        got = read(fd, text + n, size - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return n && n == size && text[n - 1] == '\n' && !memchr(text, '\0', n) ? text : NULL;
}

/* The value of a field, with its end cut off, if the line is that field. */
static char *
field(char *line, const char *name)
{
    size_t len = strlen(name), end;

    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return NULL;
    line += len + 1;
    line += strspn(line, " \t");
    for (end = strlen(line); end && (line[end - 1] == ' ' || line[end - 1] == '\t'); end--)
        continue;
    line[end] = '\0';
    return line;
}

/* "install ok installed" */
static int
take_status(char *words, struct deb *deb)
{
    static const char *const wants[] = { "unknown", "install", "hold", "deinstall", "purge", NULL };
    static const char *const states[] = { "not-installed",    "config-files",    "half-installed",
                                          "unpacked",         "half-configured", "triggers-awaited",
                                          "triggers-pending", "installed",       NULL };
    char *flag = strchr(words, ' '), *state = flag ? strchr(flag + 1, ' ') : NULL;

    if (!state)
        return 0;
    *flag++ = '\0';
    *state++ = '\0';
    deb->want = words;
    deb->state = state;
    deb->reinstall = strcmp(flag, "reinstreq") == 0;
    return (deb->reinstall || strcmp(flag, "ok") == 0) && is_one_of(words, wants) && is_one_of(state, states);
}

static int
take_line(char *line, struct deb *deb)
{
    char *value;

    switch (*line) {
    case 'P':
    case 'p':
        if ((value = field(line, "Package")))
            deb->name = value;
        return 1;
    case 'A':
    case 'a':
        if ((value = field(line, "Architecture")))
            deb->arch = value;
        return 1;
    case 'V':
    case 'v':
        if ((value = field(line, "Version")))
            deb->version = value;
        return 1;
    case 'S':
    case 's':
        value = field(line, "Status");
        return !value || take_status(value, deb);
    default:
        return 1;
    }
}

/* One that is done; 0: it is not understood. */
static int
take_stanza(struct debs *debs, const struct deb *deb)
{
    if (!deb->name || !*deb->name || !deb->state)
        return 0;
    if (strncmp(deb->version, "0:", 2) == 0) /* dpkg would leave that out */
        return 0;
    if (!*deb->arch && strcmp(deb->state, "not-installed") == 0)
        return 1;
    if (strcmp(deb->name, "dpkg") == 0)
        debs->native = deb->arch;
    debs->at[debs->n++] = *deb;
    return 1;
}

int
status_read(rhost_ctx *ctx, struct debs *debs)
{
    const struct deb none = { .arch = "", .version = "" };
    struct deb deb = none;
    size_t stanzas = 1;
    char *text, *line;
    int any = 0;

    text = has_notes() ? NULL : read_whole(ctx);
    if (!text)
        return 0;
    for (const char *at = text; (at = strstr(at, "\n\n")); at += 2)
        stanzas++;
    *debs = (struct debs){ .at = rhost_alloc(ctx, (stanzas + 1) * sizeof *debs->at), .native = "" };
    while ((line = words_line(&text))) {
        if (!*line) {
            if (text - line > 1) /* "\r\n" is no end of a stanza, and none of those that were counted */
                return 0;
            if (any && !take_stanza(debs, &deb))
                return 0;
            deb = none;
            any = 0;
            continue;
        }
        any = 1;
        if (!take_line(line, &deb))
            return 0;
    }
    return !any || take_stanza(debs, &deb);
}

const char *
status_native(rhost_ctx *ctx)
{
    FILE *f = fopen(FOLDER "/status", "re");
    const char *arch = NULL;
    char *line = NULL;
    size_t room = 0;
    int is_dpkg = 0;

    while (f && !arch && getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (words_after(line, "Package: "))
            is_dpkg = strcmp(words_after(line, "Package: "), "dpkg") == 0;
        else if (is_dpkg && words_after(line, "Architecture: "))
            arch = rhost_strdup(ctx, words_after(line, "Architecture: "));
    }
    free(line);
    if (f)
        (void)fclose(f);
    return arch;
}
