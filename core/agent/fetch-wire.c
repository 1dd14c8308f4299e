/* SPDX-License-Identifier: Apache-2.0 */
/* fetch-wire - what the agent and rhost-fetch say to each other. It needs nothing but the C library. */
#include "config.h"

#include "agent/fetch-wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SMALL = 400 };

static bool
send_bytes(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool
rh_fetch_send(int fd, enum rh_fetch_part type, const void *p, size_t n)
{
    char head[RH_FETCH_HEAD] = { (char)type, 0, (char)(n >> 16), (char)(n >> 8), (char)n };

    if (n > RH_FETCH_PIECE) {
        errno = EMSGSIZE;
        return false;
    }
    /* A small one comes at once: who only waits for it need not wait for its rest. */
    if (n <= SMALL) {
        char piece[RH_FETCH_HEAD + SMALL];
        bool sent;

        memcpy(piece, head, sizeof head);
        memcpy(piece + sizeof head, p, n);
        sent = send_bytes(fd, piece, sizeof head + n);
        explicit_bzero(piece, sizeof piece); /* it may be a part of a key */
        return sent;
    }
    return send_bytes(fd, head, sizeof head) && send_bytes(fd, p, n);
}

bool
rh_fetch_send_all(int fd, enum rh_fetch_part type, const void *p, size_t n)
{
    const char *at = p;

    while (n) {
        size_t piece = n < RH_FETCH_PIECE ? n : RH_FETCH_PIECE;

        if (!rh_fetch_send(fd, type, at, piece))
            return false;
        at += piece;
        n -= piece;
    }
    return true;
}

bool
rh_fetch_read_head(const unsigned char head[RH_FETCH_HEAD], char *type, size_t *n)
{
    *type = (char)head[0];
    *n = (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    return head[1] == 0 && *n <= RH_FETCH_PIECE;
}
