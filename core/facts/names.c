/* SPDX-License-Identifier: Apache-2.0 */
/* names - what the machine is called, without asking the network, which may not answer.
 *
 * The kernel has the name, but of an image, whose file has it. Where that has no domain, /etc/hosts may have
 * one for it, and after that /etc/resolv.conf says which domain names without one are looked for in. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/value.h"
#include "facts/probe.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The name that an image will have: the first line that is no comment. */
static const char *
name_in_file(const struct rh_probe *l)
{
    char *text = rh_probe_text(l, "/etc/hostname"), *line;

    while ((line = rh_probe_next(&text))) {
        const char *name = rh_probe_word(&line);

        if (name && *name != '#')
            return rh_arena_strdup(l->arena, name);
    }
    return NULL;
}

static const char *
kernel_name(const struct rh_probe *l)
{
    char name[256] = "";

    if (rh_probe_image(l) > 0)
        return name_in_file(l);
    if (l->live && gethostname(name, sizeof name - 1) == 0)
        return *name ? rh_arena_strdup(l->arena, name) : NULL;
    return rh_probe_line(l, "/proc/sys/kernel/hostname");
}

static const char *
short_name(const struct rh_probe *l)
{
    const char *name = kernel_name(l);

    return name ? rh_arena_strndup(l->arena, name, strcspn(name, ".")) : NULL;
}

/* The domain of "db1.example.org", when that is this machine. */
static const char *
domain_in(const char *name, const char *host)
{
    size_t n = strlen(host);

    return strncasecmp(name, host, n) == 0 && name[n] == '.' && name[n + 1] ? name + n + 1 : NULL;
}

static const char *
domain_in_hosts(const struct rh_probe *l, const char *host)
{
    char *text = rh_probe_text(l, "/etc/hosts"), *line;

    while ((line = rh_probe_next(&text))) {
        const char *name, *domain;

        line[strcspn(line, "#")] = '\0';
        (void)rh_probe_word(&line); /* the address */
        while ((name = rh_probe_word(&line)))
            if ((domain = domain_in(name, host)))
                return domain;
    }
    return NULL;
}

static const char *
domain_in_resolver(const struct rh_probe *l)
{
    char *text = rh_probe_text(l, "/etc/resolv.conf"), *line;
    const char *found = NULL;

    while ((line = rh_probe_next(&text))) {
        const char *word = rh_probe_word(&line);

        if (word && (strcmp(word, "domain") == 0 || strcmp(word, "search") == 0)) {
            word = rh_probe_word(&line);
            if (word && strcmp(word, ".") != 0)
                found = word; /* the last one counts, as for the resolver */
        }
    }
    return found;
}

static const char *
domain_of(const struct rh_probe *l)
{
    const char *name = kernel_name(l), *domain;

    if (!name)
        return NULL;
    if (strchr(name, '.'))
        domain = strchr(name, '.') + 1;
    else
        domain = domain_in_hosts(l, name);
    if (!domain)
        domain = domain_in_resolver(l);
    if (!domain)
        return NULL;
    domain =
        rh_arena_strndup(l->arena, domain, strlen(domain) - (*domain && domain[strlen(domain) - 1] == '.'));
    return *domain ? domain : NULL;
}

struct rh_value *
rh_fact_hostname(const struct rh_probe *l)
{
    return rh_probe_string(l, short_name(l));
}

struct rh_value *
rh_fact_domain(const struct rh_probe *l)
{
    return rh_probe_string(l, domain_of(l));
}

struct rh_value *
rh_fact_fqdn(const struct rh_probe *l)
{
    const char *host = short_name(l), *domain = domain_of(l);

    if (host && *host && domain)
        host = rh_arena_printf(l->arena, "%s.%s", host, domain);
    return rh_probe_string(l, host);
}
