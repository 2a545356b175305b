#!/bin/sh
# Inputs and surroundings far beyond the usual: each line of CASES ends in time, within its limits, with its exit code, and
# says why in as many lines as it may, without a control character. Notes of an answer are no such lines.
#   run.sh TOOL SOURCE_FOLDER CASES [rows]    rows: a table row for each on standard output, with the seconds of a processor
#                                             that it took; then only what takes an hour is ended
# A case: name | exit code | most lines on standard error | a line for the shell, in an empty folder, with $SOURCE
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # what a caller left open counts among the descriptors of a case
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
SOURCE=$(cd "$2" && pwd)
cases=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
rows=${4:-}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$tool" "$work/bin/kvbudget"
PATH=$work/bin:$PATH NO_COLOR=1 LC_ALL=C KVBUDGET_OFFLINE=1 KVBUDGET_CACHE=$work/cache
export PATH NO_COLOR LC_ALL KVBUDGET_OFFLINE KVBUDGET_CACHE SOURCE
unset KVBUDGET_PROFILES COLUMNS

[ -z "$rows" ] && longest=300 || longest=3600

# $seconds: those of a processor that all commands of this shell took so far.
count_seconds() {
    times >"$work/times"
    seconds=$(sed -n '2s/[ms]/ /gp' "$work/times" | awk '{ printf "%.2f", $1 * 60 + $2 + $3 * 60 + $4 }')
}

failed=0 ran=0
while IFS='|' read -r name wanted most line; do
    case $name in '#'* | '') continue ;; esac
    name=$(echo $name) wanted=$(echo $wanted) most=$(echo $most)
    rm -rf "$work/here" && mkdir "$work/here" && cd "$work/here" || exit 2
    count_seconds
    begun=$seconds
    timeout $longest sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    said=$(grep -vc '^kvbudget: note: ' "$work/err")
    controls=$(tr -d '\n\040-\377' <"$work/err" | wc -c)
    if [ $code -ne "$wanted" ] || [ "$said" -gt "$most" ] || [ "$controls" -ne 0 ]; then
        echo "$name: exit $code, not $wanted; $said lines of at most $most; $controls control characters:" >&2
        head -c 600 "$work/err" >&2
        failed=1
    fi
    ran=$((ran + 1))
    count_seconds
    [ -z "$rows" ] || echo "| $name | \`$(echo "$line" | sed -n 's/^ *\(ulimit [^;]*\);.*/\1/p')\` | $(echo "$seconds $begun" | awk '{ printf "%.1f", $1 - $2 }') |" | sed 's/``/-/'
done <"$cases"
[ $ran -gt 0 ] || { echo "no case was run" >&2; exit 1; }
exit $failed
