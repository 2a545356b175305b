#!/bin/sh
# Every start is in the half that the first hex digit of its source's SHA-1 says: even `build`, odd `held`.
#   halves.sh SOURCE_FOLDER
set -u
wrong=0
for table in runs failures; do
    tail -n +2 "$1/tests/field/$table.csv" | cut -d, -f2,3 | sort -u | while IFS=, read -r source half; do
        case $(printf %s "$source" | sha1sum) in
        [02468ace]*) right=build ;;
        *) right=held ;;
        esac
        [ "$half" = "$right" ] || { echo "$table.csv: $source is in '$half', its hash says '$right'"; exit 1; }
    done || wrong=1
done
exit $wrong
