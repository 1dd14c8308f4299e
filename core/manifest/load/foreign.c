/* SPDX-License-Identifier: Apache-2.0 */
/* foreign - words of other programs' manifests, and what they are here. */
#include "config.h"

#include "manifest/load/known-key.h"

#include "base/alloc.h"
#include "schema/type.h"

#include <string.h>

/* A name that ends in '_' stands for all that begin so. With `attribute` the hint is for types that
 * have such an attribute. */
struct word {
    const char *name, *attribute, *hint;
};

static const struct word keys[] = {
    { "become", NULL, "rhost applies everything as the user who starts it: remove the key" },
    { "defaults", NULL,
      "write it at the top of the manifest, in a group beside 'resources', or beside 'include'" },
    { "delegate_to", NULL, "rhost manages the machine that it runs on: remove the key" },
    { "depends_on", NULL, "did you mean 'require'?" },
    { "dest", NULL, "write the name as the title: - file: /etc/motd" },
    { "loop", NULL, "did you mean 'for_each'?" },
    { "onlyif", NULL, "did you mean 'only_if'?" },
    { "name", NULL, "write the name as the title: - file: /etc/motd" },
    { "register", NULL,
      "use 'notify' or 'subscribe' to act on changes; current(TYPE, TITLE) reads the current state" },
    { "source", "purge_limit", "a directory with what is in it is a 'tree': - tree: /srv/www" },
    { "src", "source", "did you mean 'source'?" },
    { "state", "ensure", "did you mean 'ensure'?" },
    { "unless", NULL, "did you mean 'not_if'?" },
    { "vars", NULL, "write 'variables' below 'template', and 'attributes' at the top of the file" },
    { "with_", NULL, "did you mean 'for_each'?" },
};

static const struct word tops[] = {
    { "handlers", NULL,
      "write handlers as entries of 'resources' with 'action: nothing' that others notify" },
    { "hosts", NULL, "a manifest applies to the machine that rhost runs on: remove the key" },
    { "tasks", NULL, "did you mean 'resources'?" },
    { "vars", NULL,
      "write values at a level of 'attributes', for example attributes: {default: {x: 1}}, and read them "
      "with ${node.x}" },
};

