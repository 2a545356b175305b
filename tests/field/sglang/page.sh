#!/bin/sh
# docs/sglang-accuracy.md says what the tool says today.
#   page.sh [--update] PROGRAM SOURCE_FOLDER
set -u
update=no
[ "$1" = --update ] && update=yes && shift
page=$2/docs/sglang-accuracy.md
new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
"$1" "$2/tests/field/sglang/runs.csv" >"$new" || exit 2
if [ $update = yes ]; then
    cp "$new" "$page"
    exit
fi
diff -u --label docs/sglang-accuracy.md --label 'said today' "$page" "$new"
