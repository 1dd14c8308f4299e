/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/call.hpp - the call that a callback is in, and the changes to make, in C++17 and later. Part of
 * <rhost/provider.hpp>, which includes it. */
#ifndef RHOST_CALL_HPP
#define RHOST_CALL_HPP

#include <rhost/keep.h>
#include <rhost/value.hpp>

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rhost {

/* How a property compares. */
enum class compare : int32_t {
    in_sync = 0,
    differs = RHOST_DIFFERS,
    by_default = RHOST_DEFAULT_COMPARISON, /* as if there were no insync() */
};

/* One resource to bring from `is` to `should`. */
class change {
public:
    explicit change(const rhost_change *c) noexcept : c_(c) {}

    const rhost_change *
    raw() const noexcept
    {
        return c_;
    }

    const char *
    title() const noexcept
    {
        return c_->title;
    }

    value
    name() const noexcept
    {
        return c_->name;
    }

    value
    is() const noexcept
    {
        return c_->is;
    }

    value
    should() const noexcept
    {
        return c_->should;
    }

    /* What an attribute is to be once this is done: what is wanted, or else what is there. */
    value
    operator[](const char *attribute) const noexcept
    {
        return rhost_value_of(c_, attribute);
    }

    bool
    gone() const noexcept
    {
        return rhost_gone(c_) != 0;
    }

private:
    const rhost_change *c_;
};

/* The call that a callback is in. */
class context {
public:
    explicit context(rhost_ctx *ctx) noexcept : ctx_(ctx) {}

    rhost_ctx *
    raw() const noexcept
    {
        return ctx_;
    }

    bool
    noop() const noexcept
    {
        return rhost_noop(ctx_) != 0;
    }

    bool
    wants(const char *attribute) const noexcept
    {
        return rhost_wants(ctx_, attribute) != 0;
    }

    void
    log(rhost_level level, const std::string &message) const
    {
        ctx_->host->log(ctx_, level, nullptr, 0, message.c_str());
    }

    builder
    hash() const
    {
        return builder(ctx_->host->new_hash(ctx_));
    }

    /* Before work that is silent for so long. */
    void
    busy(double seconds, const std::string &text) const
    {
        rhost_busy(ctx_, seconds, "%s", text.c_str());
    }

    /* So much of it is done; total 0: of how much is not known. */
    void
    progress(uint64_t done, uint64_t total = 0, const char *unit = nullptr, const char *title = nullptr) const
    {
        rhost_progress(ctx_, title, done, total, unit);
    }

    /* Whether the run is to end: finish what can't be left, and return. */
    bool
    stopping() const noexcept
    {
        return rhost_stopping(ctx_) != 0;
    }

    /* Seconds that the host still waits for a sign of life. */
    double
    deadline() const noexcept
    {
        return rhost_deadline(ctx_);
    }

    /* get(): what is wanted of the i-th name, or only the name. */
    [[nodiscard]] value
    asked(std::size_t i) const noexcept
    {
        return value(rhost_asked(ctx_, i));
    }

    /* get(): the resource of this name fails, and get() goes on. */
    void
    fail_name(const value &name, const std::string &message) const noexcept
    {
        (void)rhost_fail_name(ctx_, name.raw(), "%s", message.c_str());
    }

    /* get(): one resource that there is. */
    void
    emit(value resource) const
    {
        if (ctx_->host->emit(ctx_, resource.raw()) < 0)
            throw failure("the host did not take what was emitted");
    }

    /* converge(): whether any of its properties differs, and is to be changed now. */
    bool
    changed(const change &c) const noexcept
    {
        return rhost_changed_any(ctx_, c.raw()) > 0;
    }

    bool
    changed(const change &c, const char *attribute) const noexcept
    {
        return ctx_->host->changed(ctx_, c.raw(), &attribute, 1) > 0;
    }

    /* set(), without a block: it was created, updated, deleted or processed. */
    void
    did(rhost_doing doing, const change &c, const char *message = nullptr) const
    {
        const bool both = doing == RHOST_PROCESSING; /* whose differences are reported */
        const char *title = c.title();

        taken(ctx_->host->did(ctx_, doing, &title, 1, both ? c.raw()->is : nullptr,
                              both ? c.raw()->should : nullptr, message));
    }

    /* set(), without a block: it failed, and no other did. */
    void
    failed(const change &c, const std::string &message, const char *attribute = nullptr) const
    {
        const char *title = c.title();

        (void)fail(message, 0, attribute);
        taken(ctx_->host->did(ctx_, RHOST_FAILING, &title, 1, nullptr, nullptr, nullptr));
    }

    void
    unchanged(const change &c, const char *message = nullptr) const
    {
        taken(ctx_->host->unchanged(ctx_, c.title(), message));
    }

    /* One attribute was changed. Must come before the action of that resource is reported. */
    void
    attribute_changed(const change &c, const char *attribute, const char *message = nullptr) const
    {
        taken(ctx_->host->attribute_changed(ctx_, c.title(), attribute, c.is()[attribute].raw(),
                                            c.should()[attribute].raw(), message));
    }

    /* insync(): it differs, and this is why, in the provider's own words. */
    [[nodiscard]] compare
    differs(const std::string &why) const noexcept
    {
        (void)ctx_->host->explain(ctx_, why.c_str());
        return compare::differs;
    }

    /* What all providers of the plugin in this process share under a name, such as a connection; see
     * rhost_keep_shared(). The first that asks makes it, with make(), which returns a std::unique_ptr<T>. */
    template <class T, class Make>
    T &
    shared(const char *name, Make &&make) const
    {
        void **word = rhost_keep_shared(ctx_, name, [](void *kept) { delete static_cast<T *>(kept); });

        if (!word)
            throw failure("this host keeps nothing for all types of a plugin");
        if (!*word)
            *word = std::unique_ptr<T>(std::forward<Make>(make)()).release();
        return *static_cast<T *>(*word);
    }

    /* Says why, without throwing; what is thrown ends here. */
    int32_t
    fail(const std::string &message, int number = 0, const char *attribute = nullptr) const noexcept
    {
        return ctx_->host->fail(ctx_, number, attribute, message.c_str());
    }

    /* Runs it, and turns what it throws into fail(); 0 or -1. */
    template <class F>
    int32_t
    guard(F &&f) const noexcept
    {
        try {
            return std::forward<F>(f)();
        } catch (const said_failure &) {
            return -1;
        } catch (const system_failure &e) {
            return ctx_->host->fail(ctx_, e.number(), nullptr, e.what());
        } catch (const failure &e) {
            return ctx_->host->fail(ctx_, 0, e.attribute().empty() ? nullptr : e.attribute().c_str(),
                                    e.what());
        } catch (const std::exception &e) {
            return ctx_->host->fail(ctx_, 0, nullptr, e.what());
        } catch (...) {
            return ctx_->host->fail(ctx_, 0, nullptr, "an exception that is no std::exception");
        }
    }

private:
    static void
    taken(int32_t status)
    {
        if (status < 0)
            throw failure("the host did not take what was reported");
    }

    rhost_ctx *ctx_;
};

/* A block around work on one resource, in set(). It ends with the variable; work within run() may
 * throw, which fails this resource and no other. */
class scope {
public:
    scope(context ctx, rhost_doing doing, const char *title)
        : ctx_(ctx), scope_(rhost_begin(ctx.raw(), doing, title))
    {
    }

    scope(context ctx, const change &c)
        : scope(ctx, c.gone() ? RHOST_DELETING : c.is() ? RHOST_UPDATING : RHOST_CREATING, c.title())
    {
    }

    ~scope() { rhost_end(ctx_.raw(), scope_); }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    template <class F>
    bool
    run(F &&f) const noexcept
    {
        return ctx_.guard([&] {
            std::forward<F>(f)();
            return 0;
        }) == 0;
    }

private:
    context ctx_;
    uint64_t scope_;
};

/* The changes of a set(): for (rhost::change c : changes). */
class changes {
public:
    class iterator {
    public:
        explicit iterator(const rhost_change *const *at) noexcept : at_(at) {}
        change operator*() const noexcept { return change(*at_); }
        iterator &operator++() noexcept { at_++; return *this; }
        bool operator!=(const iterator &other) const noexcept { return at_ != other.at_; }

    private:
        const rhost_change *const *at_;
    };

    changes(const rhost_change *const *list, size_t n) noexcept : list_(list), n_(n) {}
    size_t size() const noexcept { return n_; }
    iterator begin() const noexcept { return iterator(list_); }
    iterator end() const noexcept { return iterator(list_ + n_); }

private:
    const rhost_change *const *list_;
    size_t n_;
};

} // namespace rhost

#endif
