/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/private.hpp - <rhost/private.h> in C++17 and later: small texts that the host keeps for a resource, from one
 * run to the next. Part of <rhost/provider.hpp>, which includes it. */
#ifndef RHOST_PRIVATE_HPP
#define RHOST_PRIVATE_HPP

#include <rhost/call.hpp>
#include <rhost/private.h>

namespace rhost {

/* What is kept for the resource with these namevars. */
class private_state {
public:
    private_state(context ctx, value name) noexcept : ctx_(ctx), name_(name) {}
    private_state(context ctx, const change &c) noexcept : private_state(ctx, c.name()) {}

    /* The text under a key, until the callback returns. */
    std::optional<std::string_view>
    get(const char *key) const noexcept
    {
        const char *text = rhost_private_get(ctx_.raw(), name_.raw(), key);

        return text ? std::optional<std::string_view>(text) : std::nullopt;
    }

    /* Keeps a text, which is on disk when this returns. In callbacks that write; under noop nothing is kept. A text
     * with a secret of the run in it is refused, and so is one with a NUL: keep its digest. */
    void
    put(const char *key, const std::string &text) const
    {
        if (text.find('\0') != std::string::npos)
            throw failure("the text to keep has a NUL in it");
        if (rhost_private_put(ctx_.raw(), name_.raw(), key, text.c_str()) < 0)
            throw said_failure("the host refused the text to keep");
    }

    /* Keeps nothing under this key any longer. */
    void
    remove(const char *key) const
    {
        if (rhost_private_put(ctx_.raw(), name_.raw(), key, nullptr) < 0)
            throw said_failure("the host refused to remove what it keeps");
    }

    /* 64 hexadecimal digits, with a key of this state directory. */
    std::string_view
    digest(const char *key, value v) const
    {
        const rhost_private *ext = rhost_private_extension(ctx_.raw());
        const char *sum = ext ? ext->digest(ctx_.raw(), name_.raw(), key, v.raw()) : nullptr;

        if (!ext)
            throw failure("this host keeps nothing for resources");
        if (!sum)
            throw said_failure("the host made no digest");
        return sum;
    }

private:
    context ctx_;
    value name_;
};

/* insync() of an attribute that can be written and not read: is what is wanted what was written last? */
inline compare
private_insync(context ctx, const change &c, std::string_view attribute)
{
    int32_t answer = rhost_private_insync(ctx.raw(), c.raw(), std::string(attribute).c_str());

    if (answer < 0)
        throw said_failure("the host made no digest");
    return answer == 0 ? compare::in_sync : compare::differs;
}

/* Notes what was written, for private_insync(). Does nothing where the attribute is not wanted. */
inline void
private_written(context ctx, const change &c, std::string_view attribute)
{
    if (rhost_private_written(ctx.raw(), c.raw(), std::string(attribute).c_str()) < 0)
        throw said_failure("the host refused the digest to keep");
}

} // namespace rhost

#endif
