#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# Compiles each header, alone, with this compiler as this language: compiles COMPILER LANGUAGE STANDARD [hpp]
compiles() {
    local compiler=$1 language=$2 standard=$3 ending=${4-h} header options cc1
    requires_command "$compiler"
    mkdir alone
    for header in "$abs_top_srcdir"/sdk/rhost/*."$ending"; do
        echo "#include <rhost/${header##*/}>" >"alone/${header##*/}.c"
    done
    options=(-x "$language" -std="$standard" -pedantic-errors -Wall -Wextra -Werror -I"$abs_top_srcdir/sdk" -fsyntax-only)
    cc1=$("$compiler" '-###' "${options[@]}" alone/abi.h.c 2>&1 | grep '"-cc1"') || {
        "$compiler" "${options[@]}" alone/*.c
        return
    }
    # clang's driver starts a process for each source; the compiler proper takes all of them.
    eval "options=($cc1)"
    [ "${options[-1]}" = alone/abi.h.c ]
    unset 'options[-1]'
    "${options[@]}" alone/*.c
}

@test "each header of C++ stands alone" {
    compiles g++ c++ c++17 hpp
}

@test "each header is C99 for gcc" {
    compiles gcc c c99
}

@test "each header is C11 for gcc" {
    compiles gcc c c11
}

@test "each header is C++11 for gcc" {
    compiles g++ c++ c++11
}

@test "each header is C++20 for gcc" {
    compiles g++ c++ c++20
}

@test "each header is C99 for clang" {
    compiles clang c c99
}

@test "each header is C11 for clang" {
    compiles clang c c11
}

@test "each header is C++11 for clang" {
    compiles clang++ c++ c++11
}

@test "each header is C++20 for clang" {
    compiles clang++ c++ c++20
}

@test "a plugin can be written in C++" {
    requires_command g++
    cat >plugin.cc <<'END'
#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
};

static int32_t
cpp_load(rhost_ctx *, const rhost_value *, const rhost_value *, rhost_value *)
{
    return RHOST_ABSENT;
}

static const rhost_provider cpp_provider = {
    .struct_size = sizeof(rhost_provider),
    RHOST_ATTRS(attrs),
    .type = "cpp",
    .name = "cpp",
    .desc = "Written in another language.",
    .load = cpp_load,
};

RHOST_PLUGIN(cpp, "1.0", &cpp_provider)
END
    g++ -std=c++20 -fPIC -fvisibility=hidden -Wall -Werror -Wno-missing-field-initializers \
        -I"$abs_top_srcdir/sdk" -shared -Wl,-z,defs -o cpp.so plugin.cc
    run rhost types --plugin-dir "$work" --state-dir "$work/state"
    status_is 0
    says "cpp cpp 1.0 Written in another language."
}

@test "all that a plugin is built from may be used under either licence" {
    local file sdk=$abs_top_srcdir/sdk
    for file in "$sdk"/rhost/* "$sdk"/rust/src/* "$sdk"/rust/*/*.rs "$sdk"/rust/Cargo.toml "$sdk"/plugin.map "$sdk"/provider.mk \
        "$sdk"/templates/*.c "$sdk"/templates/*.py "$sdk"/templates/*.bats "$sdk"/templates/*.yaml \
        "$sdk"/templates/meson.build "$sdk"/templates/rules; do
        head -2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 OR MIT' || {
            echo "$file"
            return 1
        }
    done
    [ -f "$sdk/LICENSE-MIT" ]
    grep -q 'either of the Apache License, Version 2.0, or the MIT License' "$sdk/templates/licence"
    grep -q '^License: Apache-2.0 or Expat$' "$sdk/templates/copyright"
    not grep -rn 'SPDX-License-Identifier: Apache-2.0\( \*/\| -->\|\)$' "$sdk/templates" "$sdk/plugin.map" "$sdk/provider.mk"
}