/* Types of other programs. `here` is what to write instead. */
static const struct foreign_type {
    const char *name, *program, *here;
} types[] = {
    { "apt", "Ansible", "'package' here: - package: nginx" },
    { "apt_key", "Ansible", "the attribute 'key' of 'apt_repository' here" },
    { "apt_package", "Chef", "'package' here: - package: nginx" },
    { "authorized_key", "Ansible", "'ssh_authorized_key' here" },
    { "bash", "Chef", "'exec' here; a pipeline needs command: [/bin/sh, -c, TEXT]" },
    { "blockinfile", "Ansible", "'text_block' here: - text_block: /etc/hosts" },
    { "cmd", "Salt", "'exec' here" },
    { "command", "Ansible", "'exec' here, with 'command'" },
    { "concat", "Puppet", "'file' here, with 'content' or 'template'" },
    { "cookbook_file", "Chef", "'file' here, with 'source'" },
    { "copy", "Ansible", "'file' here, with 'content' or 'source': - file: /etc/motd" },
    { "cron_d", "Chef", "'cron' here" },
    { "debug", "Ansible", "'log' here" },
    { "dnf", "Ansible", "'package' here: - package: nginx" },
    { "dnf_package", "Chef", "'package' here: - package: nginx" },
    { "docker_container", "Ansible", "'container' here, with 'socket'" },
    { "docker_image", "Ansible", "'container_image' here, with 'socket'" },
    { "docker_network", "Ansible", "'container_network' here, with 'socket'" },
    { "docker_volume", "Ansible", "'container_volume' here, with 'socket'" },
    { "execute", "Chef", "'exec' here, with 'command'" },
    { "file_line", "Puppet", "'line' here: - line: \"/etc/hosts: TEXT\"" },
    { "get_url", "Ansible", "'remote_file' here: - remote_file: /srv/file" },
    { "import_tasks", "Ansible", "'include' here: - include: other.yaml" },
    { "include_recipe", "Chef", "'include' here: - include: other.yaml" },
    { "include_tasks", "Ansible", "'include' here: - include: other.yaml" },
    { "ini_file", "Ansible", "'ini_setting' here" },
    { "lineinfile", "Ansible", "'line' here: - line: \"/etc/hosts: TEXT\"" },
    { "mysql_db", "Ansible", "'mysql_database' here" },
    { "openssl_csr", "Ansible", "'x509_request' here" },
    { "openssl_privatekey", "Ansible", "'x509_key' here" },
    { "pacman", "Ansible", "'package' here: - package: nginx" },
    { "pacman_package", "Chef", "'package' here: - package: nginx" },
    { "pkg", "Salt", "'package' here: - package: nginx" },
    { "pkgrepo", "Salt", "'apt_repository' here" },
    { "podman_container", "Ansible", "'container' here" },
    { "podman_image", "Ansible", "'container_image' here" },
    { "podman_network", "Ansible", "'container_network' here" },
    { "podman_volume", "Ansible", "'container_volume' here" },
    { "postgresql_db", "Ansible", "'postgresql_database' here" },
    { "postgresql_ext", "Ansible", "'postgresql_extension' here" },
    { "postgresql_privs", "Ansible", "'postgresql_grant' here" },
    { "postgresql_user", "Ansible", "'postgresql_role' here" },
    { "remote_directory", "Chef", "'tree' here, with 'source': - tree: /srv/www" },
    { "set_fact", "Ansible", "written under 'attributes' here, and read with ${node.NAME}" },
    { "shell", "Ansible", "'exec' here; a pipeline needs command: [/bin/sh, -c, TEXT]" },
    { "ssh_auth", "Salt", "'ssh_authorized_key' here" },
    { "synchronize", "Ansible", "'tree' here, with 'source': - tree: /srv/www" },
    { "systemd", "Ansible", "'service' here: - service: nginx" },
    { "systemd_service", "Ansible", "'service' here: - service: nginx" },
    { "template", "Ansible", "'file' here, with the key 'template': - file: /etc/motd" },
    { "unarchive", "Ansible", "'archive' here, a directory of its own: - archive: /opt/app" },
    { "uri", "Ansible", "'http_request' here, with 'url'" },
    { "yum", "Ansible", "'package' here: - package: nginx" },
    { "yum_package", "Chef", "'package' here: - package: nginx" },
    { "zypper", "Ansible", "'package' here: - package: nginx" },
    { "zypper_package", "Chef", "'package' here: - package: nginx" },
};

char *
rh_foreign_type(const char *type)
{
    static const char *const prefixes[] = { "ansible.builtin.",  "ansible.posix.",     "ansible.legacy.",
                                            "community.docker.", "containers.podman.", NULL };
    const char *name = type;
    size_t n;

    for (size_t i = 0; prefixes[i]; i++)
        if (strncmp(type, prefixes[i], strlen(prefixes[i])) == 0)
            name = type + strlen(prefixes[i]);
    n = name == type ? strcspn(name, ".") : strlen(name); /* Salt's functions: pkg.installed */
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct foreign_type *t = &types[i];

        if (strlen(t->name) == n && memcmp(t->name, name, n) == 0
            && (!name[n] || strcmp(t->program, "Salt") == 0))
            return rh_printf("%s's '%s' is %s", t->program, type, t->here);
    }
    if (name != type)
        return rh_printf("Ansible's '%s' is '%s' here", type, name);
    return NULL;
}

static const char *
find(const struct word *words, size_t n_words, const struct rh_type *type, const char *key)
{
    for (size_t i = 0; i < n_words; i++) {
        const struct word *w = &words[i];
        size_t n = strlen(w->name);

        if (strncmp(key, w->name, n) != 0 || (key[n] && w->name[n - 1] != '_'))
            continue;
        if (!w->attribute || (type && rh_type_attr(type, w->attribute)))
            return w->hint;
    }
    return NULL;
}

const char *
rh_foreign_key(const struct rh_type *type, const char *key)
{
    return find(keys, sizeof keys / sizeof keys[0], type, key);
}

const char *
rh_foreign_top(const char *key)
{
    return find(tops, sizeof tops / sizeof tops[0], NULL, key);
}
