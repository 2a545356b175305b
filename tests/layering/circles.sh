#!/bin/sh
# No file calls a file that calls it back, on whatever way, but the circles of circles.txt, which a comment in one of
# their files defends ("in a circle").
#   circles.sh SOURCE_FOLDER BUILD_FOLDER
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find "$build/CMakeFiles" -path '*.dir/src/*' -name '*.o' | sort >"$work/objects"
[ "$(wc -l <"$work/objects")" -gt 300 ] || { echo "no objects were found in $build" >&2; exit 1; }
# "has SYMBOL FILE" for what each object defines, "asks SYMBOL FILE" for what it calls.
xargs nm -A <"$work/objects" | sed 's:^.*\.dir/src/::; s:\.c\.o\: *: :' | awk '
    NF == 3 && $2 == "U" { print "asks", $3, $1 }
    NF == 4 && $3 ~ /^[TDRBC]$/ { print "has", $4, $1 }' >"$work/symbols"

awk -v source="$source" -v list="$source/tests/layering/circles.txt" '
    # Takes away files without a call or a caller among those that are left.
    function prune(   again, pair, part) {
        do {
            again = 0
            split("", calls); split("", called)
            for (pair in left) if (left[pair]) { split(pair, part, SUBSEP); calls[part[1]] = 1; called[part[2]] = 1 }
            for (pair in left) {
                split(pair, part, SUBSEP)
                if (left[pair] && (!(part[1] in called) || !(part[2] in calls))) { left[pair] = 0; again = 1 }
            }
        } while (again)
    }
    $1 == "has" { at[$2] = $3 }
    $1 == "asks" { asks[$2, $3] = 1 }
    END {
        for (pair in asks) {
            split(pair, part, SUBSEP)
            if (part[1] in at && at[part[1]] != part[2]) { edge[part[2], at[part[1]]] = 1; count++ }
        }
        while ((getline line < list) > 0) {
            if (line ~ /^#/ || line == "") continue
            n = split(line, files, " ")
            circles++
            for (i = 1; i <= n; i++) member[files[i]] = circles
            defended = 0
            for (i = 1; i <= n; i++) {
                while ((getline text < (source "/src/" files[i] ".c")) > 0) defended = defended || text ~ /^\/\/.*in a circle/
                close(source "/src/" files[i] ".c")
            }
            if (!defended) { print "no comment says why these stand in a circle: " line; bad = 1 }
        }
        if (count < 500) { print "hardly any calls were found"; exit 1 }
        # A circle of the list is one file to all others, so that none stands in it beside those named.
        for (pair in edge) {
            split(pair, part, SUBSEP)
            from = part[1] in member ? "circle " member[part[1]] : part[1]
            to = part[2] in member ? "circle " member[part[2]] : part[2]
            if (from == to) within[pair] = 1
            else between[from, to] = 1
        }
        split("", left)
        for (pair in between) left[pair] = 1
        prune()
        for (pair in left) if (left[pair]) { split(pair, part, SUBSEP); print part[1] " and " part[2] " stand in a circle, or between two"; bad = 1 }
        split("", left)
        for (pair in within) left[pair] = 1
        prune()
        split("", still)
        for (pair in left) if (left[pair]) { split(pair, part, SUBSEP); still[part[1]] = 1 }
        for (file in member) if (!(file in still)) { print file ".c is in " list " and in no circle"; bad = 1 }
        exit bad
    }' "$work/symbols" >&2
