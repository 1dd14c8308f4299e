/* SPDX-License-Identifier: Apache-2.0 */
/* rhost init - a directory with a first site. Its files are those of docs/examples/init/, and a schema. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/manual-text.h"
#include "cli/refusal.h"
#include "cli/schema-parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of the site; `from` is its name in docs/examples/init/, NULL for the schema. */
static const struct part {
    const char *path, *from, *purpose;
    unsigned mode;
} parts[] = {
    { "site.yaml", "site.yaml", "the manifest", 0644 },
    { "test", "test", "tests the site", 0755 },
    { "README.md", "README.md", "what is where", 0644 },
    { "schema.json", NULL, "completion and checks for editors", 0644 },
    { ".vscode/settings.json", "vscode.json", "names the schema for VS Code", 0644 },
    { ".github/workflows/site.yml", "github.yml", "CI: runs the test", 0644 },
    { ".gitlab-ci.yml", "gitlab.yml", "CI: runs the test", 0644 },
};

enum { PARTS = sizeof parts / sizeof parts[0] };

static const char *
text_of(const char *from)
{
    struct rh_manual_text t;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "file", &t));)
        if (strcmp(t.name, from) == 0)
            return t.text;
    return NULL;
}

static int
write_part(struct rh_settings *settings, const char *folder, const struct part *part, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", folder, part->path);
    rh_autofree char *above = rh_printf("%.*s", (int)(strrchr(path, '/') - path), path);
    rh_autobuf struct rh_buf text = { 0 };

    if (part->from) {
        const char *known = text_of(part->from);

        if (!known)
            return rh_error_set(err, RH_ESYSTEM, "the file '%s' of a first site is missing", part->from);
        rh_buf_add(&text, known);
    } else {
        rh_schema_text(settings, &text);
        rh_buf_addc(&text, '\n');
    }
    if (rh_make_directory(above, 0755, err) < 0)
        return -1;
    return rh_replace_file(path, rh_buf_text(&text), text.n, part->mode, err);
}

/* The first of the files that exists already, or NULL. */
static const char *
find_existing(const char *folder)
{
    for (size_t i = 0; i < PARTS; i++) {
        rh_autofree char *path = rh_printf("%s/%s", folder, parts[i].path);
        struct stat st;

        if (lstat(path, &st) == 0)
            return parts[i].path;
    }
    return NULL;
}

/* False: the answer is no, or there is nobody to ask. */
static bool
ask(const char *shown)
{
    char answer[16];

    if (!isatty(STDIN_FILENO)) {
        rh_refuse_hint("'--yes' writes the files without a question", "standard input is not a terminal");
        return false;
    }
    (void)printf("Files for '%s':\n", shown);
    for (size_t i = 0; i < PARTS; i++)
        (void)printf("  %-28s %s\n", parts[i].path, parts[i].purpose);
    (void)printf("Write them? [y/N] ");
    (void)fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return true;
    rh_refuse("no file was written");
    return false;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *shown = NULL;
    const char *folder = argc ? argv[0] : ".", *existing;

    if (argc > 1)
        return rh_usage_error(&rh_command_init, "unexpected argument '%s'", argv[1]);
    if (!*folder)
        return rh_usage_error(&rh_command_init, "DIR must not be empty");
    shown = rh_safe_text(folder);
    existing = find_existing(folder);
    if (existing) {
        rh_refuse("'%s/%s' already exists: nothing was written", shown, existing);
        return RH_EXIT_REFUSED;
    }
    if (!settings->yes && !ask(shown))
        return RH_EXIT_REFUSED;
    for (size_t i = 0; i < PARTS; i++)
        if (write_part(settings, folder, &parts[i], &err) < 0) {
            rh_refuse("cannot create '%s': %s", shown, err.message);
            return RH_EXIT_REFUSED;
        }
    (void)printf("%s: a first site; 'rhost apply --noop %s/site.yaml' shows what it would change\n", shown,
                 shown);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_init = {
    .name = "init",
    .arguments = "[DIR]",
    .summary = "create a first site",
    .text =
        "The site has a manifest that works, a test, files for CI, and settings for editors. The default\n"
        "of DIR is the current directory. Files that exist are never replaced.",
    .options = RH_OPT_COMMON | RH_OPT_INIT,
    .run = run,
};
