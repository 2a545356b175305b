#!/bin/sh
# docs/accuracy.md says what the tool says today.
#   run.sh [--update] PROGRAM SOURCE_FOLDER
set -u
update=no
[ "$1" = --update ] && update=yes && shift
page=$2/docs/accuracy.md
new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
"$1" "$2/tests/field/runs.csv" "$2/tests/field/failures.csv" >"$new" || exit 2
if [ $update = yes ]; then
    cp "$new" "$page"
    exit
fi
diff -u --label docs/accuracy.md --label 'said today' "$page" "$new" && exit 0
echo "the record has drifted: look at the difference, then run scripts/accuracy"
exit 1
