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

# Every file once: its code, without comments and texts, against the patterns that its place forbids.
find src include -name '*.[ch]' -o -name '*.inc' | sort | xargs awk '
    function forbid(why, pattern) {
        if (code ~ pattern) { print FILENAME ": " why ":\n" FNR ": " $0; bad = 1 }
    }
    function end_of_file() {
        if (lines > 500) { print last " is longer than 500 lines"; bad = 1 }
    }
    FNR == 1 { end_of_file(); last = FILENAME; start = 0 }
    { lines = FNR }
    /^\{/ { start = FNR }
    /^\}/ {
        if (start && FNR - start + 1 > 60) { print "a function is longer than 60 lines: " FILENAME ":" start; bad = 1 }
        start = 0
    }
    /#include <(yaml|cyaml)/ && FILENAME !~ /^src\/(text\/|gate\/policy_write\.c$)/ {
        print FILENAME ": only src/text reads YAML and policy_write.c writes it"; bad = 1
    }
    {
        code = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        gsub(/\047(.|\\.)\047/, "\047 \047", code)
        sub(/\/\/.*/, "", code)
        if (code !~ /[a-z]/) next
    }
    FILENAME !~ /\/printed\.[ch]$/ { forbid("double or float", "(^|[^a-zA-Z0-9_])(double|float)([^a-zA-Z0-9_]|$)") }
    FILENAME !~ /^src\/(cli|tool)\// { forbid("only src/cli prints", "(^|[^a-z_])(printf|fprintf|puts|fputs|putchar|perror|exit|abort)\\(") }
    FILENAME != "src/text/file.c" { forbid("only src/text/file.c opens files", "(^|[^a-z_])(fopen|open|freopen|opendir)\\(") }
    FILENAME != "src/base/memory.c" { forbid("memory comes from base/memory.h", "(^|[^a-z_])(malloc|calloc|realloc)\\(") }
    { forbid("a function that cannot be trusted", "(^|[^a-z_])(atoi|atol|atoll|strtol|strtoll|strtoul|strtoull|strtod|strtof|sprintf|strcpy|strcat|strtok|alloca|gets|setlocale)\\(") }
    END { end_of_file(); exit bad }' >&2 || failed=1

# Nothing outside src/engines names an engine, but the rows of tables in files of the list, and as many lines beside them
# as the list says; comments may.
find src -name '*.[ch]' ! -path 'src/engines/*' | sort | xargs awk -v list=tests/layering/engine_names.txt '
    BEGIN {
        while ((getline line < list) > 0) {
            if (line !~ /^#/ && split(line, part, "=") == 3) { allowed[part[1]] = part[2]; lines[part[1]] = 0; count++ }
        }
        if (count == 0) { print "no list of files: " list; exit 1 }
    }
    FNR == 1 { in_rows = 0 }
    {
        code = $0
        sub(/\/\/.*/, "", code)
        if (code ~ /(\]|^static const [a-z_ ]+) = \{/ && code !~ /\};/) in_rows = 1
        is_row = in_rows || code ~ /\] = \{.*\};/
        if (code ~ /\};/) in_rows = 0
        code = tolower(code)
        if (code ~ /^#include/ || code !~ /vllm|sglang|llama[._]?cpp|llama-server|ollama/) next
        if (!(FILENAME in allowed)) { print FILENAME ":" FNR ": names an engine: " $0; bad = 1; next }
        seen[FILENAME] = 1
        if (!is_row) { lines[FILENAME]++; said[FILENAME] = said[FILENAME] "\n  " FNR ": " $0 }
    }
    END {
        for (file in allowed) {
            if (!(file in seen)) { print file " is in " list " and names no engine"; bad = 1; continue }
            if (lines[file] != allowed[file]) {
                print file " names an engine in " lines[file] " lines outside of tables, " list " says " allowed[file] ":" said[file]
                bad = 1
            }
        }
        exit bad
    }' >&2 || failed=1

# A rule by release is the engine's, or a row: of a release's log lines, or of a framework.
grep -rnE --include='*.[ch]' '\bKVB_RELEASE\(' src | grep -vE '^src/(release|engines)/' |
    grep -vE '^src/(logs/(lines_macros\.h|stamps_vllm\.c)|deployment/residents_frameworks\.c):' &&
    complain "KVB_RELEASE outside release, engines and tables: ask the engine (struct kvb_release_facts)"

LC_ALL=C grep -rnP --include='*.[ch]' '[^\x00-\x7F]' src include && complain "not ASCII"
exit $failed
