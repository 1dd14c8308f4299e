/* SPDX-License-Identifier: Apache-2.0 */
/* dpkg - what packages brought, as the database of dpkg has it: files, configuration files with their sums,
 * and the accounts that their scripts make. Where there is none, no file belongs to a package. */
#include "config.h"

#include "capture/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FOLDER "/var/lib/dpkg"

enum { LARGEST = 256 << 20 };
#define SYSUSERS "/usr/lib/sysusers.d"

struct rh_dpkg {
    bool known, listed, scripted;
    struct rh_map required; /* packages without which no machine of the distribution is */
    struct rh_map owned;    /* paths */
    struct rh_buf scripts;  /* of all maintainers, and the files of systemd-sysusers */
    struct conffile *conffiles;
    size_t n_conffiles, cap_conffiles;
};

static char yes; /* what the maps hold */

struct stanza {
    const char *name;
    bool required, installed;
    size_t first; /* of its configuration files */
};

/* " /etc/x 0123... obsolete" */
static void
take_conffile(struct rh_dpkg *p, const struct stanza *s, char *line)
{
    char *sum = strrchr(line, ' '), *word = NULL;
    struct conffile *c;

    while (sum && (strcmp(sum, " obsolete") == 0 || strcmp(sum, " remove-on-upgrade") == 0)) {
        *sum = '\0';
        word = sum + 1;
        sum = strrchr(line, ' ');
    }
    if (line[1] != '/' || !sum || sum == line)
        return;
    *sum++ = '\0';
    p->conffiles = rh_xgrow(p->conffiles, &p->cap_conffiles, p->n_conffiles, sizeof *p->conffiles);
    c = &p->conffiles[p->n_conffiles++];
    *c = (struct conffile){ .path = line + 1, .sum = sum, .package = s->name, .obsolete = word != NULL };
}

static void
end_stanza(struct rh_dpkg *p, const struct stanza *s)
{
    if (!s->installed)
        p->n_conffiles = s->first; /* it was removed, and left them */
    else if (s->name && s->required)
        rh_map_put(&p->required, s->name, &yes);
}

static void
read_status(struct rh_dpkg *p, char *text)
{
    static const char package[] = "Package: ", status[] = "Status: ";
    struct stanza s = { 0 };
    bool conffiles = false;
    char *line;

    while ((line = rh_capture_line(&text))) {
        if (!*line) {
            end_stanza(p, &s);
            s = (struct stanza){ .first = p->n_conffiles };
        }
        if (*line == ' ' && conffiles)
            take_conffile(p, &s, line);
        if (*line == ' ')
            continue;
        conffiles = strcmp(line, "Conffiles:") == 0;
        if (strncmp(line, package, sizeof package - 1) == 0)
            s.name = line + sizeof package - 1;
        else if (strncmp(line, status, sizeof status - 1) == 0)
            s.installed = strstr(line, " config-files") == NULL && strstr(line, " not-installed") == NULL;
        else if (strcmp(line, "Essential: yes") == 0 || strcmp(line, "Priority: required") == 0)
            s.required = true;
    }
    end_stanza(p, &s);
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(((const struct conffile *)a)->path, ((const struct conffile *)b)->path);
}

/* What dpkg has, and only root can write. */
static char *
read_database(struct looking *l, const char *path)
{
    struct stat st;
    size_t n;
    rh_autofree char *text = rh_capture_bytes(path, LARGEST, &n, &st);

    return text ? rh_arena_strndup(l->arena, text, n) : NULL;
}

void
rh_dpkg_open(struct looking *l)
{
    struct rh_dpkg *p = rh_xalloc(sizeof *p);
    char *text = read_database(l, FOLDER "/status");

    l->packages = p;
    p->known = text != NULL;
    if (text)
        read_status(p, text);
    if (p->n_conffiles)
        qsort(p->conffiles, p->n_conffiles, sizeof *p->conffiles, by_path);
}

void
rh_dpkg_close(struct looking *l)
{
    rh_map_clear(&l->packages->required);
    rh_map_clear(&l->packages->owned);
    rh_buf_clear(&l->packages->scripts);
    free(l->packages->conffiles);
    free(l->packages);
}

bool
rh_dpkg_known(const struct looking *l)
{
    return l->packages->known;
}

