#!/bin/sh
# Installs into an empty folder and uses tool and library from there as a stranger would.
#   run.sh BUILD_FOLDER COMPILER [FLAGS]
set -eu
build=$1 compiler=$2 flags=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/usr" >/dev/null
"$work/usr/bin/kvbudget" --version | head -n 1
test -e "$work/usr/share/kvbudget/profiles/engines/vllm.yaml"

config=$(find "$work/usr" -name kvbudget.pc)
PKG_CONFIG_PATH=$(dirname "$config") && export PKG_CONFIG_PATH
# The prefix was another one when the file was written.
use="--define-variable=prefix=$work/usr"
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c17 -Wall -Wextra -Werror $flags $(pkg-config "$use" --cflags kvbudget) "$here/stranger.c" \
    -o "$work/stranger" $(pkg-config "$use" --libs kvbudget)
"$work/stranger"
