/* SPDX-License-Identifier: Apache-2.0 */
/* attrs - what a package is to a manifest, whichever provider serves it.
 *
 * All providers have one table, so that a manifest says the same everywhere; what one of them can't
 * do, it refuses by name when it is wanted. */
#ifndef PACKAGE_ATTRS_H
#define PACKAGE_ATTRS_H

#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "Its name; name:arch (with rpm: name.arch) for one of another architecture." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether it should be installed; which version is said by 'version', also the "
              "newest, and 'held' keeps it." },
    { .name = "version",
      .type = "Optional[String[1]]",
      .desc = "The version to have: exactly this one, one that a pattern like 1.2.* fits, or "
              "latest." },
    { .name = "held",
      .type = "Optional[Boolean]",
      .desc = "Whether the package manager is to leave it at its version." },
    { .name = "mark",
      .type = "Enum[manual, auto]",
      .default_value = "\"manual\"",
      .desc = "Whether apt takes it for installed by somebody, or for what others need; with auto, "
              "autoremove may "
              "remove it." },
    { .name = "state",
      .type = "Enum[installed, half-installed, unpacked, half-configured, triggers-awaited, "
              "triggers-pending]",
      .default_value = "\"installed\"",
      .desc = "How far its installation got; anything but installed is repaired." },
    { .name = "source",
      .type = "Optional[Pattern[/\\A\\//]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A package file to install it from, instead of the package lists." },
    { .name = "purge",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "With ensure: absent, whether its configuration files go as well." },
    { .name = "install_recommends",
      .type = "Optional[Boolean]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Whether what it recommends is installed with it; else as the machine is set up." },
    { .name = "allow_downgrade",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether an older version may replace a newer one." },
    { .name = "config_files",
      .type = "Enum[keep, replace]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"keep\"",
      .desc = "What happens to configuration files that were edited and come in a new version." },
    { .name = "default_release",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The release that versions are taken from first, like bookworm-backports." },
    { .name = "options",
      .type = "Optional[Array[String[1]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Further options for the package manager, word for word." },
    { .name = "refresh",
      .type = "Optional[Variant[Boolean, Integer[0]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Bring the package lists up to date first, once in a run: always (true), or when "
              "they are older than so many seconds." },
    { .name = "lock_timeout",
      .type = "Integer[0, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds to wait while somebody else uses the package manager." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "3600",
      .desc = "Seconds after which the package manager is ended." },
};

static const char *const relations[] = { "autorequire file[$source]", NULL };

#endif
