#!/bin/sh
# docs/llama-cpp-starts.md says what the tool says today.
#   run.sh [--update] PROGRAM SOURCE_FOLDER
set -u
update=no
[ "$1" = --update ] && update=yes && shift
page=$2/docs/llama-cpp-starts.md
new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
"$1" "$2/tests/llamacpp/starts.csv" "$2/tests/llamacpp/fresh.csv" >"$new" || exit 2
"$(dirname "$1")/llamacpp_fits" "$2/tests/llamacpp/fits.csv" >>"$new" || exit 2
if [ $update = yes ]; then
    cp "$new" "$page"
    exit
fi
diff -u --label docs/llama-cpp-starts.md --label 'said today' "$page" "$new" && exit 0
echo "the record of llama.cpp has drifted: look at the difference, then run scripts/test --update"
exit 1
