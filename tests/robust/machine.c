/* SPDX-License-Identifier: Apache-2.0 */
/* machine - the parts of a machine that a scenario changes; see the header. */
#include "config.h"

#include "machine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const programs[] = { "apt-cache", "apt-get", "apt-mark", "crontab", "systemd-analyze" };

static void
link_to(const char *top, const char *folder, const char *path)
{
    char target[400];

    snprintf(target, sizeof target, "%s/%s", top, folder);
    if (symlink(target, path) < 0)
        give_up("make", path);
}

static void
cover(const char *what, const char *place)
{
    if (mount(what, place, what ? NULL : "tmpfs", what ? MS_BIND : 0, what ? NULL : "mode=0755") < 0)
        give_up("mount something on", place);
}

/* They lie beside `top`, which is laid out anew again and again. */
static void
make_programs(const char *top, const char *stand_in)
{
    char folder[300], path[400];
    size_t n;
    char *text = read_whole(stand_in, &n);

    snprintf(folder, sizeof folder, "%s.programs", top);
    if (!text || mkdir(folder, 0755) < 0)
        give_up("make", folder);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", folder, programs[i]);
        f = fopen(path, "we");
        if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0 || chmod(path, 0755) < 0)
            give_up("write", path);
    }
    free(text);
    cover(folder, "/usr/local/bin");
    if (access("/usr/bin/systemd-analyze", F_OK) == 0)
        cover(path, "/usr/bin/systemd-analyze"); /* the last of them */
}

void
machine_open(const char *top, const char *stand_in)
{
    static int covered;

    if (!covered && (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0))
        give_up("get mounts apart for", top);
    covered = 1;
    make_programs(top, stand_in);
    cover(NULL, "/var/lib");
    cover(NULL, "/var/spool");
    cover(NULL, "/var/cache");
    link_to(top, "files/dpkg", "/var/lib/dpkg");
    link_to(top, "files/apt-state", "/var/lib/apt");
    link_to(top, "effects", "/var/lib/scratch");
    link_to(top, "files/cron", "/var/spool/cron");
}

void
machine_close(const char *top)
{
    static const char *const places[] = { "/usr/local/bin", "/usr/bin/systemd-analyze", "/var/lib",
                                          "/var/spool", "/var/cache" };
    char folder[300];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        (void)umount2(places[i], MNT_DETACH);
    snprintf(folder, sizeof folder, "%s.programs", top);
    tree_remove(folder);
    (void)rmdir(folder);
}

static void
make(const char *top, const char *name, const char *text)
{
    char path[400];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", top, name);
    if (!text) {
        if (mkdir(path, 0755) < 0)
            give_up("make", path);
        return;
    }
    f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        give_up("write", path);
}

void
machine_lay_out(const char *top)
{
    static const char *const folders[] = { "files/dpkg",         "files/dpkg/updates",
                                           "files/apt-state",    "files/apt-state/lists",
                                           "files/cron",         "files/cron/crontabs",
                                           "files/units",        "files/apt",
                                           "files/apt/keyrings", "files/apt/sources.list.d" };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        make(top, folders[i], NULL);
    make(top, "files/dpkg/status",
         "Package: dpkg\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
         "Package: other\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n");
    make(top, "files/apt-state/extended_states",
         "Package: other\nArchitecture: amd64\nAuto-Installed: 1\n\n");
    make(top, "files/jobs", "MAILTO=root\n1 2 * * * root theirs\n");
    make(top, "files/cron/crontabs/root", "# my own\n1 2 * * * theirs\n");
}

void
machine_write_manifest(FILE *f, const char *top, int version)
{
    fprintf(f, "  - cron: in a file\n    target: %s/files/jobs\n    command: echo %d\n    hour: %d\n", top,
            version, version);
    fprintf(f,
            "  - cron: of a user\n    target: crontab:root\n    command: echo %d\n    hour: %d\n"
            "    notifies: [run, \"exec[e]\", immediately]\n",
            version, version);
    fprintf(f,
            "  - systemd_unit: one.service\n    directory: %s/files/units\n    content: |\n"
            "      [Service]\n      ExecStart=/bin/echo %d\n"
            "    notify: exec[a]\n",
            top, version);
    fprintf(f,
            "  - systemd_unit: one.service.d/10-more.conf\n    directory: %s/files/units\n"
            "    settings: {Service: {Nice: %d}}\n",
            top, version);
    fprintf(f,
            "  - apt_repository: tool\n    root: %s/files/apt\n    uris: https://example.org/%d\n"
            "    suites: [stable]\n    components: [main]\n    key: |\n"
            "      -----BEGIN PGP PUBLIC KEY BLOCK-----\n\n"
            "      mDMEZ0examplekeyonlyxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%d\n"
            "      =abcd\n      -----END PGP PUBLIC KEY BLOCK-----\n"
            "    notifies: [run, \"exec[b]\", delayed]\n",
            top, version, version);
    /* None of them notifies: all are one transaction, from which one that must not be changed would be
     * missing. */
    fprintf(f, "  - package: updated\n    version: '%d'\n", version);
    if (version == 1)
        fprintf(f, "  - package: removed\n    version: '1'\n");
    else
        fprintf(f, "  - package: removed\n    ensure: absent\n");
    if (version == 2)
        fprintf(f, "  - package: added\n    version: '2'\n    mark: auto\n");
}
