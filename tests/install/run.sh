#!/bin/sh
# Installs into an empty folder, moves it elsewhere, and uses tool and library from there as a stranger would: the
# examples are built through the CMake package and through pkg-config, in C and C++, shared and static, and run.
#   run.sh BUILD_FOLDER SOURCE_FOLDER C_COMPILER C++_COMPILER [FLAGS]
set -eu
build=$1 source=$2 cc=$3 cxx=$4 flags=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/usr"
usr=$work/usr

"$usr/bin/kvbudget" --version | head -n 1
if [ -e "$usr/share/kvbudget/models" ] || [ -e "$usr/share/kvbudget/gpus" ]; then
    echo "profiles are embedded, and yet they were installed" >&2
    exit 1
fi

for page in man1/kvbudget.1 man1/kvbudget-plan.1 man1/kvbudget-check.1 man5/kvbudget-profile.5 man5/kvbudget-policy.5 \
    man3/libkvbudget.3; do
    grep -q '^\.SH NAME' "$usr/share/man/$page" || { echo "no manual page $page" >&2; exit 1; }
done
# A page that man would stumble over says so.
if command -v groff >/dev/null 2>&1 && groff -man -Tutf8 -ww "$usr"/share/man/man?/* 2>&1 >/dev/null | grep .; then
    exit 1
fi
grep -q '"title": "kvbudget.plan/1"' "$usr/share/kvbudget/schema/plan.json"
bash -n "$usr/share/bash-completion/completions/kvbudget"
test -s "$usr/share/zsh/site-functions/_kvbudget"
test -s "$usr/share/fish/vendor_completions.d/kvbudget.fish"

config=$(find "$usr" -name kvbudget.pc)
library=$(dirname "$(dirname "$config")")
PKG_CONFIG_PATH=$(dirname "$config") LD_LIBRARY_PATH=$library
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# 2 x 36 layers x 8 KV heads x 128 x 2 bytes x 8192 tokens is 1.125 GiB; what a L4 has beyond 16.4 GB of weights is more.
try() { # PROGRAM
    line=$("$1" l4 vllm serve Qwen/Qwen3-8B --max-model-len 8192)
    case $line in "fits: "*" tokens") ;; *) echo "$1 says '$line'" >&2; exit 1 ;; esac
    if "$1" l4 vllm serve no/model >"$work/said" 2>&1 || ! grep -q "no/model" "$work/said"; then
        echo "$1 takes a model nobody knows" >&2
        exit 1
    fi
}
# What one call gives is what the tool prints.
asks() { # PROGRAM
    "$1" '{"model": "Qwen/Qwen3-8B", "gpu": "l4", "max_model_len": 4096}' >"$work/document"
    "$usr/bin/kvbudget" plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4096 --json | cmp - "$work/document"
}
longest() { # PROGRAM
    length=$("$1" Qwen/Qwen3-8B l4)
    [ "$length" -ge 8192 ] && [ "$length" -le 40960 ] || { echo "$1 says '$length'" >&2; exit 1; }
}

# The CMake package.
cmake -S "$source/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$usr" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
try "$work/cmake/starts"
longest "$work/cmake/longest"
asks "$work/cmake/ask"
if [ -e "$library/libkvbudget.a" ]; then
    try "$work/cmake/starts_static"
    asks "$work/cmake/ask_static"
fi

# pkg-config; the prefix was another one when the file was written.
use() { pkg-config "--define-variable=prefix=$usr" "$@" kvbudget; }
# shellcheck disable=SC2046,SC2086
{
    "$cc" -std=c17 -Wall -Wextra -Werror $flags $(use --cflags) "$source/examples/starts.c" -o "$work/starts" $(use --libs)
    "$cxx" -std=c++17 -Wall -Wextra -Werror $flags $(use --cflags) "$source/examples/longest.cpp" -o "$work/longest" \
        $(use --libs)
}
try "$work/starts"
longest "$work/longest"
if [ -e "$library/libkvbudget.so" ]; then
    case $(use --libs) in *yaml*) echo "the shared library asks for libyaml: $(use --libs)" >&2; exit 1 ;; esac
fi
if [ -e "$library/libkvbudget.a" ]; then
    # shellcheck disable=SC2046,SC2086
    "$cc" -std=c17 $flags $(use --cflags) "$source/examples/starts.c" -o "$work/starts" "$library/libkvbudget.a" \
        $(use --static --libs | sed 's/-lkvbudget//')
    try "$work/starts"
fi
