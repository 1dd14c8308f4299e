/* SPDX-License-Identifier: Apache-2.0 */
/* pin - what apt_preferences(5) permits behind "Pin:" and "Package:". apt skips a record that it does not
 * understand with a complaint that few see; so each is checked before it is written. */

#include "pin.h"

#include <ctype.h>
#include <regex.h>

static const char keys[] = "acnvolb"; /* archive, component, codename, version, origin, label, architecture */

enum { KEYS = sizeof keys - 1 };

static const char *
trimmed(rhost_ctx *ctx, const char *text, size_t len)
{
    while (len && isblank((unsigned char)*text)) {
        text++;
        len--;
    }
    while (len && isblank((unsigned char)text[len - 1]))
        len--;
    return rhost_copy(ctx, text, len);
}

/* "a=stable, l=Debian": or a release alone, as "stable", which may be its archive, its codename or its
 * version. */
static const char *
release(rhost_ctx *ctx, const char *text, const char **why)
{
    const char *values[KEYS] = { NULL }, *all = "release";
    int n = 0;

    for (;;) {
        size_t len = strcspn(text, ",");
        const char *part = trimmed(ctx, text, len), *key = *part ? strchr(keys, *part) : NULL;

        if (!strchr(part, '=') && n == 0 && !text[len] && *part && !strchr(part, ' '))
            return rhost_fmt(ctx, "release %s", part);
        if (!key || part[1] != '=' || !part[2]) {
            *why =
                rhost_fmt(ctx, "'%s' of 'release' must be a=, c=, n=, v=, o=, l= or b= with a value", part);
            return NULL;
        }
        if (values[key - keys]) {
            *why = rhost_fmt(ctx, "duplicate '%c=' of 'release'", *part);
            return NULL;
        }
        values[key - keys] = part;
        n++;
        if (!text[len])
            break;
        text += len + 1;
    }
    for (size_t i = 0, shown = 0; i < KEYS; i++)
        if (values[i])
            all = rhost_fmt(ctx, "%s%s %s", all, shown++ ? "," : "", values[i]);
    return all;
}

const char *
pin_canonical(rhost_ctx *ctx, const char *text, const char **why)
{
    const char *pin = trimmed(ctx, text, strlen(text)), *rest;
    size_t len = strcspn(pin, " \t");

    *why = NULL;
    rest = trimmed(ctx, pin + len, strlen(pin + len));
    if (strpbrk(pin, "\r\n")) {
        *why = "it must be one line";
        return NULL;
    }
    if (len == 7 && strncmp(pin, "release", len) == 0 && *rest)
        return release(ctx, rest, why);
    if (len == 7 && strncmp(pin, "version", len) == 0 && *rest && !strpbrk(rest, " \t"))
        return rhost_fmt(ctx, "version %s", rest);
    if (len == 6 && strncmp(pin, "origin", len) == 0 && *rest && !strpbrk(rest, " \t/"))
        return rhost_fmt(ctx, "origin %s", rest);
    *why = "it must be 'release KEY=VALUE, ...', 'version VERSION' or 'origin HOST'";
    return NULL;
}

const char *
pin_package_trouble(rhost_ctx *ctx, const char *word)
{
    size_t len = strlen(word);
    char message[128];
    regex_t regex;
    int error;

    if (*word == '/' && len > 2 && word[len - 1] == '/') {
        error = regcomp(&regex, rhost_copy(ctx, word + 1, len - 2), REG_EXTENDED | REG_NOSUB);
        if (error == 0) {
            regfree(&regex);
            return NULL;
        }
        regerror(error, &regex, message, sizeof message);
        return rhost_fmt(ctx, "'%s' is no regular expression: %s", word, message);
    }
    if (strncmp(word, "src:", 4) == 0)
        word += 4;
    for (const char *p = word; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("+-.:*?[]", *p))
            return rhost_fmt(ctx, "'%s' is no name or pattern of packages", word);
    return *word ? NULL : "a name of a package is empty";
}
