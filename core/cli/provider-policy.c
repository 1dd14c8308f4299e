/* SPDX-License-Identifier: Apache-2.0 */
/* provider-policy - reads what the operator lets providers do. */
#include "config.h"

#include "cli/provider-policy.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/trust.h"
#include "base/value.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "plugin/policy.h"
#include "schema/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

struct rh_policy_file {
    struct rh_arena *arena;
    struct rh_provider_policy policy;
    struct rh_denial *denials;
};

struct reading {
    struct rh_settings *settings;
    struct rh_arena *arena;
    struct rh_provider_policy *policy;
    struct rh_complaints *complaints;
    struct rh_denial *denials;
    size_t cap;
};

static void
complain_key(const struct reading *r, const struct rh_value *in, size_t i, const char *const *keys,
             const char *where)
{
    const struct rh_entry *e = rh_value_entry(in, i);
    rh_autofree char *hint = NULL;
    struct rh_suggest s;

    rh_suggest_init(&s, e->key);
    for (; *keys; keys++)
        rh_suggest_try(&s, *keys);
    hint = rh_did_you_mean(s.best, NULL);
    rh_complain(r->complaints, rh_value_key_place(in, i), hint, "unknown key '%s' in %s", e->key, where);
}

/* The place of a word in a list of them, or -1 after a complaint. */
static int
read_word(const struct reading *r, const char *key, const struct rh_value *v, const char *const *words,
          const char *list)
{
    for (int i = 0; words[i]; i++)
        if (rh_value_is(v, RH_STRING) && strcmp(rh_value_str(v, ""), words[i]) == 0)
            return i;
    rh_complain(r->complaints, rh_value_place(v), NULL, "'%s' must be %s", key, list);
    return -1;
}

static void
read_isolation(struct reading *r, const struct rh_value *v)
{
    int i = read_word(r, "isolation", v, (const char *const[]){ "worker", "confined", NULL },
                      "worker or confined");

    if (i >= 0 && !r->settings->has_isolation) {
        r->settings->confined = i == 1;
        r->settings->confined_by_default = false;
    }
}

static void
read_undeclared(struct reading *r, const struct rh_value *v)
{
    int i = read_word(r, "undeclared", v, (const char *const[]){ "allow", "warn", "refuse", NULL },
                      "allow, warn or refuse");

    if (i >= 0)
        r->policy->undeclared = (enum rh_undeclared)i;
}

static void
read_plugins(struct reading *r, const struct rh_value *v)
{
    const char **list = rh_arena_alloc(r->arena, (rh_value_count(v) + 1) * sizeof *list);

    if (!rh_value_is(v, RH_ARRAY))
        rh_complain(r->complaints, rh_value_place(v), NULL,
                    "'plugins' must be a list of names and directories");
    for (size_t i = 0; rh_value_is(v, RH_ARRAY) && i < rh_value_count(v); i++) {
        const struct rh_value *one = rh_value_at(v, i);
        const char *text = rh_value_is(one, RH_STRING) ? rh_value_str(one, "") : "";

        if (!*text || (*text != '/' && strchr(text, '/')))
            rh_complain(r->complaints, rh_value_place(one), "for example 'acme-*' or /opt/acme/rhost",
                        "a plugin must be given by its name, or by its directory as an absolute path");
        else
            list[r->policy->n_plugins++] = text;
    }
    r->policy->plugins = list;
}

/* "network", "network[tcp:443]". */
static void
read_denied_need(struct reading *r, const char *provider, const struct rh_value *v)
{
    const char *text = rh_value_is(v, RH_STRING) ? rh_value_str(v, "") : "";
    size_t n = strcspn(text, "["), len = strlen(text);
    struct rh_denial d = { .provider = provider };
    bool known = false;

    for (unsigned k = RH_NEED_WRITE; k <= RH_NEED_CAPABILITY && !known; k++) {
        d.kind = (enum rh_need_kind)k;
        known = strlen(rh_need_word(d.kind)) == n && strncmp(text, rh_need_word(d.kind), n) == 0;
    }
    if (known && text[n]) {
        known = len > n + 2 && text[len - 1] == ']';
        if (known) {
            d.value = rh_arena_strndup(r->arena, text + n + 1, len - n - 2);
            known = rh_need_fits(d.kind, d.value) && *d.value != '~';
        }
    }
    if (!known) {
        rh_complain(r->complaints, rh_value_place(v), "for example network, 'read[/etc/shadow]' or 'run[sh]'",
                    "'%s' is not a need: expected write, read, run, socket, dbus, network or capability, and "
                    "what of it in brackets",
                    text);
        return;
    }
    r->denials = rh_xgrow(r->denials, &r->cap, r->policy->n_denials, sizeof *r->denials);
    r->denials[r->policy->n_denials++] = d;
}

