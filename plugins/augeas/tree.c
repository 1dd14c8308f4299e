/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a text as the tree that a lens of augeas makes of it. */

#include "tree.h"

#include "command.h"

#include <augeas.h>
#include <stdlib.h>

/* Where the texts are in the tree: not below /files, where nothing of the file's would be. */
#define INPUT "/rhost/input"
#define OUTPUT "/rhost/output"

struct tree {
    rhost_ctx *ctx;
    augeas *aug;
    const char *file;    /* its path on the machine */
    const char *lens;    /* Module.lens */
    const char *node;    /* /files/PATH */
    const char *context; /* what paths that do not begin with / are below */
};

/* What augeas has to say of the last call, in memory of the call. */
static const char *
complaint(const struct tree *t)
{
    const char *minor = aug_error_minor_message(t->aug), *details = aug_error_details(t->aug);
    const char *message = aug_error_message(t->aug);

    return rhost_fmt(t->ctx, "%s%s%s%s%s", message ? message : "unknown error", minor ? ": " : "",
                     minor ? minor : "", details ? ": " : "", details ? details : "");
}

/* Below where augeas notes why a text is none of the lens, or a tree is not; NULL: it has not. */
static const char *
noted(const struct tree *t, const char *what)
{
    const char *value = NULL;

    (void)aug_get(t->aug, rhost_fmt(t->ctx, "/augeas/text%s/error%s", t->node, what), &value);
    return value;
}

static const char *
why_not_parsed(const struct tree *t, const char *text)
{
    const char *reason = complaint(t); /* before another call forgets it */
    const char *line = noted(t, "/line"), *column = noted(t, "/char"), *message = noted(t, "/message");

    if (!message)
        return rhost_fmt(t->ctx, "cannot use the lens '%s': %s. Lenses are in the package augeas-lenses",
                         t->lens, reason);
    if (!*text)
        return rhost_fmt(t->ctx, "'%s' is missing or empty, and the lens '%s' reads no empty file", t->file,
                         t->lens);
    if (!line)
        return rhost_fmt(t->ctx, "cannot parse '%s' with the lens '%s': %s", t->file, t->lens, message);
    return rhost_fmt(t->ctx, "cannot parse '%s' with the lens '%s': line %s, column %ld: %s", t->file,
                     t->lens, line, column ? strtol(column, NULL, 10) + 1 : 1, message);
}

/* Of its message the first line names the node. What follows has the values. */
static const char *
why_not_written(const struct tree *t)
{
    const char *reason = complaint(t), *message = noted(t, "/message");

    if (!message)
        return reason;
    return rhost_fmt(t->ctx, "the lens '%s' cannot write what the changes make: %s", t->lens,
                     rhost_copy(t->ctx, message, strcspn(message, "\r\n")));
}

/* /files and the path, as path expressions have it; NULL: memory is out. */
static const char *
node_of(rhost_ctx *ctx, augeas *aug, const char *path)
{
    const char *node = "/files";

    while (*path) {
        size_t len = strcspn(path, "/");
        char *escaped = NULL;

        if (len > 0) {
            const char *name = rhost_copy(ctx, path, len);

            if (aug_escape_name(aug, name, &escaped) < 0)
                return NULL;
            node = rhost_fmt(ctx, "%s/%s", node, escaped ? escaped : name);
            free(escaped);
        }
        path += len + (path[len] == '/');
    }
    return node;
}

/* Whether an expression is no path, but what a function or an operator makes: count(a), (a | b), 'text', 1.
 */
static int
is_computed(const char *expression)
{
    size_t n = strspn(expression, "abcdefghijklmnopqrstuvwxyz-");

    return expression[n] == '(' || strchr("'\"", *expression) != NULL;
}

/* A path as augeas gets it. NULL with *why when it begins elsewhere than in the file. */
static const char *
resolve(const struct tree *t, const char *path, const char **why)
{
    size_t len = strlen(t->node);

    if (*path == '$' || *path == '(')
        return path;
    if (*path != '/')
        return rhost_fmt(t->ctx, "%s/%s", t->context, path);
    if (strncmp(path, t->node, len) == 0 && (!path[len] || strchr("/[", path[len])))
        return path;
    *why = rhost_fmt(t->ctx, "'%s' is not below '%s', where the file is", path, t->node);
    return NULL;
}

