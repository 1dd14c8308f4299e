/* SPDX-License-Identifier: Apache-2.0 */
/* zypper-ask - questions to zypper that change nothing, and what it answers as XML. */

#include "zypper-ask.h"

#include "tool.h"
#include "xml.h"

int
zypper_worked(int64_t status)
{
    return status == 0 || (status >= 100 && status <= ZYPPER_RESTART_NEEDED)
           || status == ZYPPER_REPOSITORIES_SKIPPED || status == ZYPPER_SCRIPT_FAILED;
}

/* Options of zypper itself, not of one of its commands. */
static const char *const globals[] = { "--no-gpg-checks",
                                       "--gpg-auto-import-keys",
                                       "--no-refresh",
                                       "--no-cd",
                                       "--no-remote",
                                       "--disable-repositories",
                                       "--non-interactive-include-reboot-patches",
                                       "--plus-repo",
                                       "--plus-content",
                                       "--releasever",
                                       "--config",
                                       "--userdata",
                                       NULL };
enum { FIRST_WITH_VALUE = 7 };

/* Whether it is one of zypper itself; *more: the next word is its value. */
static int
is_global(const char *option, int *more)
{
    size_t n = strcspn(option, "=");

    for (size_t i = 0; globals[i]; i++)
        if (strlen(globals[i]) == n && strncmp(option, globals[i], n) == 0) {
            *more = i >= FIRST_WITH_VALUE && !option[n];
            return 1;
        }
    *more = 0;
    return 0;
}

static void
add_options(rhost_ctx *ctx, struct words *argv, const rhost_value *options, int global)
{
    int more = 0, taken = 0;

    for (size_t i = 0; i < rhost_count(options); i++) {
        const char *option = rhost_str_at(options, i);

        if (!option)
            continue;
        if (more)
            more = 0;
        else
            taken = is_global(option, &more) == global;
        if (taken)
            words_add(ctx, argv, option);
    }
}

void
zypper_start(rhost_ctx *ctx, struct words *argv, const rhost_value *options, int xml)
{
    tool_words(ctx, argv, "zypper", "--non-interactive");
    if (xml)
        words_add(ctx, argv, "--xmlout");
    add_options(ctx, argv, options, 1);
}

void
zypper_options(rhost_ctx *ctx, struct words *argv, const rhost_value *options)
{
    add_options(ctx, argv, options, 0);
}

/* Of what the solver offers, only that a lock is in the way is of use to somebody who does not answer. */
static const char *
problem(rhost_ctx *ctx, const char *described)
{
    char *text = tool_text(ctx, described), *line;
    const char *all = "";

    while ((line = words_line(&text))) {
        const char *lock = strstr(line, "remove lock to allow ");

        if (lock)
            all = rhost_fmt(ctx, "%s; in the way is a lock of zypper: %s", all, lock);
        else if (*line != ' ')
            all = words_join(ctx, all, line);
    }
    return all;
}

const char *
zypper_complaints(rhost_ctx *ctx, const char *printed)
{
    const char *all = "", *at = printed;
    struct xml_tag tag;
    int prompts = 0;

    while (xml_next(&at, &tag)) {
        const char *type = xml_is(&tag, "message") ? xml_attribute(ctx, &tag, "type") : NULL;

        if (xml_is(&tag, "prompt") || xml_is(&tag, "/prompt"))
            prompts = *tag.name != '/';
        if (type && strcmp(type, "error") == 0)
            all = words_join(ctx, all, xml_text(ctx, &tag));
        else if (prompts && xml_is(&tag, "description"))
            all = words_join(ctx, all, problem(ctx, xml_text(ctx, &tag)));
    }
    return *all ? all : printed;
}

/* A conflict of files is told in five lines: "File X", "from install of", A, "conflicts with file from
 * package", B. */
const char *
zypper_unfold(rhost_ctx *ctx, const char *printed)
{
    char *text = tool_text(ctx, printed), *line, *all = rhost_alloc(ctx, strlen(printed) + 2), *to = all;
    int within = 0;

    *to = '\0';
    while ((line = words_line(&text))) {
        within = words_after(line, "File /") || (within && *line == ' ');
        if (within && *line == ' ')
            to[-1] = ' ';
        to = stpcpy(stpcpy(to, within ? line + strspn(line, " ") : line), "\n");
    }
    return all;
}

/* Lines in which rpm says that a script failed; "": none. zypper 1.14.42 ends with 0 all the same. */
const char *
zypper_script_errors(rhost_ctx *ctx, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    const char *all = "";

    while ((line = words_line(&text)))
        if (strstr(line, "scriptlet failed") || strstr(line, "script failed"))
            all = words_join(ctx, all, line);
    return all;
}

