#!/bin/sh
# Runs golden cases: tests/golden/CASE/{cmd,stdout,stderr,exit}; a missing stdout or stderr is empty,
# a missing exit is 0. Commands run in the source folder with the tool in PATH.
#   run.sh [--update] TOOL SOURCE_FOLDER CASE...
set -u
update=no
[ "$1" = --update ] && update=yes && shift
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2" || exit 2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$tool" "$work/bin/kvbudget"
PATH=$work/bin:$PATH NO_COLOR=1 LC_ALL=C WORK=$work KVBUDGET_OFFLINE=1 KVBUDGET_CACHE=$work/cache
export PATH NO_COLOR LC_ALL WORK KVBUDGET_OFFLINE KVBUDGET_CACHE
unset KVBUDGET_PROFILES COLUMNS

# Keeps NAME of a case only when it says something.
keep() {
    if [ -s "$work/$2" ]; then cp "$work/$2" "$1/$2"; else rm -f "$1/$2"; fi
}

compare() {
    if [ -e "$1/$2" ]; then want=$1/$2; else want=/dev/null; fi
    diff -u --label "$1/$2 (wanted)" --label "$1/$2 (got)" "$want" "$work/$2"
}

failed=0
for name in "$@"; do
    case=tests/golden/$name
    sh "$case/cmd" >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    if [ $code -eq 0 ]; then : >"$work/exit"; else echo $code >"$work/exit"; fi
    for file in stdout stderr exit; do
        if [ $update = yes ]; then keep "$case" $file; else compare "$case" $file || failed=1; fi
    done
done
exit $failed