/* The words of a command with its paths resolved; -1 with *why. */
static int
resolve_all(const struct tree *t, struct command *c, const char **why)
{
    for (size_t i = 0; c->kinds[i]; i++) {
        if (!strchr("pe", c->kinds[i]) || (c->kinds[i] == 'e' && is_computed(c->words[i])))
            continue;
        c->words[i] = resolve(t, c->words[i], why);
        if (!c->words[i])
            return -1;
    }
    return 0;
}

static int
touch(augeas *aug, const char *path)
{
    int n = aug_match(aug, path, NULL);

    return n != 0 ? n : aug_set(aug, path, NULL);
}

static int
execute(augeas *aug, const struct command *c)
{
    const char *const *w = c->words;

    if (strcmp(c->name, "set") == 0)
        return aug_set(aug, w[0], w[1]);
    if (strcmp(c->name, "setm") == 0)
        return aug_setm(aug, w[0], w[1], w[2]);
    if (strcmp(c->name, "rm") == 0)
        return aug_rm(aug, w[0]);
    if (strcmp(c->name, "clear") == 0)
        return aug_set(aug, w[0], NULL);
    if (strcmp(c->name, "clearm") == 0)
        return aug_setm(aug, w[0], w[1], NULL);
    if (strcmp(c->name, "touch") == 0)
        return touch(aug, w[0]);
    if (strcmp(c->name, "ins") == 0)
        return aug_insert(aug, w[2], w[0], strcmp(w[1], "before") == 0);
    if (strcmp(c->name, "mv") == 0)
        return aug_mv(aug, w[0], w[1]);
    if (strcmp(c->name, "rename") == 0)
        return aug_rename(aug, w[0], w[1]);
    if (strcmp(c->name, "defvar") == 0)
        return aug_defvar(aug, w[0], w[1]);
    return aug_defnode(aug, w[0], w[1], w[2], NULL);
}

static int
holds(const char *sign, int order)
{
    return (strcmp(sign, "==") == 0 && order == 0) || (strcmp(sign, "!=") == 0 && order != 0)
           || (strcmp(sign, "<") == 0 && order < 0) || (strcmp(sign, "<=") == 0 && order <= 0)
           || (strcmp(sign, ">") == 0 && order > 0) || (strcmp(sign, ">=") == 0 && order >= 0);
}

static int
is_number(const char *text)
{
    size_t n = *text == '-';
    size_t digits = strspn(text + n, "0123456789");

    n += digits;
    if (text[n] == '.')
        n += 1 + strspn(text + n + 1, "0123456789");
    return digits > 0 && !text[n];
}

/* As Puppet has it: texts are the same byte for byte; which is the smaller one goes by what two numbers are.
 */
static int
compare(const char *sign, const char *a, const char *b)
{
    double x, y;

    if (sign[1] == '=' && strchr("=!", *sign))
        return holds(sign, strcmp(a, b));
    if (!is_number(a) || !is_number(b))
        return holds(sign, strcmp(a, b));
    x = strtod(a, NULL);
    y = strtod(b, NULL);
    return holds(sign, (x > y) - (x < y));
}

/* Whether one of the nodes has this value. */
static int
includes(augeas *aug, char **paths, int n, const char *value)
{
    const char *one = NULL;

    for (int i = 0; i < n; i++)
        if (aug_get(aug, paths[i], &one) == 1 && one && strcmp(one, value) == 0)
            return 1;
    return 0;
}

