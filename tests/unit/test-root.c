/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a manifest may read, and what they are called. */
#include "config.h"

#include "manifest/load/root.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void
write_file(const char *path, const char *text)
{
    rh_autofclose FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
}

static int
make_site(void **state)
{
    static char folder[] = "/tmp/rhost-root-XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return -1;
    *state = folder;
    assert_int_equal(mkdir("site", 0755), 0);
    assert_int_equal(mkdir("site/roles", 0755), 0);
    assert_int_equal(mkdir("site/other", 0755), 0);
    write_file("site/motd.tmpl", "hello");
    write_file("site/roles/web.yaml", "web");
    write_file("secret", "secret");
    assert_int_equal(symlink("../secret", "site/leak"), 0);
    assert_int_equal(symlink("../..", "site/other/up"), 0);
    assert_int_equal(symlink("roles/web.yaml", "site/web.yaml"), 0);
    assert_int_equal(mkfifo("site/pipe", 0600), 0);
    return 0;
}

static int
remove_site(void **state)
{
    static const char *const files[] = {
        "site/pipe",           "site/web.yaml",  "site/other/up", "site/leak",  "secret",
        "site/roles/web.yaml", "site/motd.tmpl", "site/other",    "site/roles", "site",
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (remove(files[i]) < 0)
            return -1;
    return chdir("/") < 0 || rmdir(*state) < 0 ? -1 : 0;
}

struct fixture {
    struct rh_sources sources;
    struct rh_roots roots;
    unsigned from;
};

/* A source of this name, with the root of `manifest`. */
static void
open_roots(struct fixture *f, const char *manifest, const char *name)
{
    unsigned first;

    *f = (struct fixture){ 0 };
    f->roots.sources = &f->sources;
    first = rh_sources_add(&f->sources, manifest, NULL, 0);
    rh_roots_add(&f->roots, first);
    f->from = rh_sources_add(&f->sources, name, NULL, 0);
    rh_roots_inherit(&f->roots, f->from, first);
}

static void
close_roots(struct fixture *f)
{
    rh_roots_clear(&f->roots);
    rh_sources_clear(&f->sources);
}

/* NULL for `wanted`: refused, with --allow-outside in the message. */
static void
assert_name(const char *manifest, const char *from, const char *path, const char *wanted)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = NULL;
    struct fixture f;

    open_roots(&f, manifest, from);
    name = rh_roots_name(&f.roots, path, f.from, &err);
    if (wanted)
        assert_string_equal(name ? name : err.message, wanted);
    else {
        assert_null(name);
        assert_non_null(strstr(err.message, "--allow-outside"));
    }
    close_roots(&f);
}

static void
a_path_is_relative_to_the_file_it_stands_in(void **state)
{
    (void)state;
    assert_name("site.yaml", "site.yaml", "a", "a");
    assert_name("./site.yaml", "./site.yaml", "./a//b", "./a/b");
    assert_name("site/site.yaml", "site/site.yaml", "motd.tmpl", "site/motd.tmpl");
    assert_name("site/site.yaml", "site/roles/web.yaml", "a", "site/roles/a");
    assert_name("site/site.yaml", "site/roles/web.yaml", "../motd.tmpl", "site/motd.tmpl");
    assert_name("site/site.yaml", "site/roles/web.yaml", "../a/../b/./c", "site/b/c");
    assert_name("../site/site.yaml", "../site/site.yaml", "a", "../site/a");
    assert_name("/srv/site.yaml", "/srv/a/b.yaml", "../c", "/srv/c");
    assert_name("/srv/site.yaml", "/srv/site.yaml", "/srv/a/c", "/srv/a/c");
    assert_name("/site.yaml", "/site.yaml", "/etc/passwd", "/etc/passwd");
    assert_name("standard input", "standard input", "a/b", "a/b");
}

static void
nothing_leads_above_the_folder_of_the_manifest(void **state)
{
    (void)state;
    assert_name("site.yaml", "site.yaml", "../a", NULL);
    assert_name("site.yaml", "site.yaml", "a/../../a", NULL);
    assert_name("site.yaml", "site.yaml", "..", NULL);
    assert_name("site/site.yaml", "site/site.yaml", "../site/motd.tmpl", NULL);
    assert_name("site/site.yaml", "site/roles/web.yaml", "../../secret", NULL);
    assert_name("site.yaml", "site.yaml", "/etc/passwd", NULL);
    assert_name("/srv/site.yaml", "/srv/site.yaml", "/srv/../etc/passwd", NULL);
    assert_name("/srv/site.yaml", "/srv/site.yaml", "/srvx/a", NULL);
    assert_name("../site/site.yaml", "../site/site.yaml", "../../x", NULL);
    assert_name("standard input", "standard input", "../b", NULL);
}

