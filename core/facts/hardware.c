/* SPDX-License-Identifier: Apache-2.0 */
/* hardware - memory, processors, disks, and what the firmware calls the machine. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/map.h"
#include "base/value.h"
#include "facts/probe.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, MOST_MODELS = 16, MOST_PROCESSORS = 1 << 16 };

/* "MemTotal:       16316412 kB" as bytes. */
static int64_t
bytes_of(char *value)
{
    char *unit;
    int64_t n;

    value += strspn(value, " \t");
    unit = value + strspn(value, "0123456789");
    if (strcmp(unit, " kB") != 0)
        return -1;
    *unit = '\0';
    n = rh_probe_integer(value);
    return n < 0 || n > INT64_MAX / 1024 ? -1 : n * 1024;
}

struct rh_value *
rh_fact_memory(const struct rh_probe *l)
{
    static const struct {
        const char *word, *key;
        bool swap;
    } lines[] = {
        { "MemTotal", "total", false }, { "MemAvailable", "available", false }, { "MemFree", "free", false },
        { "SwapTotal", "total", true }, { "SwapFree", "free", true },
    };
    struct rh_value *memory = rh_value_new(l->arena, RH_HASH);
    struct rh_value *swap = rh_value_new(l->arena, RH_HASH);
    char *text = rh_probe_text(l, "/proc/meminfo"), *line;

    while ((line = rh_probe_next(&text))) {
        char *value = rh_probe_value(line, ':');

        for (size_t i = 0; value && i < sizeof lines / sizeof lines[0]; i++)
            if (strcmp(line, lines[i].word) == 0) {
                rh_probe_put_number(l, lines[i].swap ? swap : memory, lines[i].key, bytes_of(value));
                break;
            }
    }
    if (swap->count)
        rh_value_put(memory, "swap", swap);
    return rh_probe_filled(memory);
}

/* How many "0-3,8-11" is; -1 when it is no such list. */
static int64_t
count_range(char *text)
{
    int64_t count = 0;

    while (text && *text) {
        size_t n = strcspn(text, ",");
        char *next = text[n] ? text + n + 1 : text + n, *dash;
        int64_t first, last;

        text[n] = '\0';
        dash = strchr(text, '-');
        if (dash)
            *dash = '\0';
        first = rh_probe_integer(text);
        last = dash ? rh_probe_integer(dash + 1) : first;
        if (first < 0 || last < first || last > MOST_PROCESSORS)
            return -1;
        count += last - first + 1;
        text = next;
    }
    return count ? count : -1;
}

static void
add_once(const struct rh_probe *l, struct rh_value *list, const char *text)
{
    struct rh_value *v = rh_probe_string(l, text);

    for (size_t i = 0; v && i < rh_value_count(list); i++)
        if (rh_value_equal(rh_value_at(list, i), v))
            return;
    if (v && rh_value_count(list) < MOST_MODELS)
        rh_value_append(list, v);
}

struct rh_value *
rh_fact_processors(const struct rh_probe *l)
{
    struct rh_value *processors = rh_value_new(l->arena, RH_HASH), *isa;
    struct rh_value *models = rh_value_new(l->arena, RH_ARRAY);
    char *text = rh_probe_text(l, "/proc/cpuinfo"), *line;
    const char *package = "";
    struct rh_map packages = { 0 }, cores = { 0 };
    int64_t online = count_range(rh_probe_line(l, "/sys/devices/system/cpu/online")), listed = 0;

    while ((line = rh_probe_next(&text))) {
        char *value = rh_probe_value(line, ':');

        if (!value)
            continue;
        if (strcmp(line, "processor") == 0) {
            listed++;
            package = "";
        } else if (strcmp(line, "model name") == 0) {
            add_once(l, models, value);
        } else if (strcmp(line, "physical id") == 0) {
            package = value;
            (void)rh_map_put(&packages, value, value);
        } else if (strcmp(line, "core id") == 0) {
            (void)rh_map_put(&cores, rh_arena_printf(l->arena, "%s:%s", package, value), value);
        }
    }
    rh_probe_put_number(l, processors, "count", online > 0 ? online : listed ? listed : -1);
    if (packages.used)
        rh_probe_put_number(l, processors, "physical", (int64_t)packages.used);
    if (cores.used)
        rh_probe_put_number(l, processors, "cores", (int64_t)cores.used);
    if (rh_value_count(models))
        rh_value_put(processors, "models", models);
    isa = rh_fact_architecture(l);
    if (isa)
        rh_value_put(processors, "isa", isa);
    rh_map_clear(&packages);
    rh_map_clear(&cores);
    return rh_probe_filled(processors);
}

/* Those that a device stands behind: not loops, volumes and memory. */
struct rh_value *
rh_fact_disks(const struct rh_probe *l)
{
    size_t n;
    char **names = rh_probe_names(l, &n, "/sys/block");
    struct rh_value *disks = rh_value_new(l->arena, RH_HASH);

    for (size_t i = 0; i < n; i++) {
        const char *name = names[i];
        struct rh_value *disk = rh_value_new(l->arena, RH_HASH);
        int64_t sectors = rh_probe_number(l, "/sys/block/%s/size", name);
        int64_t rotational = rh_probe_number(l, "/sys/block/%s/queue/rotational", name);
        int64_t removable = rh_probe_number(l, "/sys/block/%s/removable", name);
        int64_t read_only = rh_probe_number(l, "/sys/block/%s/ro", name);

        if (!rh_probe_exists(l, rh_arena_printf(l->arena, "/sys/block/%s/device", name)))
            continue;
        if (sectors >= 0 && sectors < INT64_MAX / SECTOR)
            rh_probe_put_number(l, disk, "size", sectors * SECTOR);
        rh_probe_put(l, disk, "model", rh_probe_line(l, "/sys/block/%s/device/model", name));
        rh_probe_put(l, disk, "vendor", rh_probe_line(l, "/sys/block/%s/device/vendor", name));
        if (rotational >= 0)
            rh_probe_put_boolean(l, disk, "rotational", rotational != 0);
        if (removable >= 0)
            rh_probe_put_boolean(l, disk, "removable", removable != 0);
        if (read_only >= 0)
            rh_probe_put_boolean(l, disk, "read_only", read_only != 0);
        if (rh_probe_string(l, name))
            rh_value_put(disks, name, disk);
    }
    return n ? disks : NULL;
}

struct rh_value *
rh_fact_dmi(const struct rh_probe *l)
{
    static const struct {
        const char *file, *group, *key;
    } files[] = {
        { "bios_vendor", "bios", "vendor" },
        { "bios_version", "bios", "version" },
        { "bios_date", "bios", "date" },
        { "board_vendor", "board", "vendor" },
        { "board_name", "board", "name" },
        { "product_name", "product", "name" },
        { "product_version", "product", "version" },
        { "sys_vendor", "product", "vendor" },
    };
    struct rh_value *dmi = rh_value_new(l->arena, RH_HASH);

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *text = rh_probe_line(l, "/sys/class/dmi/id/%s", files[i].file);
        struct rh_value *group = rh_draft_get(dmi, files[i].group);

        if (!rh_probe_string(l, text))
            continue;
        if (!group) {
            group = rh_value_new(l->arena, RH_HASH);
            rh_value_put(dmi, files[i].group, group);
        }
        rh_probe_put(l, group, files[i].key, text);
    }
    return rh_probe_filled(dmi);
}
