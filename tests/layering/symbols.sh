#!/bin/sh
# The budget core, the engines and the releases call nothing but a short list of functions: no input or output, no allocation, no
# clock, no environment. Compiled here without sanitizers, which would add symbols of their own.
#   symbols.sh COMPILER SOURCE_FOLDER BUILD_FOLDER
set -eu
compiler=$1 source=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # FOLDER
    find "$source/src/$1" -name '*.c' | while read -r file; do
        name=$(echo "${file#"$source"/src/}" | tr / @)
        "$compiler" -std=c17 -D_POSIX_C_SOURCE=200809L -O0 -w -I"$source/include" -I"$build/include" -I"$source/src" \
            -c "$file" -o "$work/$2/${name%.c}.o"
    done
}
mkdir "$work/base" "$work/core"
compile base base
compile release core
compile budget core
compile engines core
compile plan core

defined() { nm --defined-only "$@" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }'; }
{
    defined "$work"/core/*.o "$work"/base/*.o
    printf '%s\n' memcpy memset memmove memcmp memchr strcmp strncmp strlen strchr strspn strcspn strstr \
        _GLOBAL_OFFSET_TABLE_
} | sort -u >"$work/permitted"

failed=0
for object in "$work"/core/*.o; do
    nm -u "$object" | awk '{ print $2 }' | sort -u >"$work/used"
    extra=$(comm -23 "$work/used" "$work/permitted" | tr '\n' ' ')
    case $(basename "$object") in *@printed.o) extra=$(echo "$extra" | sed 's/snprintf//') ;; esac
    if [ -n "$(echo "$extra" | tr -d ' ')" ]; then
        echo "src/$(basename "$object" .o | tr @ /).c calls $extra" >&2
        failed=1
    fi
done

# Global state: nothing writable but the hook that lets a test fail an allocation.
state=$(nm "$work"/core/*.o "$work"/base/*.o | awk '$2 ~ /^[bBC]$/ { print $3 }' | grep -v -x -e calls_until_failure -e fails_once -e failures || true)
if [ -n "$state" ]; then
    echo "writable global state: $state" >&2
    failed=1
fi
exit $failed