const char *
zypper_left_out(rhost_ctx *ctx, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    struct words left = { 0 };

    while ((line = words_line(&text))) {
        char *name = strstr(line, "Skipping repository "), *end = name ? strstr(name, " because") : NULL;

        if (!end)
            continue;
        *end = '\0';
        name += strlen("Skipping repository ");
        for (const char *quote = "&apos;"; words_after(name, quote);)
            name += strlen(quote);
        if ((end = strstr(name, "&apos;")))
            *end = '\0';
        name += *name == '\'';
        name[strcspn(name, "'")] = '\0';
        if (!words_have(&left, name))
            words_add(ctx, &left, name);
    }
    return left.n ? words_list(ctx, &left, 8) : NULL;
}

/* Tags of packages, as lines that rpms_parse() reads. */
static void
take_packages(rhost_ctx *ctx, const char *printed, const char *name_of_tag, struct rpms *found)
{
    const char *at = printed;
    struct xml_tag tag;
    char *lines = rhost_alloc(ctx, strlen(printed) + 1), *to = lines;

    *lines = '\0';
    while (xml_next(&at, &tag)) {
        const char *name = xml_is(&tag, name_of_tag) ? xml_attribute(ctx, &tag, "name") : NULL;
        const char *arch = name ? xml_attribute(ctx, &tag, "arch") : NULL;
        const char *version = name ? xml_attribute(ctx, &tag, "edition") : NULL;
        const char *from = name ? xml_attribute(ctx, &tag, "repository") : NULL;

        /* Such a line is shorter than the tag. What is only installed cannot be had. */
        if (name && !(from && strcmp(from, "(System Packages)") == 0))
            to = stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(to, name), "\t"), arch ? arch : ""), "\t"),
                               version ? version : ""),
                        "\n");
    }
    rpms_parse(ctx, lines, found);
}

static int32_t
ask(rhost_ctx *ctx, const struct words *argv, struct rhost_output *out)
{
    if (tool_read(ctx, argv, out) < 0)
        return -1;
    if (!zypper_worked(out->status) && out->status != ZYPPER_NOT_FOUND)
        return rhost_fail(ctx, "cannot ask zypper which versions there are: %s",
                          lines_of_error(ctx, words_join(ctx, zypper_complaints(ctx, out->out), out->err)));
    return 0;
}

int32_t
zypper_search(rhost_ctx *ctx, const rhost_value *options, const struct words *names, int provided,
              struct rpms *found, const char **without)
{
    struct words argv = { 0 };
    struct rhost_output out;

    *found = (struct rpms){ 0 };
    if (names && !names->n)
        return 0;
    zypper_start(ctx, &argv, options, 1);
    tool_words(ctx, &argv, "search", "--type", "package");
    if (names)
        tool_words(ctx, &argv, "--details", "--case-sensitive", "--match-exact");
    if (provided)
        words_add(ctx, &argv, "--provides");
    words_add(ctx, &argv, "--");
    for (size_t i = 0; names && i < names->n; i++)
        words_add(ctx, &argv, names->at[i]);
    if (ask(ctx, &argv, &out) < 0)
        return -1;
    if (without)
        *without = strstr(out.out, "No repositories defined") ? "" : zypper_left_out(ctx, out.out);
    take_packages(ctx, out.out, "solvable", found);
    return 0;
}

int32_t
zypper_updates(rhost_ctx *ctx, const rhost_value *options, struct rpms *found)
{
    struct words argv = { 0 };
    struct rhost_output out;

    zypper_start(ctx, &argv, options, 1);
    tool_words(ctx, &argv, "list-updates", "--type", "package");
    if (ask(ctx, &argv, &out) < 0)
        return -1;
    take_packages(ctx, out.out, "update", found);
    return 0;
}

void
zypper_parse_plan(rhost_ctx *ctx, const char *printed, struct rpm_plan *plan)
{
    static const struct {
        const char *tag, *heading;
    } parts[] = { { "to-install", "Installing" },
                  { "to-reinstall", "Installing" },
                  { "to-upgrade", "Upgrading" },
                  { "to-downgrade", "Downgrading" },
                  { "to-change-arch", "Upgrading" },
                  { "to-change-vendor", "Upgrading" },
                  { "to-upgrade-change-arch", "Upgrading" },
                  { "to-downgrade-change-arch", "Downgrading" },
                  { "to-remove", "Removing" } };
    const char *heading = NULL, *at = printed;
    struct xml_tag tag;
    size_t n = 1;

    for (const char *one = printed; (one = strchr(one, '<')); one++)
        n++;
    *plan = (struct rpm_plan){ .rows = rhost_alloc(ctx, n * sizeof *plan->rows) };
    while (xml_next(&at, &tag)) {
        const char *name = heading && xml_is(&tag, "solvable") ? xml_attribute(ctx, &tag, "name") : NULL;

        if (words_after(tag.name, "/to-") || words_after(tag.name, "/install-summary"))
            heading = NULL;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (xml_is(&tag, parts[i].tag))
                heading = parts[i].heading;
        if (name) {
            const char *arch = xml_attribute(ctx, &tag, "arch"),
                       *version = xml_attribute(ctx, &tag, "edition");

            plan->rows[plan->n++] =
                (struct rpm_row){ name, arch ? arch : "", version ? version : "", heading };
        }
    }
}
