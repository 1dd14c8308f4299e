/* SPDX-License-Identifier: Apache-2.0 */
/* debconf - keep answers to the questions of Debian's packages. */

#include "question.h"

#include <rhost/dry-run.h>

#define TYPES "string, boolean, select, multiselect, password, text, note, error, title"

static const struct rhost_attr attrs[] = {
    { .name = "question",
      .type = "Pattern[/\\A[!-~]+\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the question, such as man-db/auto-update." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the database has the question; absent: no package asks it any more." },
    { .name = "value",
      .type = "Optional[Variant[Boolean, Integer, String]]",
      .desc = "The answer; of several words of a multiselect, with a comma and a blank between them." },
    { .name = "password",
      .type = "Optional[Sensitive[String]]",
      .desc = "The answer to a question of the type password." },
    { .name = "type",
      .type = "Optional[Enum[" TYPES "]]",
      .desc =
          "The type of the question. A question that no package has brought yet is a string without it." },
    { .name = "seen",
      .type = "Optional[Boolean]",
      .desc =
          "Whether it counts as answered, and is not asked again; without it, an answer that is set does." },
    { .name = "owners",
      .type = "Optional[Array[String]]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The packages that ask it." },
    { .name = "package",
      .type = "Optional[Pattern[/\\A[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc =
          "The package that asks a question that is not there yet; without it, what its name begins with." },
};

static const char *const relations[] = { "autobefore package[$package]", NULL };

/* What the name begins with, before a slash, where that can be a package. */
static const char *
package_of(rhost_ctx *ctx, const char *question)
{
    static const char fit[] = "abcdefghijklmnopqrstuvwxyz0123456789+.-";
    size_t len = strcspn(question, "/");

    return len > 1 && strspn(question, fit) == len && !strchr("+.-", question[0])
               ? rhost_copy(ctx, question, len)
               : NULL;
}

static int32_t
debconf_suits(rhost_ctx *ctx)
{
    struct stat st;

    if (rhost_path_stat(ctx, "/usr/bin/debconf-communicate", RHOST_PATH_FOLLOW, &st) == 0)
        return 10;
    (void)rhost_fail(ctx, "debconf is not installed");
    return 0;
}

static int32_t
debconf_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *value = rhost_get(resource, "value");

    (void)ctx;
    if (value && value->host->kind(value) == RHOST_BOOLEAN)
        rhost_put_str(resource, "value", value->host->boolean(value, 0) ? "true" : "false");
    else if (value && value->host->kind(value) == RHOST_INTEGER)
        rhost_put_fmt(resource, "value", "%lld", (long long)value->host->integer(value, 0));
    return 0;
}

/* The database has a newline as a backslash and an 'n', and has no other way to say these two. */
static int32_t
check_text(rhost_ctx *ctx, const rhost_value *resource, const char *key)
{
    const char *text = rhost_str(resource, key);

    return text && strstr(text, "\\n")
               ? rhost_fail_attr(ctx, key, "debconf takes a backslash and an 'n' for a new line")
               : 0;
}

static int32_t
debconf_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *type = rhost_str(resource, "type"), *value = rhost_str(resource, "value");
    const char *question = rhost_str(resource, "question");

    if (value && rhost_has(resource, "password"))
        return rhost_fail_attr(ctx, "password", "there is a 'value' as well: a question has one answer");
    if (value && type && strcmp(type, "password") == 0)
        return rhost_fail_attr(ctx, "value",
                               "the answer to a question of the type 'password' is its 'password'");
    if (rhost_has(resource, "password") && type && strcmp(type, "password") != 0)
        return rhost_fail_attr(ctx, "password", "the type of the question is '%s'", type);
    if (value && type && strcmp(type, "boolean") == 0 && strcmp(value, "true") != 0
        && strcmp(value, "false") != 0)
        return rhost_fail_attr(ctx, "value", "'%s' is neither true nor false", value);
    if (check_text(ctx, resource, "value") < 0 || check_text(ctx, resource, "password") < 0)
        return -1;
    return rhost_has(resource, "package") || package_of(ctx, question)
               ? 0
               : rhost_fail_attr(ctx, "package", "which package asks '%s' has to be said", question);
}

static int
is_password(const struct question *q)
{
    return strcmp(q->type, "password") == 0;
}

/* A password is told to those who know it. */
static void
report(rhost_ctx *ctx, const struct question *q, const rhost_value *wanted, rhost_value *one)
{
    const char *password = rhost_str(wanted, "password");
    rhost_value *owners = ctx->host->put_array(one, "owners");

    if (!is_password(q))
        rhost_put_str(one, "value", q->value);
    else if (password && strcmp(password, q->value) == 0)
        rhost_put_copy(one, "password", rhost_get(wanted, "password"));
    if (*q->type)
        rhost_put_str(one, "type", q->type);
    rhost_put_bool(one, "seen", q->seen);
    for (const char *at = q->owners; *at; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ",");

        rhost_put_bytes(owners, NULL, at, len);
        at += len;
    }
}

