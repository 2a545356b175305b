#!/bin/sh
# Planning a built-in model starts no process and opens no socket, and the tool does not load libcurl.
#   quiet.sh KVBUDGET WATCH_LIBRARY
set -u
tool=$1 watch=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
export ASAN_OPTIONS=verify_asan_link_order=0 HOME="$work"
unset KVBUDGET_OFFLINE HF_HUB_OFFLINE

watched() { # EXIT ARGUMENT...
    want=$1
    shift
    LD_PRELOAD=$watch "$tool" "$@" >"$work/out" 2>&1
    code=$?
    [ $code -eq "$want" ] || { echo "kvbudget $*: exit code $code, wanted $want: $(tail -n 2 "$work/out")" >&2; failed=1; }
}
watched 0 plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 8192
watched 0 plan --model qwen3-8b --json --gpu l4 --max-model-len 8192
watched 0 plan --model unsloth/Meta-Llama-3.1-8B-Instruct --gpu l40s --max-model-len 8192
watched 3 plan --model test/nobody-knows --gpu l4 --offline
watched 0 profiles list models
# The watch works: a name nobody knows starts the helper, where there is one.
if [ -x "$(dirname "$tool")/kvbudget-hub" ]; then
    watched 99 plan --model test/nobody-knows --gpu l4
fi
if command -v ldd >/dev/null 2>&1 && ldd "$tool" | grep -q curl; then
    echo "$tool loads libcurl" >&2
    failed=1
fi
exit $failed
