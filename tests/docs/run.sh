#!/bin/sh
# Runs the ```console blocks of documents: `$ ` begins a command, what follows is its output, and a
# line `...` stands for any lines.
#   run.sh [--update] TOOL DOCUMENT...
set -u
update=no
[ "$1" = --update ] && update=yes && shift
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$tool" "$work/bin/kvbudget"
PATH=$work/bin:$PATH NO_COLOR=1 LC_ALL=C KVBUDGET_OFFLINE=1 KVBUDGET_CACHE=$work/cache
export PATH NO_COLOR LC_ALL KVBUDGET_OFFLINE KVBUDGET_CACHE
unset COLUMNS

failed=0 commands=0
for document in "$@"; do
    rm -f "$work"/[0-9]*
    awk -v folder="$work" -f "$here/split.awk" "$document"
    for cmd in "$work"/[0-9]*.cmd; do
        [ -e "$cmd" ] || continue
        commands=$((commands + 1))
        base=${cmd%.cmd}
        sh "$cmd" >"$base.got" 2>&1 </dev/null
        if ! awk -f "$here/match.awk" "$base.want" "$base.got"; then
            [ $update = yes ] && continue
            failed=1
            echo "$document: \$ $(cat "$cmd")"
            diff -u --label wanted --label got "$base.want" "$base.got"
        else
            cp "$base.want" "$base.got"
        fi
    done
    if [ $update = yes ]; then
        awk -v folder="$work" -f "$here/join.awk" "$document" >"$work/new" && cp "$work/new" "$document"
    fi
done
echo "$commands commands of the documents were run"
exit $failed
