#!/bin/sh
# Every golden case with a page of text, at 40 to 160 columns: no line is wider than its page but where one word alone is.
#   run.sh TOOL SOURCE_FOLDER
set -u
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$tool" "$work/bin/kvbudget"
PATH=$work/bin:$PATH NO_COLOR=1 LC_ALL=C WORK=$work KVBUDGET_OFFLINE=1 KVBUDGET_CACHE=$work/cache
export PATH NO_COLOR LC_ALL WORK KVBUDGET_OFFLINE KVBUDGET_CACHE COLUMNS
unset KVBUDGET_PROFILES
failed=0
cases=0
for case in tests/golden/*/cmd; do
    name=$(basename "$(dirname "$case")")
    # Pages for programs, lines to copy as they are, and what is cut on purpose.
    grep -qE -- '--json|--format|completion|manual|schema|profiles (show|import)|COLUMNS=|record|/dev/full|od -c' "$case" && continue
    cases=$((cases + 1))
    widths="40 80"
    case $name in plan-*|explain-plan|help-*|residents-verl|sglang-plan|cards-70b) widths="40 60 80 120 160" ;; esac
    for COLUMNS in $widths; do
        sh "$case" 2>/dev/null </dev/null |
            awk -v page=$COLUMNS '{whole = $0; gsub(/\033\[[0-9;]*m/, "")}
                length > page && /[^ ] +[^ ]/ && !/^ *[^ ]+ \\$/ && !/^ *\047.*\047( \\)?$/ {print whole; wide = 1} END {exit wide}' \
                >"$work/wide" && continue
        echo "$name at $COLUMNS columns:" >&2
        cat "$work/wide" >&2
        failed=1
    done
done
echo "$cases pages at up to five widths"
[ $cases -gt 80 ] || failed=1
exit $failed
