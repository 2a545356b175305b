#!/bin/sh
# The shared library shows what the public headers declare and nothing else; the static one takes no name of a program's
# away: all its names begin with kvb_.
#   exports.sh SOURCE_FOLDER STATIC_LIBRARY [SHARED_LIBRARY]
set -eu
source=$1 static=$2 shared=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

names() { nm --defined-only "$@" | awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ { print $3 }' | sed 's/@.*//' | sort -u; }

names "$static" | grep -vE '^(kvb_|__asan|__odr_asan|__gcov|_GLOBAL_)' >"$work/foreign" || true
if [ -s "$work/foreign" ]; then
    echo "names without kvb_ in $static: $(tr '\n' ' ' <"$work/foreign")" >&2
    failed=1
fi

# A struct and a function never share a name.
grep -rhoE --include='*.h' --include='*.c' '\b(struct|enum|union) kvb_[a-z0-9_]+' "$source/src" "$source/include" |
    awk '{ print $2 }' | sort -u >"$work/tags"
names "$static" | comm -12 - "$work/tags" >"$work/shared_names"
if [ -s "$work/shared_names" ]; then
    echo "names of a function and of a struct: $(tr '\n' ' ' <"$work/shared_names")" >&2
    failed=1
fi

if [ -n "$shared" ]; then
    # Declarations begin in the first column; a function's name stands before its parenthesis.
    cat "$source"/include/kvbudget/*.h "$source"/include/kvbudget/*.in | sed 's://.*::' | grep -vE '^(#|typedef|static)' |
        grep -E '^[a-z]' | grep -oE '\bkvb_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
    names -D "$shared" | grep -vE '^(KVBUDGET_|__odr_asan)' >"$work/shown"
    [ "$(wc -l <"$work/declared")" -gt 50 ] || { echo "no declarations were found" >&2; failed=1; }
    if ! diff "$work/declared" "$work/shown" >"$work/differ"; then
        echo "declared in a public header (<) or shown by $shared (>), but not both:" >&2
        grep '^[<>]' "$work/differ" >&2
        failed=1
    fi
fi
exit $failed
