/* SPDX-License-Identifier: Apache-2.0 */
/* hosts - a file in the format of hosts(5), read into lines, edited, and written as it was but for
 * what was edited.
 *
 * A name may stand first on a line, which is then its own, or be one of the others on a line that
 * belongs to another name. Lower case throughout: host names have none. */
#ifndef HOST_HOSTS_H
#define HOST_HOSTS_H

#include <arpa/inet.h>
#include <stddef.h>
#include <sys/stat.h>

struct hosts_line {
    const char *text; /* as it is in the file, without its newline */
    size_t len;
    char ip[INET6_ADDRSTRLEN]; /* canonical; "": a comment, blank, or not understood */
    const char **names;        /* lower case; "" was taken out */
    size_t n_names;
    const char *comment; /* behind '#', trimmed; "" for none */
    const char **more;   /* names that are added to those of the text */
    size_t n_more;
    const char *new_comment; /* NULL: as it is */
    int gone, changed;
};

struct hosts {
    char *path;
    struct stat stat; /* of the file that was read; all zero when there was none */
    char *text, *words;
    const char **names;
    struct hosts_line *lines; /* with room for those that are added */
    size_t n_lines;
    struct hosts_ref {
        struct hosts_line *line;
        size_t at; /* which of the line's names */
    } * index;
    size_t n_index; /* a power of two */
};

/* Reads what is open (-1: there is no file, which is an empty one); `path` is what it is called. Heap memory,
 * since it may be kept from call to call; NULL with errno. `more`: lines that may be added. */
struct hosts *hosts_read(const char *path, int fd, size_t more);
void hosts_free(struct hosts *h);

/* Whether the file is still what was read. */
int hosts_is_fresh(const struct hosts *h, const char *path);

/* The line for this name: its own one if there is any, with this address or of its family before
 * others; *at is 0 on its own line. NULL when the name is nowhere. */
struct hosts_line *hosts_find(const struct hosts *h, const char *name, const char *ip, size_t *at);

/* Takes the name out of the file: its own lines, and its mention on those of others. With `ip`
 * only the mentions, and of those only where the address is of the same family. */
void hosts_remove(struct hosts *h, const char *name, const char *ip);

struct hosts_line *hosts_add(struct hosts *h);

/* The file's new text, where of a line only what is asked for differs from the old one; the caller's to free;
 * NULL when memory is out. */
char *hosts_write(const struct hosts *h, size_t *len);

/* An address in its canonical form; 0, or -1 when it is none. */
int hosts_canonical_ip(const char *ip, char *canonical, size_t size);

#endif
