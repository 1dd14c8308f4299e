#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

golden=$abs_top_srcdir/tests/sdk/abi-1.layout

# What the headers say now, on this machine.
current() {
    [ "$(getconf LONG_BIT)" -eq 64 ] || skip "the golden layout is that of 64-bit machines"
    "$abs_top_builddir/tests/sdk/layout"
}

held() {
    awk -f "$abs_top_srcdir/tests/sdk/held.awk" "$golden" "$1"
}

@test "every member and value of the ABI is where it was" {
    current >now
    run held now
    status_is 0
}

@test "each member of the ABI is known to the layout test" {
    local frozen=() header name
    current >now
    for header in abi bridge catalog exec file ids keep overlap path private program progress; do
        frozen+=("$abs_top_srcdir/sdk/rhost/$header.h")
    done
    for name in $(sed -n 's/^#define \(RHOST_[A-Z_0-9]*\) UINT64_C.*/\1/p' "${frozen[@]}") \
        $(sed -n 's/^#define \(RHOST_[A-Z_0-9]*_ID\) .*/\1/p' "${frozen[@]}") \
        $(sed -n 's/^struct \(rhost_[a-z_]*\) {.*/struct \1,/p' "${frozen[@]}" | tr ' ' '~'); do
        grep -q "^${name/\~/ }" now || {
            echo "tests/sdk/layout.c does not know '${name/\~/ }'"
            return 1
        }
    done
}

@test "docs/authors/abi-rules.md promises the headers that this holds, and sizes.c has each of their structs" {
    local header
    for header in $(sed -n 's/^| `abi.h`, and those of extensions: \(.*\) | the contract.*/abi.h \1/p' "$abs_top_srcdir/docs/authors/abi-rules.md" |
        tr -d '`,'); do
        echo "$header"
        sed -n 's/^struct \(rhost_[a-z_]*\) {.*/\1/p' "$abs_top_srcdir/sdk/rhost/$header" | while read -r struct; do
            case $struct in rhost_ctx | rhost_value) continue ;; esac
            grep -q "^SIZE($struct," "$abs_top_srcdir/tests/sdk/sizes.c" &&
                grep -q "^SHOWN($struct);" "$abs_top_srcdir/tests/sdk/abi-types.c" &&
                grep -q "^struct $struct, " "$golden" || {
                echo "$struct is not held"
                exit 1
            }
        done
    done >held
    [ "$(grep -c '\.h$' held)" -eq 12 ]
}

@test "a member added at the end passes" {
    sed 's/^struct rhost_file, 24 bytes/struct rhost_file, 32 bytes/' "$golden" >now
    echo 'rhost_file.later at 24, 8 bytes' >>now
    run held now
    status_is 0
}

@test "a missing member is named" {
    grep -v '^rhost_attr.initial ' "$golden" >now
    run held now
    status_is 1
    says "rhost_attr.initial is gone"
}

@test "a member that moved is named" {
    sed 's/^rhost_change.is at 24/rhost_change.is at 32/' "$golden" >now
    run held now
    status_is 1
    says "rhost_change.is has changed: the ABI has 'rhost_change.is at 24, 8 bytes'"
}

@test "a member put into the middle is named" {
    echo 'rhost_new_file.sneaky at 84, 4 bytes' | cat "$golden" - >now
    run held now
    status_is 1
    says "member rhost_new_file.sneaky was added inside of struct rhost_new_file"
}

@test "a value that changed its meaning is named" {
    sed 's/^RHOST_PARAMETER is 2/RHOST_PARAMETER is 32/' "$golden" >now
    run held now
    status_is 1
    says "RHOST_PARAMETER has changed"
}

@test "the host takes each flag that the headers have" {
    local of name
    for of in exec file path; do
        for name in $(sed -n "s/^#define \(RHOST_${of^^}_[A-Z_0-9]*\) UINT64_C.*/\1/p" "$abs_top_srcdir/sdk/rhost/$of.h"); do
            sed -n '/^static const uint64_t FLAGS/,/;/p' "$abs_top_srcdir/core/provider/ext-$of.c" | grep -qw "$name" || {
                echo "FLAGS of ext-$of.c lacks $name"
                return 1
            }
        done
    done
}

@test "structs have their sizes on machines with 32 and 64 bits" {
    requires_command gcc
    for header in ids path private; do
        sed -n '/^struct rhost_[a-z_]* {/,/^};/p' "$abs_top_srcdir/sdk/rhost/$header.h"
    done >structs.h
    [ "$(grep -c '^struct' structs.h)" -eq 3 ]
    sizes() {
        "$@" -std=c11 -Wall -Werror -I. -I"$abs_top_srcdir/sdk" -fsyntax-only "$abs_top_srcdir/tests/sdk/sizes.c"
    }
    sizes gcc
    ! echo | gcc -m32 -ffreestanding -fsyntax-only -x c - 2>/dev/null || sizes gcc -m32 -ffreestanding
    if command -v clang >/dev/null; then
        sizes clang --target=i386-linux-gnu -ffreestanding
        sizes clang --target=arm-linux-gnueabihf -ffreestanding
        sizes clang --target=aarch64-linux-gnu -ffreestanding
    fi
    # A member more, and the compiler says which struct.
    sed 's/^SIZE(rhost_change, 40,/SIZE(rhost_change, 48,/' "$abs_top_srcdir/tests/sdk/sizes.c" >sizes.c
    run gcc -m64 -std=c11 -I"$abs_top_srcdir/sdk" -fsyntax-only sizes.c
    [ "$(getconf LONG_BIT)" -ne 64 ] || says "rhost_change has another size"
}

# abidiff also compares the types of callbacks and their parameters.
@test "abidiff finds nothing that is not allowed" {
    run env CC=cc "$abs_top_srcdir/tests/sdk/abidiff"
    [ "$status" -ne 77 ] || skip "$output"
    status_is 0
}

@test "abidiff finds a parameter of another type, and a member in the middle, but allows one at the end" {
    local change edit allowed
    while IFS='|' read -r change allowed edit; do
        rm -rf headers
        mkdir headers
        cp -r "$abs_top_srcdir/sdk/rhost" headers
        sed -i "$edit" headers/rhost/ids.h
        run cmp headers/rhost/ids.h "$abs_top_srcdir/sdk/rhost/ids.h"
        status_is 1
        run env CC=cc "$abs_top_srcdir/tests/sdk/abidiff" headers
        [ "$status" -ne 77 ] || skip "$output"
        status_is "$allowed"
        [ "$allowed" -eq 0 ] || says "$change"
    done <<'END'
type changed from|1|s/\(([*]number)(rhost_ctx [*]ctx, \)int32_t/\1int64_t/
1 data member insertion|1|s/^struct rhost_ids {/&\n    void *before;/
appended|0|/^struct rhost_ids {/,/^};/s/^};/    void *later;\n};/
END
}