static void
an_absolute_path_below_the_folder_is_fine(void **state)
{
    rh_autofree char *here = realpath(".", NULL);
    rh_autofree char *path = NULL;

    (void)state;
    assert_true(asprintf(&path, "%s/site/roles/web.yaml", here) > 0);
    assert_name("site/site.yaml", "site/site.yaml", path, "site/roles/web.yaml");
}

static void
an_absolute_path_beside_the_folder_is_outside(void **state)
{
    rh_autofree char *here = realpath(".", NULL);
    rh_autofree char *path = NULL;

    (void)state;
    assert_true(asprintf(&path, "%s/sitX/roles/web.yaml", here) > 0); /* as long as the one of the folder */
    assert_name("site/site.yaml", "site/site.yaml", path, NULL);
}

/* What comes of reading; NULL: refused with `message` in it. */
static void
assert_read(const char *path, const char *wanted, const char *message)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = NULL, *text = NULL;
    struct fixture f;
    size_t n = 0;

    open_roots(&f, "site/site.yaml", "site/site.yaml");
    name = rh_roots_name(&f.roots, path, f.from, &err);
    assert_non_null(name);
    text = rh_roots_read(&f.roots, name, f.from, 1000, &n, &err);
    if (wanted)
        assert_string_equal(text ? text : err.message, wanted);
    else {
        assert_null(text);
        assert_non_null(strstr(err.message, message));
    }
    close_roots(&f);
}

static void
symbolic_links_do_not_lead_out_either(void **state)
{
    (void)state;
    assert_read("motd.tmpl", "hello", NULL);
    assert_read("web.yaml", "web", NULL);
    assert_read("leak", NULL, "--allow-outside");
    assert_read("other/up/secret", NULL, "--allow-outside");
}

static void
only_files_are_read(void **state)
{
    (void)state;
    assert_read("pipe", NULL, "not a regular file");
    assert_read("roles", NULL, "is a directory");
    assert_read("none", NULL, "cannot open 'site/none': No such file");
    assert_read("motd.tmpl/x", NULL, "Not a directory");
}

static void
all_of_that_is_fine_where_it_is_allowed(void **state)
{
    static const char *const paths[] = { "leak", "../secret", "other/up/secret", "roles/../../secret" };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *name = NULL, *text = NULL;
        struct fixture f;

        open_roots(&f, "site/site.yaml", "site/site.yaml");
        f.roots.outside = true;
        name = rh_roots_name(&f.roots, paths[i], f.from, &err);
        assert_non_null(name);
        text = rh_roots_read(&f.roots, name, f.from, 0, NULL, &err);
        assert_string_equal(text ? text : err.message, "secret");
        close_roots(&f);
    }
}

/* Linked in place of syscall(): a kernel before 5.6, or a filter of system calls. */
static int no_openat2;
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long
__wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_openat2 && no_openat2) {
        errno = no_openat2;
        return -1;
    }
    return __real_syscall(number, a, b, c, d, e, f);
}

/* There no link is followed at all. */
static void
without_openat2_each_folder_is_opened(void **state)
{
    static const int numbers[] = { ENOSYS, EPERM };

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        no_openat2 = numbers[i];
        assert_read("motd.tmpl", "hello", NULL);
        assert_read("roles/web.yaml", "web", NULL);
        assert_read("web.yaml", NULL, "--allow-outside");
        assert_read("leak", NULL, "--allow-outside");
        assert_read("other/up/secret", NULL, "cannot open 'site/other/up/secret'");
        assert_read("none", NULL, "cannot open 'site/none': No such file");
        assert_read("none/x", NULL, "cannot open 'site/none/x': No such file");
        assert_read("motd.tmpl/x", NULL, "Not a directory");
        assert_read("pipe", NULL, "not a regular file");
    }
    no_openat2 = EINVAL; /* which is no reason to try it otherwise */
    assert_read("motd.tmpl", NULL, "Invalid argument");
    no_openat2 = 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_relative_to_the_file_it_stands_in),
        cmocka_unit_test(nothing_leads_above_the_folder_of_the_manifest),
        cmocka_unit_test(an_absolute_path_below_the_folder_is_fine),
        cmocka_unit_test(an_absolute_path_beside_the_folder_is_outside),
        cmocka_unit_test(symbolic_links_do_not_lead_out_either),
        cmocka_unit_test(only_files_are_read),
        cmocka_unit_test(without_openat2_each_folder_is_opened),
        cmocka_unit_test(all_of_that_is_fine_where_it_is_allowed),
    };

    return cmocka_run_group_tests(tests, make_site, remove_site);
}