/* 1: it is true; 0; -1: it can't be told. A node that is missing has an empty value. */
static int
is_true(augeas *aug, const struct command *c)
{
    const char *value = NULL;
    char **paths = NULL;
    int n, result;

    if (strcmp(c->name, "get") == 0) {
        if (aug_get(aug, c->words[0], &value) < 0)
            return -1;
        return compare(c->words[1], value ? value : "", c->words[2]);
    }
    n = aug_match(aug, c->words[0], &paths);
    if (n < 0)
        return -1;
    if (strcmp(c->name, "match") == 0) {
        long size = strtol(c->words[3], NULL, 10);

        result = holds(c->words[2], (n > size) - (n < size));
    } else {
        result = includes(aug, paths, n, c->words[2]) == (strcmp(c->words[1], "include") == 0);
    }
    for (int i = 0; i < n; i++)
        free(paths[i]);
    free(paths);
    return result;
}

/* Why a command failed. */
static const char *
why_not_done(const struct tree *t, const struct command *c)
{
    const char *reason = complaint(t);

    if (aug_error(t->aug) == AUG_NOERROR)
        return rhost_fmt(t->ctx, "'%s' failed: it matches nothing, or more than one node", c->name);
    return rhost_fmt(t->ctx, "'%s' failed: %s", c->name, reason);
}

/* Each text of an attribute in turn, until one stops: 1 all went, 0 a condition is false, -1 with attribute
 * and reason. */
static int
run_all(struct tree *t, const rhost_value *wanted, const char *attribute, const char **fault,
        const char **why)
{
    const rhost_value *list = rhost_get(wanted, attribute);
    int conditions = strcmp(attribute, "conditions") == 0;

    for (size_t i = 0; i < rhost_count(list); i++) {
        struct command c;
        int done;

        *fault = rhost_fmt(t->ctx, "%s[%zu]", attribute, i);
        *why = command_parse(t->ctx, rhost_at(list, i, NULL), conditions, &c);
        done = *why || resolve_all(t, &c, why) < 0 ? -1
               : conditions                        ? is_true(t->aug, &c)
                                                   : execute(t->aug, &c);
        if (done < 0 && !*why)
            *why = why_not_done(t, &c);
        if (done < 0 && tree_has_secret(wanted))
            *why = "it fails. The reason is not shown: it would quote a secret";
        if (done < 0)
            return -1;
        if (conditions && !done)
            return 0;
    }
    return 1;
}

/* What augeas reads: it wants the last line to end. */
static const char *
whole_lines(rhost_ctx *ctx, const char *text)
{
    size_t len = strlen(text);

    return len == 0 || text[len - 1] == '\n' ? text : rhost_fmt(ctx, "%s\n", text);
}

static int
change(struct tree *t, const rhost_value *wanted, const char *text, const char **result,
       const char **attribute, const char **why)
{
    const char *output = NULL, *input = whole_lines(t->ctx, text);
    int done;

    *attribute = "lens";
    if (aug_set(t->aug, "/augeas/context", t->node) < 0 || aug_set(t->aug, INPUT, input) < 0
        || aug_text_store(t->aug, t->lens, INPUT, t->node) < 0) {
        *why = why_not_parsed(t, input);
        if (noted(t, "/message"))
            *attribute = "path";
        return -1;
    }
    done = run_all(t, wanted, "conditions", attribute, why);
    if (done > 0)
        done = run_all(t, wanted, "changes", attribute, why);
    if (done <= 0)
        return done;
    *attribute = "changes";
    if (aug_text_retrieve(t->aug, t->lens, INPUT, t->node, OUTPUT) < 0
        || aug_get(t->aug, OUTPUT, &output) != 1 || !output) {
        *why = why_not_written(t);
        return -1;
    }
    if (strcmp(output, input) != 0)
        *result = rhost_strdup(t->ctx, output);
    return 0;
}

/* What the state has, empty but for its lenses, which take a tenth of a second to load; NULL with *why. */
static augeas *
tree_open(rhost_ctx *ctx, const char **why)
{
    void **state = ctx->host->state(ctx);

    if (!*state)
        *state = aug_init("/", NULL, AUG_NO_LOAD | AUG_NO_MODL_AUTOLOAD | AUG_NO_ERR_CLOSE);
    if (*state && aug_error(*state) == AUG_NOERROR)
        return *state;
    *why = *state ? rhost_fmt(ctx, "cannot use augeas: %s", rhost_strdup(ctx, aug_error_message(*state)))
                  : "cannot use augeas: out of memory";
    tree_close(ctx);
    return NULL;
}

