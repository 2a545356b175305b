#!/bin/sh
# What no source may do: include a room its own may not see, use doubles outside printed.c, call unsafe
# functions, print or open files outside their one place, grow beyond the agreed size.
#   sources.sh SOURCE_FOLDER ROOMS_FILE
set -u
rooms=$2
cd "$1" || exit 2
failed=0

complain() {
    echo "$1" >&2
    failed=1
}

sources() { find src include -name '*.[ch]' | sort; }

# The code of a file without comments and texts, with line numbers.
code() {
    sed -e 's/"\([^"\\]\|\\.\)*"/""/g' -e "s/'\(.\|\\\\.\)'/' '/g" -e 's://.*::' "$1" | grep -n .
}

# Reports every line of a file whose code matches the pattern.
forbid() { # WHY PATTERN FILE
    found=$(code "$3" | grep -E "$2") && complain "$3: $1:
$found"
}

# The room of a path below src: the longest name in the list that it begins with.
# Then every include against the row of the room; the list is read once.
find src -name '*.[ch]' | sort | xargs grep -HE '^#include "' | awk -v rooms="$rooms" '
    function room_of(path,   name) {
        name = path
        while (!(name in row)) {
            if (!sub(/\/[^\/]*$/, "", name)) return ""
        }
        return name
    }
    BEGIN {
        while ((getline line < rooms) > 0) {
            at = index(line, "=")
            name = substr(line, 1, at - 1)
            row[name] = " " name " " substr(line, at + 1) " "
            count++
        }
        if (count < 10) { print "no list of rooms: " rooms; exit 1 }
    }
    {
        at = index($0, ":")
        file = substr($0, 5, at - 5)
        include = $0
        sub(/^[^"]*"/, "", include)
        sub(/".*/, "", include)
        from = room_of(file)
        to = room_of(include)
        if (from == "" || to == "" || index(row[from], " " to " ") == 0) {
            print "src/" file " includes " include ": room " from " may not see " to
            bad = 1
        }
    }
    END { exit bad }' >&2 || failed=1

for file in $(sources); do
    case $file in src/text/*|src/gate/policy_write.c) ;; *) grep -nE '#include <(yaml|cyaml)' "$file" && complain "$file: only src/text reads YAML and policy_write.c writes it" ;; esac
    case $file in */printed.[ch]) ;; *) forbid 'double or float' '(^|[^a-zA-Z0-9_])(double|float)([^a-zA-Z0-9_]|$)' "$file" ;; esac
    case $file in src/cli/*) ;; *) forbid 'only src/cli prints' '(^|[^a-z_])(printf|fprintf|puts|fputs|putchar|perror|exit|abort)\(' "$file" ;; esac
    case $file in src/text/file.c) ;; *) forbid 'only src/text/file.c opens files' '(^|[^a-z_])(fopen|open|freopen|opendir)\(' "$file" ;; esac
    case $file in src/base/memory.c) ;; *) forbid 'memory comes from base/memory.h' '(^|[^a-z_])(malloc|calloc|realloc)\(' "$file" ;; esac
    forbid 'a function that cannot be trusted' \
        '(^|[^a-z_])(atoi|atol|atoll|strtol|strtoll|strtoul|strtoull|strtod|strtof|sprintf|strcpy|strcat|strtok|alloca|gets|setlocale)\(' "$file"
    case $file in */generated/*) ;; *) [ "$(wc -l <"$file")" -le 500 ] || complain "$file is longer than 500 lines" ;; esac
    long=$(awk '/^\{/ { start = FNR } /^\}/ { if (start && FNR - start + 1 > 60) print FILENAME ":" start ": " FNR - start + 1 " lines"; start = 0 }' "$file")
    [ -z "$long" ] || complain "a function is longer than 60 lines: $long"
    LC_ALL=C grep -nP '[^\x00-\x7F]' "$file" && complain "$file: not ASCII"
done
exit $failed
