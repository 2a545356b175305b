#!/bin/sh
# check --against: a small repository is made, changed, and compared with commits of its own.
#   against.sh TOOL
set -eu
tool=$1
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com \
    GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
failed=0

# The tool's words for a comparison, run in the folder $1; its exit code must be $2.
compare() { # FOLDER EXIT ARGUMENT...
    folder=$1 wanted=$2
    shift 2
    code=0
    (cd "$folder" && "$tool" check --gpu l4 "$@") >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$wanted" ] || complain "check $*: exit $code, expected $wanted: $(cat "$work/err")"
}
complain() {
    echo "$1" >&2
    failed=1
}
says() {
    grep -qF -- "$1" "$work/out" || complain "not said: $1
$(cat "$work/out")"
}
says_not() {
    if grep -qF -- "$1" "$work/out"; then complain "said: $1"; fi
}
mistake() {
    grep -qF -- "$1" "$work/err" || complain "not complained of: $1
$(cat "$work/err")"
}

repo="$work/repo"
mkdir -p "$repo/deploy/old" "$repo/configs"
git init -q "$repo"
printf '#!/bin/sh\nvllm serve Qwen/Qwen2.5-0.5B-Instruct --max-model-len 8192\n' >"$repo/deploy/a.sh"
printf '#!/bin/sh\nvllm serve Qwen/Qwen2.5-7B-Instruct --config ../configs/c.yaml\n' >"$repo/deploy/b.sh"
printf 'max-model-len: 4096\n' >"$repo/configs/c.yaml"
printf '#!/bin/sh\nvllm serve Qwen/Qwen3-0.6B\n' >"$repo/deploy/old/name with blank.sh"
printf '#!/bin/sh\nvllm serve Qwen/Qwen3-1.7B\n' >"$repo/deploy/-dash.sh"
printf '#!/bin/sh\nvllm serve Qwen/Qwen3-4B\n' >"$repo/deploy/gone.sh"
printf 'services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model Qwen/Qwen3-0.6B --max-model-len ${LONG}\n' \
    >"$repo/deploy/compose.yaml"
printf 'LONG=2048\n' >"$repo/deploy/.env"
ln -s a.sh "$repo/deploy/link.sh"
git -C "$repo" add -A
git -C "$repo" commit -qm one

# Nothing moved.
compare "$repo" 0 --against HEAD .
says "against HEAD ("
says "): 6 as before"

# A flag, a file beside it, the environment, a new name of a file, one more and one less.
sed -i 's/8192/32768 --kv-cache-dtype fp8/' "$repo/deploy/a.sh"
printf 'max-model-len: 32768\ngpu-memory-utilization: 0.7\n' >"$repo/configs/c.yaml"
printf 'LONG=4096\n' >"$repo/deploy/.env"
mv "$repo/deploy/old/name with blank.sh" "$repo/deploy/new.sh"
printf '#!/bin/sh\nvllm serve Qwen/Qwen3-8B --max-model-len 2048\n' >"$repo/deploy/more.sh"
rm "$repo/deploy/gone.sh"
git -C "$repo" status --porcelain >"$work/before"
compare "$repo" 1 --against HEAD .
says "1 worse, 3 changed, 1 new, 1 gone, 1 as before"
says "changed deploy/a.sh:2:1"
says "--max-model-len: 8192 -> 32768 (line 2)"
says "--kv-cache-dtype: not set -> fp8 (line 2)"
says "worse   deploy/b.sh:2:1  vllm serve Qwen/Qwen2.5-7B-Instruct: pass -> fail"
says "--gpu-memory-utilization: not set -> 0.70"
says "--max-model-len: 2048 -> 4096 (line 4)"
says "file: deploy/old/name with blank.sh -> deploy/new.sh"
says "new     deploy/more.sh:2:1"
says "gone    deploy/gone.sh"
says_not "-dash.sh:2:1  vllm serve Qwen/Qwen3-1.7B: pass ->"
git -C "$repo" status --porcelain >"$work/after"
cmp -s "$work/before" "$work/after" || complain "the checkout was touched"

# From inside, by absolute path, one file, a name that begins with a dash, several paths.
compare "$repo/deploy" 1 --against HEAD .
says "worse   b.sh:2:1"
compare "$work" 1 --against HEAD "$repo/deploy"
says "worse   $repo/deploy/b.sh:2:1"
compare "$repo/deploy" 1 --against HEAD b.sh
says "): 1 worse, 0 as before"
compare "$repo/deploy" 0 --against HEAD -- -dash.sh
says "): 1 as before"
compare "$repo" 1 --against HEAD deploy/a.sh deploy/b.sh deploy/more.sh
says "1 worse, 1 changed, 1 new, 0 as before"

# Other names of commits; the same in JSON and on a page.
git -C "$repo" tag -a -m t before/v1
git -C "$repo" add -A
git -C "$repo" commit -qm two
compare "$repo" 1 --against before/v1 deploy
says "against before/v1 ("
compare "$repo" 1 --against HEAD~1 --json deploy
says '"worse": 1'
says '"what": "--gpu-memory-utilization"'
says '"kv_cache_bytes": '
compare "$repo" 1 --against HEAD^ --format markdown deploy
says '#### What moved since HEAD^'
says '| **worse** vllm serve Qwen/Qwen2.5-7B-Instruct, pass to fail |'
compare "$repo" 1 --json deploy
says '"against": null'

# What cannot be compared is said, with exit code 4, and no document is begun.
compare "$repo" 4 --against nothing deploy
mistake "git knows no commit 'nothing' here; a shallow clone has only its own, so fetch the other one first"
compare "$repo" 4 --against 'HEAD
HEAD' deploy
compare "$repo" 4 --against '' deploy
compare "$repo" 4 --against '@{nothing}' --json deploy
[ ! -s "$work/out" ] || ! grep -q '"cases"' "$work/out" || complain "a document was begun"
cp "$repo/deploy/a.sh" "$work/alone.sh"
compare "$work" 4 --against HEAD alone.sh
mistake "it is in no git repository, and --against compares with a commit of one"
(cd "$repo" && PATH=/nonexistent "$tool" check --gpu l4 --against HEAD deploy) >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 4 ] || complain "without git: exit $code"
mistake "git is not installed, and --against reads a commit through it"

# An object that is gone ends it, rather than count as no file.
object=$(git -C "$repo" rev-parse HEAD~1:deploy/a.sh)
rm -f "$repo/.git/objects/$(echo "$object" | cut -c1-2)/$(echo "$object" | cut -c3-)"
compare "$repo" 4 --against HEAD~1 deploy
exit $failed
