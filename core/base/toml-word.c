/* SPDX-License-Identifier: Apache-2.0 */
/* toml-word - the values of TOML that stand without quotes. A message has none of them: it may be a secret.
 */
#include "config.h"

#include "base/toml-parts.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 }; /* characters of a number */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes `n` digits as a number between two bounds; -1: they are not. */
static int
take_field(const char **at, size_t n, int least, int most)
{
    int number = 0;

    for (size_t i = 0; i < n; i++, (*at)++) {
        if (!is_digit(**at))
            return -1;
        number = number * 10 + (**at - '0');
    }
    return number >= least && number <= most ? number : -1;
}

/* The same behind a character. */
static int
take_next(const char **at, char before, int least, int most)
{
    if (**at != before)
        return -1;
    ++*at;
    return take_field(at, 2, least, most);
}

static bool
take_date(const char **at)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year = take_field(at, 4, 0, 9999);
    int month = year < 0 ? -1 : take_next(at, '-', 1, 12);
    int day = month < 0 ? -1 : take_next(at, '-', 1, 31);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return day > 0 && day <= days[month - 1] + (month == 2 && leap);
}

/* With seconds up to 60, as RFC 3339 has it for leap seconds. */
static bool
take_time(const char **at)
{
    if (take_field(at, 2, 0, 23) < 0 || take_next(at, ':', 0, 59) < 0 || take_next(at, ':', 0, 60) < 0)
        return false;
    if (**at != '.')
        return true;
    if (!is_digit(*++*at))
        return false;
    while (is_digit(**at))
        ++*at;
    return true;
}

static bool
take_offset(const char **at)
{
    if (**at == 'Z' || **at == 'z') {
        ++*at;
        return true;
    }
    if (**at != '+' && **at != '-')
        return true; /* a local time */
    ++*at;
    return take_field(at, 2, 0, 23) >= 0 && take_next(at, ':', 0, 59) >= 0;
}

/* All of the word: a date, a time, or both. */
static bool
is_date(const char *s)
{
    if (is_digit(s[0]) && is_digit(s[1]) && s[2] == ':')
        return take_time(&s) && !*s;
    if (!take_date(&s))
        return false;
    if (*s != 'T' && *s != 't' && *s != ' ')
        return !*s;
    s++;
    return take_time(&s) && take_offset(&s) && !*s;
}

static bool
looks_like_date(const char *s)
{
    size_t digits = strspn(s, "0123456789");

    return (digits == 4 && s[4] == '-') || (digits == 2 && s[2] == ':');
}

/* Digits of a base, with a '_' only between two of them; how many characters, 0: there are none. */
static size_t
count_digits(const char *s, const char *digits)
{
    size_t n = 0;

    while (s[n] && strchr(digits, s[n]))
        n += s[n + 1] == '_' && s[n + 2] && strchr(digits, s[n + 2]) ? 2 : 1;
    return n;
}

static bool
is_float(const char *s)
{
    const char *decimal = "0123456789";
    size_t n;

    s += *s == '+' || *s == '-';
    n = count_digits(s, decimal);
    if (!n || (*s == '0' && n > 1))
        return false;
    s += n;
    if (*s == '.') {
        n = count_digits(++s, decimal);
        if (!n)
            return false;
        s += n;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        n = count_digits(s, decimal);
        if (!n)
            return false;
        s += n;
    }
    return !*s;
}

/* The base of an integer, 0: it is none. */
static int
base_of(const char *s)
{
    static const struct {
        char letter;
        int base;
        const char *digits;
    } bases[] = {
        { 'x', 16, "0123456789abcdefABCDEF" },
        { 'o', 8, "01234567" },
        { 'b', 2, "01" },
    };
    size_t n;

    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (s[0] == '0' && s[1] == bases[i].letter) {
            n = count_digits(s + 2, bases[i].digits);
            return n && !s[2 + n] ? bases[i].base : 0;
        }
    s += *s == '+' || *s == '-';
    n = count_digits(s, "0123456789");
    return n && !s[n] && (*s != '0' || n == 1) ? 10 : 0;
}

static struct rh_value *
read_number(struct rh_toml_text *t, const char *word)
{
    int base = base_of(word);
    char plain[LONGEST + 1];
    size_t n = 0;

    for (const char *s = word + (base && base != 10 ? 2 : 0); *s; s++)
        if (*s != '_')
            plain[n++] = *s;
    plain[n] = '\0';
    if (base) {
        long long number;

        errno = 0;
        number = strtoll(plain, NULL, base);
        if (errno == 0)
            return rh_value_integer(t->arena, number);
        rh_error_set(t->err, RH_EINPUT, "the number is too large");
        return NULL;
    }
    if (is_float(word)) {
        double number = strtod(plain, NULL);

        if (isfinite(number))
            return rh_value_float(t->arena, number);
        rh_error_set(t->err, RH_EINPUT, "the number is too large");
        return NULL;
    }
    rh_error_set(t->err, RH_EINPUT, "this is not a value: text needs quotes");
    return NULL;
}

static bool
is_word_character(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("+-_.:", c));
}

struct rh_value *
rh_toml_read_word(struct rh_toml_text *t)
{
    const char *from = t->at;
    char word[LONGEST + 1];
    size_t n = 0;

    while (t->at + n < t->end && is_word_character(t->at[n]))
        n++;
    /* A blank may stand between a date and a time. */
    if (n == 10 && from[4] == '-' && t->end - from > 13 && from[10] == ' ' && is_digit(from[11])
        && is_digit(from[12]) && from[13] == ':')
        for (n++; from + n < t->end && is_word_character(from[n]);)
            n++;
    if (!n) {
        rh_error_set(t->err, RH_EINPUT, "a value is missing");
        return NULL;
    }
    if (n > LONGEST) {
        rh_error_set(t->err, RH_EINPUT, "a value without quotes has at most %d characters", LONGEST);
        return NULL;
    }
    memcpy(word, from, n);
    word[n] = '\0';
    t->at += n;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return rh_value_boolean(t->arena, *word == 't');
    if (strcmp(word + (*word == '+' || *word == '-'), "inf") == 0
        || strcmp(word + (*word == '+' || *word == '-'), "nan") == 0) {
        rh_error_set(t->err, RH_EINPUT, "infinite and undefined numbers cannot be used");
        return NULL;
    }
    if (!looks_like_date(word))
        return read_number(t, word);
    if (is_date(word))
        return rh_value_stringn(t->arena, word, n);
    rh_error_set(t->err, RH_EINPUT, "this is not a valid date or time");
    return NULL;
}