static int32_t
emit(rhost_ctx *ctx, const struct question *q, const rhost_value *wanted)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "question", q->name);
    rhost_put_str(one, "ensure", "present");
    report(ctx, q, wanted, one);
    return ctx->host->emit(ctx, one);
}

static int32_t
debconf_get(rhost_ctx *ctx, const rhost_value *names)
{
    size_t n = rhost_count(names);
    struct question *all;

    if (!names && question_list(ctx, &all, &n) < 0)
        return -1;
    if (names) {
        all = rhost_alloc(ctx, (n + 1) * sizeof *all);
        for (size_t i = 0; i < n; i++)
            all[i] = (struct question){ .name = rhost_str(rhost_at(names, i, NULL), "question") };
        if (question_read(ctx, all, n) < 0)
            return -1;
    }
    for (size_t i = 0; i < n; i++)
        if (all[i].exists && emit(ctx, &all[i], names ? rhost_asked(ctx, i) : NULL) < 0)
            return -1;
    return 0;
}

/* What was set for a question of another type would not be what the package finds. */
static int32_t
debconf_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *type = rhost_str(change->is, "type"), *wanted = rhost_str(change->should, "type");
    int secret = strcmp(wanted ? wanted : type ? type : "", "password") == 0;

    if (strcmp(attribute, "value") == 0 && secret)
        return rhost_fail_attr(ctx, "value",
                               "the type of the question is 'password': its answer is 'password'");
    if (strcmp(attribute, "password") != 0 || rhost_has(change->is, "password"))
        return RHOST_DEFAULT_COMPARISON;
    if (!secret)
        return rhost_fail_attr(ctx, "password", "the type of the question is '%s': its answer is 'value'",
                               type ? type : "string");
    return rhost_differs(ctx, "it is another one");
}

static struct answer
answer_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *is = change->is, *should = change->should;
    const char *name = rhost_str(change->name, "question"), *type = rhost_str(should, "type");
    struct answer a = { .name = name,
                        .package = rhost_str_or(should, "package", package_of(ctx, name)),
                        .value = rhost_str_or(should, "value", rhost_str(should, "password")),
                        .seen = rhost_bool(should, "seen", 1) };

    if (!is)
        a.type = type ? type : rhost_has(should, "password") ? "password" : "string";
    else if (type && strcmp(type, rhost_str_or(is, "type", "")) != 0)
        a.type = type;
    if (is && a.type && !a.value)
        a.value = rhost_str(is, "value");
    return a;
}

static const char *
owners_of(rhost_ctx *ctx, const rhost_value *is)
{
    const rhost_value *owners = rhost_get(is, "owners");
    const char *text = "";

    for (size_t i = 0; i < rhost_count(owners); i++)
        text = rhost_fmt(ctx, "%s%s%s", text, *text ? ", " : "", rhost_str_at(owners, i));
    return text;
}

/* All of them together; of the answers, those that are refused are reported by themselves. */
static int32_t
debconf_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct answer *answers = rhost_alloc(ctx, n * sizeof *answers);
    struct question *gone = rhost_alloc(ctx, n * sizeof *gone);
    size_t n_answers = 0, n_gone = 0;

    for (size_t i = 0; i < n; i++)
        if (rhost_gone(changes[i]))
            gone[n_gone++] = (struct question){ .name = rhost_str(changes[i]->name, "question"),
                                                .owners = owners_of(ctx, changes[i]->is) };
        else
            answers[n_answers++] = answer_of(ctx, changes[i]);
    if ((n_gone && question_remove(ctx, gone, n_gone) < 0)
        || (n_answers && question_answer(ctx, answers, n_answers) < 0))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *refused = rhost_gone(changes[i]) ? NULL : answers++->refused;
        uint64_t scope;

        if (!refused)
            continue;
        scope = rhost_begin(ctx, changes[i]->is ? RHOST_UPDATING : RHOST_CREATING, changes[i]->title);
        (void)rhost_fail(ctx, "%s", refused);
        rhost_end(ctx, scope);
    }
    return 0;
}

static const char *const needs[] = { "write[/var/cache/debconf/]", "run[debconf-communicate]",
                                     "run[debconf-set-selections]", "run[debconf-show]", NULL };

static const struct rhost_provider debconf_provider = {
    RHOST_PROVIDER("debconf", "Keep answers to the questions of Debian's packages."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .suits = debconf_suits,
    .canonicalize = debconf_canonicalize,
    .insync = debconf_insync,
    .get = debconf_get,
    .validate = debconf_validate,
    .set = debconf_set,
    .needs = needs,
};

RHOST_PLUGIN(debconf, "1.0", &debconf_provider)
