/* SPDX-License-Identifier: Apache-2.0 */
/* os - which distribution this is, as its os-release file says. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"
#include "facts/probe.h"

#include <string.h>

/* Distributions that others come from. What is in no list is a family of its own. */
static const struct {
    const char *id, *family;
} families[] = {
    { "alma", "redhat" },
    { "almalinux", "redhat" },
    { "alpine", "alpine" },
    { "amzn", "redhat" },
    { "arch", "arch" },
    { "archarm", "arch" },
    { "centos", "redhat" },
    { "debian", "debian" },
    { "devuan", "debian" },
    { "fedora", "redhat" },
    { "gentoo", "gentoo" },
    { "kali", "debian" },
    { "linuxmint", "debian" },
    { "mandriva", "mandriva" },
    { "manjaro", "arch" },
    { "ol", "redhat" },
    { "opensuse", "suse" },
    { "opensuse-leap", "suse" },
    { "opensuse-tumbleweed", "suse" },
    { "postmarketos", "alpine" },
    { "raspbian", "debian" },
    { "rhel", "redhat" },
    { "rocky", "redhat" },
    { "sled", "suse" },
    { "sles", "suse" },
    { "suse", "suse" },
    { "ubuntu", "debian" },
};

static const char *
family_of(const char *id)
{
    for (size_t i = 0; id && i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].id, id) == 0)
            return families[i].family;
    return NULL;
}

/* A value as a shell would read it: quotes and the backslashes within double quotes go. */
static char *
unquote(char *text)
{
    char quote = *text == '"' || *text == '\'' ? *text : '\0';
    char *from = quote ? text + 1 : text, *to = text;

    while (*from && *from != quote) {
        if (*from == '\\' && quote != '\'' && from[1])
            from++;
        *to++ = *from++;
    }
    *to = '\0';
    return text;
}

/* NAME=value for each line; what is no such line is passed over. */
static struct rh_value *
read_release(const struct rh_probe *l)
{
    struct rh_value *release = rh_value_new(l->arena, RH_HASH);
    char *text = rh_probe_text(l, "/etc/os-release"), *line;

    if (!text)
        text = rh_probe_text(l, "/usr/lib/os-release");
    while ((line = rh_probe_next(&text))) {
        char *value = *line == '#' ? NULL : rh_probe_value(line, '=');

        if (value && rh_value_count(release) < 200)
            rh_probe_put(l, release, line, unquote(value));
    }
    return release;
}

/* Debian's os-release has no point releases. */
static const char *
full_version(const struct rh_probe *l, const struct rh_value *release)
{
    const char *version = rh_value_get_str(release, "VERSION_ID", NULL);
    const char *point = NULL;
    size_t n = version ? strlen(version) : 0;

    if (n && strcmp(rh_value_get_str(release, "ID", ""), "debian") == 0)
        point = rh_probe_line(l, "/etc/debian_version");
    return point && strncmp(point, version, n) == 0 && point[n] == '.' ? point : version;
}

static struct rh_value *
read_version(const struct rh_probe *l, const struct rh_value *release)
{
    static const char *const parts[] = { "major", "minor", "patch" };
    struct rh_value *version = rh_value_new(l->arena, RH_HASH);
    const char *full = full_version(l, release), *at = full;

    rh_probe_put(l, version, "full", full);
    for (size_t i = 0; at && i < 3; i++) {
        size_t n = strspn(at, "0123456789");

        if (!n || (at[n] && !strchr(".-_+~ ", at[n])))
            break;
        rh_probe_put_number(l, version, parts[i], rh_probe_integer(rh_arena_strndup(l->arena, at, n)));
        if (at[n] != '.')
            break;
        at += n + 1;
    }
    return rh_probe_filled(version);
}

/* Where VERSION_CODENAME is missing, VERSION often has it in brackets: "9.3 (Plow)". */
static const char *
codename(const struct rh_probe *l, const struct rh_value *release)
{
    const char *name = rh_value_get_str(release, "VERSION_CODENAME", NULL);
    const char *open = strchr(rh_value_get_str(release, "VERSION", ""), '(');
    const char *close = open ? strchr(open, ')') : NULL;

    if (name || !close)
        return name;
    return rh_arena_strndup(l->arena, open + 1, (size_t)(close - open - 1));
}

struct rh_value *
rh_fact_os(const struct rh_probe *l)
{
    struct rh_value *release = read_release(l), *os = rh_value_new(l->arena, RH_HASH), *version;
    const char *id = rh_value_get_str(release, "ID", NULL), *family = family_of(id), *word;
    char *like = rh_arena_strdup(l->arena, rh_value_get_str(release, "ID_LIKE", ""));

    rh_probe_put(l, os, "name", rh_value_get_str(release, "NAME", NULL));
    rh_probe_put(l, os, "id", id);
    while (!family && (word = rh_probe_word(&like)))
        family = family_of(word);
    rh_probe_put(l, os, "family", family ? family : id);
    version = read_version(l, release);
    if (version)
        rh_value_put(os, "version", version);
    rh_probe_put(l, os, "codename", codename(l, release));
    rh_probe_put(l, os, "pretty_name", rh_value_get_str(release, "PRETTY_NAME", NULL));
    rh_probe_put(l, os, "variant", rh_value_get_str(release, "VARIANT_ID", NULL));
    return rh_probe_filled(os);
}
