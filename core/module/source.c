/* SPDX-License-Identifier: Apache-2.0 */
/* source - where a module is from. */
#include "config.h"

#include "module/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

enum { LONGEST = 2000 };

/* Without the user, the password or the token in front of the host. The caller's. */
static char *
without_secret(const char *text)
{
    const char *scheme = strstr(text, "://"), *host = scheme ? scheme + 3 : text,
               *end = host + strcspn(host, "/");
    const char *at = scheme ? memrchr(host, '@', (size_t)(end - host)) : NULL;
    rh_autofree char *known = at ? rh_printf("%.*s...%s", (int)(host - text), text, at) : rh_xstrdup(text);

    return rh_safe_text(known);
}

static int
refuse(const char *text, const char *why, struct rh_error *err)
{
    rh_autofree char *shown = without_secret(text);

    (void)rh_error_set(err, RH_EINPUT, "'%s' is not the source of a module: %s", shown, why);
    return rh_error_suggest(err, NULL, "for example: git+https://example.org/acme.git@v1.2.0");
}

/* A password or a token would stand in modules.lock, and in the arguments of git. For SSH a user is none. */
static bool
has_secret(const char *url)
{
    const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "/"),
               *at = memchr(host, '@', (size_t)(end - host));

    return at && (strncmp(url, "ssh://", 6) != 0 || memchr(host, ':', (size_t)(at - host)));
}

/* What stands for a commit, and for nothing else in git. */
static bool
is_ref(const char *ref)
{
    return *ref && *ref != '-' && *ref != '/' && !strpbrk(ref, " ~^:?*[\\") && !strstr(ref, "..")
           && !strstr(ref, "@{");
}

/* A relative path without ".", ".." and names of git's own. */
static bool
is_part(const char *part)
{
    while (*part) {
        size_t n = strcspn(part, "/");

        if (!n || *part == '.' || *part == ':' || *part == '-')
            return false;
        part += n;
        if (*part == '/' && !*++part)
            return false;
    }
    return true;
}

int
rh_module_source_read(struct rh_arena *a, const char *text, struct rh_module_source *source,
                      struct rh_error *err)
{
    static const char *const schemes[] = { "git+https://", "git+ssh://", "git+file:///" };
    const char *slash, *at, *hash = strchr(text, '#');
    bool known = false;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        known |= strncmp(text, schemes[i], strlen(schemes[i])) == 0;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return refuse(text, "it has a blank or a control character in it", err);
    if (strlen(text) > LONGEST)
        return rh_error_set(err, RH_EINPUT, "the source of a module has more than %d characters", LONGEST);
    if (!known)
        return refuse(text, "it has to begin with git+https://, git+ssh:// or git+file:///", err);
    *source = (struct rh_module_source){
        .text = rh_arena_strdup(a, text),
        .part = hash ? rh_arena_strdup(a, hash + 1) : "",
    };
    text = rh_arena_strndup(a, text, hash ? (size_t)(hash - text) : strlen(text));
    slash = strrchr(text, '/');
    at = slash ? strrchr(slash, '@') : NULL;
    if (!at) /* a branch may have a '/' in its name */
        at = strrchr(strstr(text, "://") + 3 + strcspn(strstr(text, "://") + 3, "/"), '@');
    if (!at)
        return refuse(source->text, "it lacks '@' and a tag, a branch or a commit", err);
    source->url = rh_arena_strndup(a, text + strlen("git+"), (size_t)(at - text) - strlen("git+"));
    source->ref = at + 1;
    if (!is_ref(source->ref))
        return refuse(source->text, "what stands after '@' is no name of a tag, a branch or a commit", err);
    if (!is_part(source->part))
        return refuse(source->text, "what stands after '#' is no directory of a repository", err);
    if (has_secret(source->url))
        return refuse(source->text, "it has a user, a password or a token in it, which others could read",
                      err);
    return 0;
}
