/* SPDX-License-Identifier: Apache-2.0 */
/* new - rhost new TYPE: a folder to begin a provider in. What is in it stands in templates. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "manifest/entry/long-form.h"
#include "plugin/registry.h"
#include "schema/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { TEMPLATE_MAX = 1 << 20 };

/* What stands between two @ of a template, and its text here. */
struct blank {
    const char *word;
    const char *text;
};

/* A file of the folder. Names have blanks like the text. */
struct part {
    const char *template, *path;
    enum rh_build { RH_BUILD_ANY = -1, RH_BUILD_MAKE, RH_BUILD_MESON } build;
    unsigned mode;
    bool own; /* --style=remote has another one: remote-NAME */
};

static const struct part parts[] = {
    { "@STYLE@.c", "@NAME@.c", RH_BUILD_ANY, 0644, false },
    { "page.md", "@NAME@.md", RH_BUILD_ANY, 0644, true },
    { "test.bats", "@NAME@.bats", RH_BUILD_ANY, 0755, true },
    { "fixture.yaml", "fixture.yaml", RH_BUILD_ANY, 0644, true },
    { "makefile", "Makefile", RH_BUILD_MAKE, 0644, false },
    { "meson.build", "meson.build", RH_BUILD_MESON, 0644, false },
    { "licence", "LICENSE", RH_BUILD_ANY, 0644, false },
    { "gitignore", ".gitignore", RH_BUILD_ANY, 0644, false },
    { "control", "debian/control", RH_BUILD_ANY, 0644, false },
    { "rules", "debian/rules", RH_BUILD_ANY, 0755, false },
    { "changelog", "debian/changelog", RH_BUILD_ANY, 0644, false },
    { "copyright", "debian/copyright", RH_BUILD_ANY, 0644, false },
    { "docs", "debian/docs", RH_BUILD_ANY, 0644, false },
    { "format", "debian/source/format", RH_BUILD_ANY, 0644, false },
};

/* --style=program: nothing is built. */
static const struct part program_parts[] = {
    { "program.yaml", "type.yaml", RH_BUILD_ANY, 0644, false },
    { "program.py", "@NAME@.py", RH_BUILD_ANY, 0755, false },
    { "fixture.yaml", "fixture.yaml", RH_BUILD_ANY, 0644, false },
    { "licence", "LICENSE", RH_BUILD_ANY, 0644, false },
};

static bool
is_program(const struct rh_settings *settings)
{
    return settings->style && strcmp(settings->style, "program") == 0;
}

/* Adds the text with its blanks filled in. A word between two @ that is no blank stays, as does an @
 * that begins none. */
static void
fill_in(struct rh_buf *b, const char *text, const struct blank *blanks)
{
    while (*text) {
        const struct blank *blank = blanks;
        size_t n = 0;

        if (*text == '@')
            n = strcspn(text + 1, "@ \n");
        while (blank->word
               && !(*text == '@' && text[1 + n] == '@' && n == strlen(blank->word)
                    && strncmp(text + 1, blank->word, n) == 0))
            blank++;
        if (blank->word) {
            rh_buf_add(b, blank->text);
            text += n + 2;
        } else {
            rh_buf_addc(b, *text++);
        }
    }
}

static int
write_part(const char *templates, const char *folder, const struct part *part, bool remote,
           const struct blank *blanks, struct rh_error *err)
{
    rh_autobuf struct rh_buf from = { 0 }, to = { 0 }, text = { 0 };
    rh_autofree char *template = NULL;
    rh_autofree char *above = NULL;
    size_t n;

    rh_buf_addf(&from, "%s/%s", templates, part->own && remote ? "remote-" : "");
    fill_in(&from, part->template, blanks);
    rh_buf_addf(&to, "%s/", folder);
    fill_in(&to, part->path, blanks);
    template = rh_read_file(rh_buf_text(&from), TEMPLATE_MAX, &n, err);
    if (!template)
        return -1;
    fill_in(&text, template, blanks);
    above = rh_printf("%.*s", (int)(strrchr(to.s, '/') - to.s), to.s);
    if (rh_make_directory(above, 0755, err) < 0)
        return -1;
    return rh_replace_file(to.s, rh_buf_text(&text), text.n, part->mode, err);
}

/* Who is to be named as the author, on one line, as Debian's tools know it. */
static char *
author(void)
{
    const char *name = getenv("DEBFULLNAME"), *email = getenv("DEBEMAIL");
    rh_autofree char *text =
        rh_printf("%s <%s>", name && *name ? name : "Your Name", email && *email ? email : "you@example.org");

    return rh_safe_text(text);
}

