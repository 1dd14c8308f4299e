/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a repository as a manifest says it, checked, and brought into one form. */

#include "declared.h"

#include "fields.h"
#include "key.h"

#include <rhost/posix.h>

static int
is_uri(const char *text)
{
    size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+.-");

    return scheme && text[scheme] == ':' && text[scheme + 1];
}

const char *
declared_complaint(rhost_ctx *ctx, const rhost_value *resource, const char **attribute)
{
    const rhost_value *uris = rhost_get(resource, "uris"), *suites = rhost_get(resource, "suites");
    const rhost_value *components = rhost_get(resource, "components");
    size_t paths = 0;
    const char *word;

    *attribute = "uris";
    for (size_t i = 0; i < rhost_count(uris); i++) {
        word = rhost_str_at(uris, i);
        if (is_uri(word))
            continue;
        return rhost_fmt(ctx, "'%s' is not a URI, as https://deb.example.org/debian%s", word,
                         *word == '/' ? " or file:/srv/debian" : "");
    }
    if (uris && !rhost_count(uris))
        return "expected at least one";
    *attribute = "suites";
    if (suites && !rhost_count(suites))
        return "expected at least one";
    for (size_t i = 0; i < rhost_count(suites); i++) {
        word = rhost_str_at(suites, i);
        paths += word[strlen(word) - 1] == '/';
    }
    if (paths && paths != rhost_count(suites))
        return "some are paths, which end with '/', and some are none: they need different repositories";
    *attribute = "components";
    if (paths && rhost_count(components))
        return "cannot be set where the suite is a path, which ends with '/'";
    if (suites && components && !paths && !rhost_count(components))
        return "the suite needs some, as main; a suite without any is a path, which ends with '/'";
    return NULL;
}

/* Values of other fields as text. */
static int
tidy_fields(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *fields = rhost_get(resource, "fields"), *v;
    size_t n = rhost_count(fields);
    const char **names = rhost_alloc(ctx, n * sizeof *names), **texts;
    rhost_value *hash;

    texts = rhost_alloc(ctx, n * sizeof *texts);
    if (!fields || fields->host->kind(fields) != RHOST_HASH)
        return 0;
    for (size_t i = 0; i < n; i++) {
        v = rhost_at(fields, i, &names[i]);
        if (fields_attribute(names[i]))
            return rhost_fail_attr(ctx, "fields", "'%s' has an attribute of its own, '%s'", names[i],
                                   fields_attribute(names[i]));
        texts[i] = v->host->string(v, NULL);
        if (!texts[i] && v->host->kind(v) == RHOST_BOOLEAN) {
            texts[i] = v->host->boolean(v, 0) ? "yes" : "no";
        } else if (!texts[i]) {
            texts[i] = rhost_fmt(ctx, "%lld", (long long)v->host->integer(v, 0));
        }
    }
    for (size_t i = 0; i < n; i++) { /* the hash will be another one */
        names[i] = rhost_strdup(ctx, names[i]);
        texts[i] = rhost_strdup(ctx, texts[i]);
    }
    hash = resource->host->put_hash(resource, "fields");
    for (size_t i = 0; i < n; i++)
        rhost_put_str(hash, names[i], texts[i]);
    return 0;
}

/* What can be said of a key before its file is read. */
static int
check_key(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *signed_by = rhost_str(resource, "signed_by"), *key, *suffix, *why;
    size_t len;

    key = rhost_bytes(resource, "key", &len);
    if (!key || !len || *key == '/')
        why = NULL; /* none is stored, or it is the path of a file */
    else
        why = key_complaint(key, len, &suffix);
    if (why)
        return rhost_fail_attr(ctx, "key", "%s", why);
    if (signed_by && key_is_armored(signed_by)
        && (why = key_complaint(signed_by, strlen(signed_by), &suffix)))
        return rhost_fail_attr(ctx, "signed_by", "%s", why);
    if (key && len && signed_by && (*signed_by != '/' || strpbrk(signed_by, " \n")))
        return rhost_fail_attr(ctx, "signed_by", "with 'key' it is the file in which that is stored");
    return 0;
}

int32_t
declared_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *signed_by = rhost_str(resource, "signed_by"), *name = rhost_str(resource, "name"), *why;
    const char *attribute;
    size_t len = name ? strlen(name) : 0;

    for (size_t n = len; n > 8 && strcmp(name + n - 8, ".sources") == 0; n = strlen(name)) {
        rhost_put_bytes(resource, "name", name, n - 8);
        name = rhost_str(resource, "name");
    }
    for (size_t i = 0; i < FIELDS_LISTS; i++) {
        const char *text = rhost_str(resource, fields_lists[i].attribute);

        if (text)
            fields_put_words(ctx, resource, fields_lists[i].attribute, rhost_strdup(ctx, text));
    }
    if (signed_by && strcmp(signed_by, fields_signed_by(ctx, signed_by)) != 0)
        rhost_put_str(resource, "signed_by", fields_signed_by(ctx, signed_by));
    rhost_tidy_path(ctx, resource, "root");
    if (tidy_fields(ctx, resource) < 0 || check_key(ctx, resource) < 0)
        return -1;
    why = declared_complaint(ctx, resource, &attribute);
    return why ? rhost_fail_attr(ctx, attribute, "%s", why) : 0;
}
