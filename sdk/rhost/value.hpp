/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/value.hpp - data of the host, and why something fails, in C++17 and later. Part of <rhost/provider.hpp>,
 * which includes it. */
#ifndef RHOST_VALUE_HPP
#define RHOST_VALUE_HPP

#include <rhost/provider.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace rhost {

/* Why something fails; with an attribute, the one at fault. */
class failure : public std::runtime_error {
public:
    explicit failure(const std::string &message, const std::string &attribute = {})
        : std::runtime_error(message), attribute_(attribute)
    {
    }

    const std::string &
    attribute() const noexcept
    {
        return attribute_;
    }

private:
    std::string attribute_;
};

/* The same with the system's reason behind it: throw rhost::system_failure("cannot open '" + path + "'"). */
class system_failure : public failure {
public:
    explicit system_failure(const std::string &message, int number = errno)
        : failure(message), number_(number)
    {
    }

    int
    number() const noexcept
    {
        return number_;
    }

private:
    int number_;
};

/* One that a function of the host has said already. */
class said_failure : public failure {
public:
    explicit said_failure(const std::string &what) : failure(what) {}
};

/* A datum of the host, which lives until the callback returns. One that is not there is false, and
 * gives the fallback of each question. */
class value {
public:
    class iterator;

    value(const rhost_value *v = nullptr) noexcept : v_(v) {}

    const rhost_value *
    raw() const noexcept
    {
        return v_;
    }

    explicit
    operator bool() const noexcept
    {
        return kind() != RHOST_UNDEF;
    }

    int32_t
    kind() const noexcept
    {
        return v_ ? v_->host->kind(v_) : static_cast<int32_t>(RHOST_UNDEF);
    }

    bool
    sensitive() const noexcept
    {
        return v_ && v_->host->sensitive(v_) != 0;
    }

    /* Of a hash by key, of an array by index. */
    value
    operator[](const char *key) const noexcept
    {
        return rhost_get(v_, key);
    }

    value
    at(size_t i, const char **key = nullptr) const noexcept
    {
        return rhost_at(v_, i, key);
    }

    size_t
    size() const noexcept
    {
        return rhost_count(v_);
    }

    /* The view ends where the text does, and has a NUL behind it; bytes of a binary are views as well. */
    std::optional<std::string_view>
    text() const noexcept
    {
        size_t len = 0;
        const char *s = v_ ? v_->host->string(v_, &len) : nullptr;

        return s ? std::optional<std::string_view>({ s, len }) : std::nullopt;
    }

    std::string_view
    text_or(std::string_view fallback) const noexcept
    {
        return text().value_or(fallback);
    }

    std::string
    str(std::string_view fallback = {}) const
    {
        return std::string(text_or(fallback));
    }

    int64_t
    integer(int64_t fallback = 0) const noexcept
    {
        return v_ ? v_->host->integer(v_, fallback) : fallback;
    }

    double
    real(double fallback = 0) const noexcept
    {
        return v_ ? v_->host->real(v_, fallback) : fallback;
    }

    bool
    boolean(bool fallback = false) const noexcept
    {
        return v_ ? v_->host->boolean(v_, fallback) != 0 : fallback;
    }

    bool
    operator==(value other) const noexcept
    {
        return v_ == other.v_ || (v_ && other.v_ && v_->host->equal(v_, other.v_) != 0);
    }

    bool
    operator!=(value other) const noexcept
    {
        return !(*this == other);
    }

    inline iterator begin() const noexcept;
    inline iterator end() const noexcept;

private:
    const rhost_value *v_;
};

/* for (auto [key, element] : v); the key is empty in an array. */
class value::iterator {
public:
    struct entry {
        std::string_view key;
        value element;
    };

    iterator(value v, size_t i) noexcept : v_(v), i_(i) {}

    entry
    operator*() const noexcept
    {
        const char *key = nullptr;
        value element = v_.at(i_, &key);

        return { key ? key : std::string_view(), element };
    }

    iterator &
    operator++() noexcept
    {
        i_++;
        return *this;
    }

    bool
    operator!=(const iterator &other) const noexcept
    {
        return i_ != other.i_;
    }

private:
    value v_;
    size_t i_;
};

inline value::iterator
value::begin() const noexcept
{
    return { *this, 0 };
}

inline value::iterator
value::end() const noexcept
{
    return { *this, size() };
}

/* A hash or an array that is being built. put() is of a hash, add() of an array. */
class builder {
public:
    explicit builder(rhost_value *v) noexcept : v_(v) {}

    rhost_value *
    raw() const noexcept
    {
        return v_;
    }

    operator value() const noexcept
    {
        return v_;
    }

    template <class T>
    builder &
    put(const char *key, const T &what)
    {
        put_any(key, what);
        return *this;
    }

    template <class T>
    builder &
    add(const T &what)
    {
        put_any(nullptr, what);
        return *this;
    }

    builder
    hash(const char *key = nullptr)
    {
        return builder(v_->host->put_hash(v_, key));
    }

    builder
    array(const char *key = nullptr)
    {
        return builder(v_->host->put_array(v_, key));
    }

    /* What stands there now must not be shown. */
    void
    mark_sensitive(const char *key) noexcept
    {
        v_->host->mark_sensitive(v_, key);
    }

private:
    template <class T>
    void
    put_any(const char *key, const T &what)
    {
        if constexpr (std::is_same_v<T, bool>)
            v_->host->put_boolean(v_, key, what);
        else if constexpr (std::is_same_v<T, std::nullptr_t>)
            v_->host->put_undef(v_, key);
        else if constexpr (std::is_same_v<T, value> || std::is_same_v<T, builder>)
            rhost_put_copy(v_, key, what.raw());
        else if constexpr (std::is_integral_v<T>)
            v_->host->put_integer(v_, key, static_cast<int64_t>(what));
        else if constexpr (std::is_floating_point_v<T>)
            v_->host->put_real(v_, key, static_cast<double>(what));
        else
            put_text(key, what);
    }

    void
    put_text(const char *key, std::string_view text)
    {
        v_->host->put_string(v_, key, text.data() ? text.data() : "", text.size());
    }

    rhost_value *v_;
};

} // namespace rhost

#endif
