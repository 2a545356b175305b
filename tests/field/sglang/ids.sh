#!/bin/sh
# Every start that SGLang's rules name as their source stands in the record.
#   ids.sh SOURCE_FOLDER
set -u
missing=0 named=0
for id in $(grep -ohE '\bsg-[a-z0-9._*-]*[a-z0-9*]' "$1"/src/engines/sglang/*.c | sort -u); do
    named=$((named + 1))
    pattern=$(printf %s "$id" | sed 's/\./\\./g; s/\*/.*/')
    grep -qE "^$pattern," "$1/tests/field/sglang/runs.csv" || { echo "no start is called $id"; missing=1; }
done
[ "$named" -ge 20 ] || { echo "only $named starts are named"; exit 1; }
exit $missing