/* Names in the C locale's language, whatever the locale is: debian/changelog wants them so. */
static int
date_of(time_t now, char date[64], char year[16])
{
    static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    struct tm t;

    if (!gmtime_r(&now, &t))
        return -1;
    (void)snprintf(date, 64, "%s, %02d %s %d %02d:%02d:%02d +0000", days[t.tm_wday], t.tm_mday,
                   months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    (void)snprintf(year, 16, "%d", t.tm_year + 1900);
    return 0;
}

/* Files, and what C calls the provider: "vendor_type" of "vendor::type". */
static char *
name_of(const char *type)
{
    struct rh_buf b = { 0 };

    for (const char *c = type; *c; c++)
        if (*c != ':')
            rh_buf_addc(&b, *c);
        else if (c[1] == ':')
            rh_buf_addc(&b, '_');
    return rh_buf_take(&b);
}

static int
write_folder(const struct rh_settings *settings, const char *type, const char *name, const char *folder,
             struct rh_error *err)
{
    const char *templates = settings->templates ? settings->templates : RH_DATADIR "/templates";
    const char *style = settings->style ? settings->style : "load";
    rh_autofree char *package = rh_printf("rhost-plugin-%s", name);
    rh_autofree char *who = author();
    char date[64], year[16];
    const struct blank blanks[] = {
        { "NAME", name },   { "TYPE", type },
        { "STYLE", style }, { "PACKAGE", package },
        { "AUTHOR", who },  { "DATE", date },
        { "YEAR", year },   { "MESON", settings->meson ? " meson,\n" : "" },
        { NULL, NULL },
    };

    for (char *c = package; *c; c++)
        if (*c == '_')
            *c = '-';
    if (date_of(time(NULL), date, year) < 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot determine the date");
    for (size_t i = 0; is_program(settings) && i < sizeof program_parts / sizeof program_parts[0]; i++)
        if (write_part(templates, folder, &program_parts[i], false, blanks, err) < 0)
            return -1;
    for (size_t i = 0; !is_program(settings) && i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].build == (settings->meson ? RH_BUILD_MAKE : RH_BUILD_MESON))
            continue;
        if (write_part(templates, folder, &parts[i], strcmp(style, "remote") == 0, blanks, err) < 0)
            return -1;
    }
    return 0;
}

/* A name that no type can have, with one that it could. */
static int
refuse_name(const char *name)
{
    rh_autobuf struct rh_buf better = { 0 };
    rh_autofree char *shown = rh_safe_text(name);

    for (const char *c = name; *c; c++) {
        if (*c >= 'A' && *c <= 'Z')
            rh_buf_addc(&better, (char)(*c - 'A' + 'a'));
        else if ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'))
            rh_buf_addc(&better, *c);
        else if (better.n && strncmp(c, "::", 2) == 0 && c++)
            rh_buf_add(&better, "::");
        else if (better.n && better.s[better.n - 1] != '_')
            rh_buf_addc(&better, '_');
    }
    return rh_usage_unknown(
        &rh_command_new, rh_is_type_name(rh_buf_text(&better)) ? better.s : NULL, NULL,
        "invalid type name '%s': expected a lower case letter, then lower case letters, digits and '_', "
        "or several such names with '::' between",
        shown);
}

/* A second provider of a type may be meant, but most often it is another type. */
static void
warn_of_known(struct rh_settings *settings, const char *name)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *known;
    struct rh_session s;

    rh_session_open(&s, settings);
    known = rh_registry_find(s.registry, name, NULL, &err);
    if (known)
        rh_log(RH_WARNING,
               "type '%s' already exists in plugin '%s': choose another name for the new type, or for its "
               "provider",
               name, known->path ? known->path : known->plugin);
    rh_session_close(&s);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *shown = NULL;
    rh_autofree char *name = NULL;
    const char *type, *folder;
    struct stat st;

    if (argc < 1 || argc > 2)
        return rh_usage_error(&rh_command_new, "expected a TYPE, and optionally a DIR");
    type = argv[0];
    if (!rh_is_type_name(type))
        return refuse_name(type);
    name = name_of(type);
    folder = argc > 1 ? argv[1] : name;
    if (rh_entry_needs_long(type, ""))
        return rh_usage_error(&rh_command_new, "'%s' is a key of manifests: choose another name for the type",
                              type);
    if (!*folder)
        return rh_usage_error(&rh_command_new, "DIR must not be empty");
    shown = rh_safe_text(folder);
    if (lstat(folder, &st) == 0) {
        rh_refuse("'%s' already exists: nothing was written", shown);
        return RH_EXIT_REFUSED;
    }
    if (write_folder(settings, type, name, folder, &err) < 0) {
        rh_refuse("cannot create '%s': %s", shown, err.message);
        return RH_EXIT_REFUSED;
    }
    warn_of_known(settings, type);
    if (is_program(settings)) {
        (void)printf(
            "%s: a program for the type '%s' to begin with; 'rhost check %s --fixture %s/fixture.yaml' "
            "tries it\n",
            shown, type, shown, shown);
        return RH_EXIT_OK;
    }
    (void)printf("%s: a provider of the type '%s' to begin with; '%s' in it builds and tries it\n", shown,
                 type, settings->meson ? "meson setup build && meson test -C build" : "make check");
    return RH_EXIT_OK;
}

const struct rh_command rh_command_new = {
    .name = "new",
    .arguments = "TYPE [DIR]",
    .summary = "create a directory for a new provider",
    .text = "The directory has a working provider, its page, its tests, and what is needed to build and\n"
            "package it. The default of DIR is the name of the type. See rhost-provider(7).",
    .options = RH_OPT_COMMON | RH_OPT_NEW | RH_OPT_POLICY,
    .run = run,
};