bool
rh_dpkg_requires(const struct looking *l, const char *name)
{
    return rh_map_get(&l->packages->required, name);
}

/* Most paths are below /usr/share, and of no interest unless somebody asked for one there. */
static bool
reads_below(const struct looking *l, const char *directory)
{
    size_t n = strlen(directory);

    for (size_t i = 0; i < l->options->n_files; i++) {
        const char *path = l->options->files[i];

        if (strncmp(path, directory, n) == 0 || strncmp(path, directory, strlen(path)) == 0)
            return true;
    }
    return false;
}

const char *
rh_dpkg_other_name(struct rh_arena *a, const char *path)
{
    static const char *const moved[] = { "/bin/", "/lib", "/sbin/" };
    bool usr = strncmp(path, "/usr/", 5) == 0;
    const char *rest = usr ? path + 4 : path;

    for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
        if (strncmp(rest, moved[i], strlen(moved[i])) == 0)
            return usr ? rest : rh_arena_printf(a, "/usr%s", rest);
    return NULL;
}

static void
read_lists(struct looking *l)
{
    static const char share[] = "/usr/share/";
    struct rh_dpkg *p = l->packages;
    bool all = reads_below(l, share);
    const char **names;
    size_t n = rh_capture_names(l, FOLDER "/info", &names);

    p->listed = true;
    for (size_t i = 0; i < n; i++) {
        rh_autofree char *path = rh_printf("%s/%s", FOLDER "/info", names[i]);
        char *text, *line;
        const char *other;

        if (!rh_capture_ends_with(path, ".list"))
            continue;
        text = read_database(l, path);
        while ((line = rh_capture_line(&text))) {
            if (!all && strncmp(line, share, sizeof share - 1) == 0
                && strncmp(line, "/usr/share/keyrings/", 20) != 0)
                continue;
            rh_map_put(&p->owned, line, &yes);
            other = rh_dpkg_other_name(l->arena, line);
            if (other)
                rh_map_put(&p->owned, other, &yes);
        }
    }
}

bool
rh_dpkg_owns(struct looking *l, const char *path)
{
    if (!l->packages->listed)
        read_lists(l);
    return rh_map_get(&l->packages->owned, path);
}

const struct conffile *
rh_dpkg_conffile(const struct looking *l, size_t i)
{
    return i < l->packages->n_conffiles ? &l->packages->conffiles[i] : NULL;
}

bool
rh_dpkg_changed(const struct conffile *c)
{
    struct stat st;
    size_t n;
    rh_autofree char *text = rh_capture_bytes(c->path, LARGEST, &n, &st);
    char sum[RH_MD5_TEXT];

    if (!text)
        return true;
    rh_md5_sum(text, n, sum);
    return strcmp(sum, c->sum) != 0;
}

static void
add_scripts(struct looking *l, const char *directory, const char *const *ends)
{
    const char **names;
    size_t n = rh_capture_names(l, directory, &names);

    for (size_t i = 0; i < n; i++) {
        rh_autofree char *path = NULL;
        bool meant = false;
        struct stat st;
        size_t len;
        rh_autofree char *text = NULL;

        for (const char *const *end = ends; *end; end++)
            meant |= rh_capture_ends_with(names[i], *end);
        path = meant ? rh_printf("%s/%s", directory, names[i]) : NULL;
        text = meant ? rh_capture_bytes(path, LARGEST, &len, &st) : NULL;
        if (text)
            rh_buf_addn(&l->packages->scripts, text, len);
        rh_buf_addc(&l->packages->scripts, '\n');
    }
}

static bool
is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

bool
rh_dpkg_makes_account(struct looking *l, const char *name)
{
    struct rh_dpkg *p = l->packages;
    size_t n = strlen(name);
    const char *at, *end;

    if (!p->scripted) {
        p->scripted = true;
        add_scripts(l, FOLDER "/info", (const char *const[]){ ".postinst", ".preinst", ".config", NULL });
        add_scripts(l, SYSUSERS, (const char *const[]){ ".conf", NULL });
    }
    at = rh_buf_text(&p->scripts);
    end = at + p->scripts.n;
    for (; (at = memmem(at, (size_t)(end - at), name, n)); at += n)
        if ((at == rh_buf_text(&p->scripts) || !is_part_of_name(at[-1])) && !is_part_of_name(at[n]))
            return true;
    return false;
}
