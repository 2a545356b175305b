#!/bin/sh
# What no source may do: include another layer, use doubles outside printed.c, call unsafe functions,
# print or open files outside their one place, grow beyond the agreed size.
#   sources.sh SOURCE_FOLDER
set -u
cd "$1" || exit 2
failed=0

complain() {
    echo "$1" >&2
    failed=1
}

# The code of a file without comments and texts, with line numbers.
code() {
    sed -e 's/"\([^"\\]\|\\.\)*"/""/g' -e "s/'\(.\|\\\\.\)'/' '/g" -e 's://.*::' "$1" | grep -n .
}

# Reports every line of the files (after --) whose code matches the pattern.
forbid() {
    why=$1 pattern=$2
    shift 2
    for file in "$@"; do
        found=$(code "$file" | grep -E "$pattern") && complain "$file: $why:
$found"
    done
}

check_includes() {
    layer=$1 allowed=$2
    for file in src/"$layer"/*.[ch]; do
        [ -e "$file" ] || continue
        found=$(grep -nE '^#include "' "$file" | grep -vE "\"($allowed)/") && complain "$file includes another layer:
$found"
    done
}

check_includes base base
check_includes budget 'budget|base'
check_includes input 'input|base'
check_includes logs 'logs|base'
check_includes report 'report|base'
check_includes cli 'cli|report|base'

for file in src/*/*.[ch]; do
    case $file in src/input/*) continue ;; esac
    grep -nE '#include <(yaml|cyaml)' "$file" && complain "$file: only src/input reads YAML"
done

for file in src/*/*.[ch] include/kvbudget/*.h; do
    case $file in src/budget/printed.[ch]) ;; *) forbid 'double or float' '(^|[^a-zA-Z0-9_])(double|float)([^a-zA-Z0-9_]|$)' "$file" ;; esac
    case $file in src/cli/*) ;; *) forbid 'only src/cli prints' '(^|[^a-z_])(printf|fprintf|puts|fputs|putchar|perror|exit|abort)\(' "$file" ;; esac
    case $file in src/input/file.c) ;; *) forbid 'only src/input/file.c opens files' '(^|[^a-z_])(fopen|open|freopen|opendir)\(' "$file" ;; esac
    forbid 'a function that cannot be trusted' \
        '(^|[^a-z_])(atoi|atol|atoll|strtol|strtoll|strtoul|strtoull|strtod|strtof|sprintf|strcpy|strcat|strtok|alloca|gets|setlocale)\(' "$file"
    [ "$(wc -l <"$file")" -le 500 ] || complain "$file is longer than 500 lines"
    long=$(awk '/^\{/ { start = FNR } /^\}/ { if (start && FNR - start + 1 > 60) print FILENAME ":" start ": " FNR - start + 1 " lines"; start = 0 }' "$file")
    [ -z "$long" ] || complain "a function is longer than 60 lines: $long"
    LC_ALL=C grep -nP '[^\x00-\x7F]' "$file" && complain "$file: not ASCII"
done
for file in src/*/*.c; do
    case $file in src/base/memory.c) ;; *) forbid 'memory comes from base/memory.h' '(^|[^a-z_])(malloc|calloc|realloc)\(' "$file" ;; esac
done
exit $failed