static void
read_denial(struct reading *r, const struct rh_value *v)
{
    static const char *const keys[] = { "provider", "needs", NULL };
    const struct rh_value *needs = NULL;
    const char *provider = "";

    if (!rh_value_is(v, RH_HASH)) {
        rh_complain(r->complaints, rh_value_place(v), NULL,
                    "each entry of 'deny' must have a 'provider' and its 'needs'");
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (strcmp(e->key, "provider") == 0)
            provider = rh_value_is(e->value, RH_STRING) ? rh_value_str(e->value, "") : "";
        else if (strcmp(e->key, "needs") == 0)
            needs = e->value;
        else
            complain_key(r, v, i, keys, "an entry of 'deny'");
    }
    if (!*provider)
        rh_complain(r->complaints, rh_value_place(v), NULL,
                    "'provider' must be the name of a provider or type, TYPE/PROVIDER, or '*' for each");
    if (!rh_value_is(needs, RH_ARRAY) || !rh_value_count(needs))
        rh_complain(r->complaints, rh_value_place(needs ? needs : v), NULL,
                    "'needs' must be a list of needs");
    for (size_t i = 0; *provider && rh_value_is(needs, RH_ARRAY) && i < rh_value_count(needs); i++)
        read_denied_need(r, provider, rh_value_at(needs, i));
}

static void
read_deny(struct reading *r, const struct rh_value *v)
{
    if (!rh_value_is(v, RH_ARRAY))
        rh_complain(r->complaints, rh_value_place(v), NULL, "'deny' must be a list");
    for (size_t i = 0; rh_value_is(v, RH_ARRAY) && i < rh_value_count(v); i++)
        read_denial(r, rh_value_at(v, i));
}

static void
read_all(struct reading *r, const char *text, size_t n, unsigned file)
{
    static const char *const keys[] = { "isolation", "undeclared", "plugins", "deny", NULL };
    static void (*const readers[])(struct reading *, const struct rh_value *) = { read_isolation,
                                                                                  read_undeclared,
                                                                                  read_plugins, read_deny };
    struct rh_value *v = NULL;

    if (rh_yaml_check_text(text, n, file, r->complaints) < 0
        || !(v = rh_yaml_read(r->arena, text, n, file, r->complaints)))
        return;
    (void)rh_scalar_read(r->arena, NULL, v);
    if (!rh_value_is(v, RH_HASH) && !rh_value_is(v, RH_UNDEF))
        rh_complain(r->complaints, rh_value_place(v), NULL, "the policy for providers must be a hash");
    for (size_t i = 0; rh_value_is(v, RH_HASH) && i < v->count; i++) {
        size_t k = 0;

        while (keys[k] && strcmp(keys[k], rh_value_entry(v, i)->key) != 0)
            k++;
        if (keys[k])
            readers[k](r, rh_value_entry(v, i)->value);
        else
            complain_key(r, v, i, keys, "the policy for providers");
    }
}

/* The text of the file, the caller's; NULL where there is none, or after a complaint. */
static char *
read_text(const char *path, bool may_lack, size_t *n, struct rh_complaints *c)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_place nowhere = { 0 };
    char *text = NULL;

    if (may_lack && access(path, F_OK) < 0 && errno == ENOENT)
        return NULL;
    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER | RH_TRUST_MISSING, &err) < 0)
        rh_discard(rh_error_prefix(&err, "the policy for providers in '%s' cannot be trusted", path));
    else
        text = rh_read_file(path, LARGEST, n, &err);
    if (!text)
        rh_complain_error(c, nowhere, NULL, &err);
    return text;
}

/* By default, workers are confined. */
static void
choose_isolation(struct rh_settings *settings)
{
    if (settings->has_isolation)
        return;
    settings->confined = true;
    settings->confined_by_default = true;
}

int
rh_provider_policy_read(struct rh_settings *settings, bool may_be_wrong)
{
    const char *path = settings->policy_file ? settings->policy_file : RH_PROVIDER_POLICY;
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    size_t n = 0;
    rh_autofree char *text = read_text(path, !settings->policy_file, &n, &complaints);
    int rc;

    choose_isolation(settings);
    if (text) {
        struct rh_policy_file *f = rh_xalloc(sizeof *f);
        struct reading r = { .settings = settings, .policy = &f->policy, .complaints = &complaints };

        r.arena = f->arena = rh_arena_new(NULL);
        f->policy.path = rh_arena_strdup(f->arena, path);
        read_all(&r, text, n, rh_sources_add(&sources, path, text, n));
        f->policy.denials = f->denials = r.denials;
        settings->policy_read = f;
        settings->policy = &f->policy;
        if (f->policy.n_denials && settings->isolation == RH_ISOLATION_NONE)
            rh_complain(&complaints, (struct rh_place){ 0 }, NULL,
                        "'%s' denies needs, which --isolation=none cannot enforce", path);
    }
    rc = rh_complaints_count(&complaints) ? -1 : 0;
    if (rc < 0 && may_be_wrong && !settings->policy_file) {
        rh_complaints_print(&complaints, stderr, rh_session_colour(settings, STDERR_FILENO));
        rh_log(RH_WARNING, "the policy for providers in '%s' is wrong, going on without it", path);
        rh_provider_policy_clear(settings);
        rc = 0;
    }
    if (rc < 0)
        rh_refuse_complaints(&complaints, rh_session_colour(settings, STDERR_FILENO), "nothing was changed");
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return rc;
}

void
rh_provider_policy_clear(struct rh_settings *settings)
{
    if (!settings->policy_read)
        return;
    free(settings->policy_read->denials);
    rh_arena_free(settings->policy_read->arena);
    free(settings->policy_read);
    settings->policy_read = NULL;
    settings->policy = NULL;
}
