/* SPDX-License-Identifier: Apache-2.0 */
/* test-preset - which preset files are read in which order, and what they say of a unit. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *read_files[16];
static size_t n_read;

/* Behind the last name of a folder there is none. */
static size_t
fake_names(struct looking *l, const char *folder, const char ***names)
{
    static const char *etc[] = { "20-b.preset", "50-d.preset", NULL };
    static const char *run[] = { "50-d.preset", "90-f.preset", NULL };
    static const char *usr[] = { "10-a.preset", "20-b.preset", "40-c.preset", "70-e.preset", NULL };

    (void)l;
    if (strncmp(folder, "/etc/", 5) == 0) {
        *names = etc;
        return 2;
    }
    if (strncmp(folder, "/run/", 5) == 0) {
        *names = run;
        return 2;
    }
    *names = usr;
    return strncmp(folder, "/usr/lib/", 9) == 0 ? 4 : 0;
}

static char *
fake_read(struct looking *l, const char *path, size_t *n, struct stat *st)
{
    const char *text = "# nothing\n";

    (void)st;
    assert_true(n_read < sizeof read_files / sizeof read_files[0]);
    read_files[n_read++] = path;
    if (strcmp(path, "/etc/systemd/system-preset/20-b.preset") == 0)
        text = "enable ssh.service\n  disable\tgetty@.service tty1 tty2\nenable getty@.service tty3 \r\n"
               "disable a-*.service\nenable\nignore y.service\nenabled z.service\ndisabled z.service\n";
    else if (strcmp(path, "/usr/lib/systemd/system-preset/70-e.preset") == 0)
        text = "disable ssh.service\nenable a-b.service\ndisable *\n";
    *n = strlen(text);
    return rh_arena_strdup(l->arena, text);
}

#define rh_capture_names fake_names
#define rh_capture_read fake_read
#include "../../core/capture/preset.c"
#undef rh_capture_names
#undef rh_capture_read

static void
files_count_in_the_order_of_their_names(void **state)
{
    static const char *const expected[] = {
        "/usr/lib/systemd/system-preset/10-a.preset", "/etc/systemd/system-preset/20-b.preset",
        "/usr/lib/systemd/system-preset/40-c.preset", "/etc/systemd/system-preset/50-d.preset",
        "/usr/lib/systemd/system-preset/70-e.preset", "/run/systemd/system-preset/90-f.preset",
    };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct looking l = { .arena = a };

    (void)state;
    n_read = 0;
    (void)rh_preset_read(&l);
    assert_int_equal(n_read, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < n_read; i++)
        assert_string_equal(read_files[i], expected[i]);
}

static void
the_first_rule_that_fits_decides(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct looking l = { .arena = a };
    const struct rh_presets *p;

    (void)state;
    n_read = 0;
    p = rh_preset_read(&l);
    assert_true(rh_preset_enables(p, "ssh.service"));
    assert_false(rh_preset_enables(p, "a-b.service"));
    assert_false(rh_preset_enables(p, "other.service"));
    assert_false(rh_preset_enables(p, "y.service"));
}

static void
a_rule_may_name_instances(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct looking l = { .arena = a };
    const struct rh_presets *p;

    (void)state;
    n_read = 0;
    p = rh_preset_read(&l);
    assert_false(rh_preset_enables(p, "getty@tty1.service"));
    assert_false(rh_preset_enables(p, "getty@tty2.service"));
    assert_true(rh_preset_enables(p, "getty@tty3.service"));
    assert_false(rh_preset_enables(p, "getty@tty.service")); /* by the last rule of all */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_count_in_the_order_of_their_names),
        cmocka_unit_test(the_first_rule_that_fits_decides),
        cmocka_unit_test(a_rule_may_name_instances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
