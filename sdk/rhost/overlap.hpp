/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/overlap.hpp - <rhost/overlap.h> in C++17 and later: blocks for work that goes on at the same time. Part of
 * <rhost/provider.hpp>, which includes it. */
#ifndef RHOST_OVERLAP_HPP
#define RHOST_OVERLAP_HPP

#include <rhost/call.hpp>
#include <rhost/overlap.h>

namespace rhost {

/* A block for work on one resource in set(), whatever others are open. One that is never ended fails its resource. It
 * can be moved, so that a container can hold those that are under way. */
class block {
public:
    /* Throws when the resource is not of this call. False: the host has no such blocks, so do one after the other, with
     * scope. */
    block(context ctx, rhost_doing doing, const change &c, const char *message = nullptr)
        : ctx_(ctx), ext_(rhost_overlap_extension(ctx.raw()))
    {
        if (!ext_)
            return;
        number_ = ext_->begin(ctx.raw(), doing, c.title(), message);
        if (!number_)
            throw failure(std::string("the host opens no block for '") + c.title() + "'");
    }

    block(context ctx, const change &c)
        : block(ctx, c.gone() ? RHOST_DELETING : c.is() ? RHOST_UPDATING : RHOST_CREATING, c)
    {
    }

    block(block &&other) noexcept
        : ctx_(other.ctx_), ext_(other.ext_), number_(std::exchange(other.number_, 0))
    {
    }

    block &
    operator=(block &&other) noexcept
    {
        ctx_ = other.ctx_;
        ext_ = other.ext_;
        number_ = std::exchange(other.number_, 0);
        return *this;
    }

    block(const block &) = delete;
    block &operator=(const block &) = delete;

    /* Whether it is open. */
    explicit operator bool() const noexcept
    {
        return number_ != 0;
    }

    /* The resource is done. */
    void
    done() noexcept
    {
        end(nullptr);
    }

    /* The resource fails for this reason, and no other does. */
    void
    failed(const std::string &why) noexcept
    {
        end(why.c_str());
    }

    /* Runs the last of the work, and ends the block: the resource fails with what is thrown. */
    template <class F>
    bool
    finish(F &&f)
    {
        try {
            std::forward<F>(f)();
        } catch (const system_failure &e) {
            const std::string why = std::string(e.what()) + ": " + std::generic_category().message(e.number());

            failed(e.number() ? why : e.what());
            return false;
        } catch (const std::exception &e) {
            failed(e.what());
            return false;
        } catch (...) {
            end("an exception that is no std::exception");
            return false;
        }
        done();
        return true;
    }

private:
    void
    end(const char *why) noexcept
    {
        if (const uint64_t number = std::exchange(number_, 0))
            ext_->end(ctx_.raw(), number, why);
    }

    context ctx_;
    const rhost_overlap *ext_;
    uint64_t number_ = 0;
};

} // namespace rhost

#endif