void
tree_close(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    if (*state)
        aug_close(*state);
    *state = NULL;
}

/* Whether a path may lead out of the part of the tree that the file has: then the next file gets another
 * tree. */
static int
may_leave(const struct command *c)
{
    for (size_t i = 0; c->kinds[i]; i++)
        if (strchr("pes", c->kinds[i])
            && (strstr(c->words[i], "..") || strstr(c->words[i], "::") || strstr(c->words[i], "//")
                || strstr(c->words[i], "/augeas") || strchr(c->words[i], '|')))
            return 1;
    return 0;
}

/* Removes all that a call has left. */
static void
tree_clean(rhost_ctx *ctx, augeas *aug, const rhost_value *wanted)
{
    const rhost_value *list = rhost_get(wanted, "changes");
    int broken = aug_error(aug) == AUG_ENOMEM || aug_error(aug) == AUG_EINTERNAL;

    for (size_t i = 0; i < rhost_count(list); i++) {
        struct command c;

        if (command_parse(ctx, rhost_at(list, i, NULL), 0, &c))
            continue;
        broken |= may_leave(&c);
        if (strncmp(c.name, "def", 3) == 0)
            (void)aug_defvar(aug, c.words[0], NULL);
    }
    if (broken || aug_rm(aug, "/files") < 0 || aug_rm(aug, "/rhost") < 0 || aug_rm(aug, "/augeas/text") < 0)
        tree_close(ctx);
}

int
tree_change(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char **result,
            const char **attribute, const char **why)
{
    const char *lens = rhost_str_or(wanted, "lens", ""), *context = rhost_str(wanted, "context");
    struct tree t = { .ctx = ctx, .file = rhost_str_or(wanted, "path", "") };
    int done = -1;

    *result = text;
    *attribute = "lens";
    t.lens = strchr(lens, '.') ? lens : rhost_fmt(ctx, "%s.lns", lens);
    t.aug = tree_open(ctx, why);
    if (!t.aug)
        return -1;
    *why = "cannot use augeas: out of memory";
    t.node = node_of(ctx, t.aug, t.file);
    t.context = t.node;
    if (t.node && context)
        t.context = resolve(&t, context, why);
    if (t.node && context && !t.context)
        *attribute = "context";
    else if (t.node)
        done = change(&t, wanted, text, result, attribute, why);
    tree_clean(ctx, t.aug, wanted);
    if (done < 0 && strcmp(*attribute, "lens") == 0)
        tree_close(ctx); /* the lens may be installed later in the run */
    return done;
}

static int
is_secret(const rhost_value *v)
{
    if (!v)
        return 0;
    if (v->host->sensitive(v))
        return 1;
    for (size_t i = 0; v->host->kind(v) == RHOST_ARRAY && i < rhost_count(v); i++)
        if (is_secret(rhost_at(v, i, NULL)))
            return 1;
    return 0;
}

int
tree_has_secret(const rhost_value *wanted)
{
    return is_secret(rhost_get(wanted, "changes")) || is_secret(rhost_get(wanted, "conditions"))
           || is_secret(rhost_get(wanted, "context"));
}

int
tree_check(rhost_ctx *ctx, const rhost_value *wanted)
{
    static const char *const attributes[] = { "changes", "conditions" };
    int failed = 0;

    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        const rhost_value *list = rhost_get(wanted, attributes[k]);

        for (size_t i = 0; i < rhost_count(list); i++) {
            struct command c;
            const char *why = command_parse(ctx, rhost_at(list, i, NULL), k == 1, &c);

            if (why && is_secret(list))
                why = "it is not valid. The reason is not shown: it would quote a secret";
            if (why)
                failed = rhost_fail_attr(ctx, rhost_fmt(ctx, "%s[%zu]", attributes[k], i), "%s", why);
        }
    }
    return failed;
}
