#!/bin/bash
# The action as a runner would run it: its own steps, taken out of action.yml, with the environment they are given.
#   action.sh TOOL      in the source folder
set -eu
tool=$1 source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$1" >&2
    failed=1
}

# The script of the n-th step.
step() { # NUMBER
    awk -v wanted="$1" '
        /^ *run: \|/ { count++; inside = count == wanted; match($0, /^ */); depth = RLENGTH; next }
        inside { match($0, /^ */); if (RLENGTH <= depth && NF) { inside = 0 } else { print substr($0, depth + 3) } }
    ' "$source/action.yml"
}
[ -n "$(step 1)" ] && [ -n "$(step 2)" ] || { echo "action.yml has other steps now" >&2; exit 1; }

# What a user typed stands in the environment alone, never in the text that a shell reads.
if grep -n '\${{' "$source/action.yml" | grep -vE '^[0-9]+: +KVBUDGET_[A-Z]+: \$\{\{'; then
    complain "an expression stands where a shell reads it"
fi

bin=$work/bin
mkdir -p "$bin" "$work/repo/deploy" "$work/repo/with blank"
ln -s "$tool" "$bin/kvbudget"
fits='#!/bin/sh\nvllm serve Qwen/Qwen2.5-0.5B-Instruct --max-model-len 4096\n'
fails='#!/bin/sh\nvllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 131072\n'
printf "$fits" >"$work/repo/deploy/a.sh"
printf "$fits" >"$work/repo/with blank/b.sh"
printf "$fails" >"$work/repo/c.sh"

run() { # EXIT PATHS FLAGS [AGAINST]
    : >"$work/summary"
    code=0
    (cd "$work/repo" && step 2 >"$work/step" && PATH="$bin:$PATH" GITHUB_ACTION_PATH="$source" KVBUDGET_PATHS=$2 \
        KVBUDGET_FLAGS=$3 KVBUDGET_AGAINST=${4:-} KVBUDGET_SUMMARY=true GITHUB_STEP_SUMMARY="$work/summary" \
        GITHUB_EVENT_NAME=pull_request bash --noprofile --norc -e -o pipefail "$work/step") >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$1" ] || complain "paths '$2', flags '$3': exit $code, expected $1: $(cat "$work/out" "$work/err")"
}
counts() { # TEXT
    grep -qxF "$1" "$work/out" || complain "not said: $1, but $(tail -n 1 "$work/out")"
}

run 0 deploy '--gpu l4'
counts 'kvbudget: 1 passed, 0 failed, 0 errors'
run 1 'deploy c.sh' '--gpu l4'
counts 'kvbudget: 1 passed, 1 failed, 0 errors'
grep -q '^::error file=c.sh,line=2,col=' "$work/out" || complain "no annotation"
grep -q '^### kvbudget: 1 passed, 1 failed, 0 errors' "$work/summary" || complain "no page"
grep -q '^+ --max-model-len ' "$work/summary" || complain "the page does not say what to set"
run 1 'deploy
  with blank

c.sh
' '--gpu l4'
counts 'kvbudget: 2 passed, 1 failed, 0 errors'
run 2 '
   ' ''
grep -qF "::error title=kvbudget::the input 'paths' is empty" "$work/out" || complain "no word of the empty input"

# What would be a command, a pattern or a flag in a shell is the name of a file that is not there.
for hostile in '$(touch pwned)' '`touch pwned`' '; touch pwned' '*' '--help' '-'; do
    run 4 "$hostile
\$(touch pwned)" '--gpu l4'
done
run 4 deploy '--gpu l4 ; touch pwned'
run 4 deploy '$(touch pwned)'
run 2 deploy '--gpu l4 --nothing'
[ ! -e "$work/repo/pwned" ] || complain "text was run"

# Thirty failures stay within what GitHub shows of a step: ten of a level.
for i in $(seq 30); do printf "$fails" >"$work/repo/deploy/f$i.sh"; done
run 1 deploy '--gpu l4'
[ "$(grep -c '^::error' "$work/out")" = 10 ] || complain "$(grep -c '^::error' "$work/out") annotations"
[ "$(grep -c '^| fail' "$work/summary")" = 30 ] || complain "the page does not have all"
rm "$work"/repo/deploy/f*.sh

# On a pull request the page says what moved, where the base was fetched.
if command -v git >/dev/null; then
    export HOME="$work" GIT_CONFIG_NOSYSTEM=1
    git -C "$work/repo" init -q .
    commit() { git -C "$work/repo" add -A && git -C "$work/repo" -c user.name=a -c user.email=a@example.com commit -qm "$1"; }
    commit one
    run 0 deploy '--gpu l4'
    grep -q 'What moved' "$work/summary" && complain "there is no base"
    sed -i 's/4096/8192/' "$work/repo/deploy/a.sh"
    commit two
    run 0 deploy '--gpu l4'
    grep -qF '| **changed** vllm serve Qwen/Qwen2.5-0.5B-Instruct, pass |' "$work/summary" || complain "what moved is not said"
    run 0 deploy '--gpu l4' HEAD
    grep -q 'What moved since HEAD$' "$work/summary" || complain "the input 'against' is not used"
fi

# The tool is installed only where it is not there already.
mkdir -p "$work/action/scripts" "$work/temp"
printf '#!/bin/sh\nmkdir -p "$1" && ln -s %s "$1/kvbudget"\n' "$tool" >"$work/action/scripts/ci-install"
chmod +x "$work/action/scripts/ci-install"
step 1 >"$work/step"
: >"$work/path"
GITHUB_ACTION_PATH="$work/action" RUNNER_TEMP="$work/temp" GITHUB_PATH="$work/path" PATH="/usr/bin:/bin" bash -e "$work/step"
[ "$(cat "$work/path")" = "$work/temp/kvbudget" ] && [ -x "$work/temp/kvbudget/kvbudget" ] || complain "it was not installed"
: >"$work/path"
GITHUB_ACTION_PATH="$work/action" RUNNER_TEMP="$work/other" GITHUB_PATH="$work/path" PATH="$bin:/usr/bin:/bin" bash -e "$work/step"
[ ! -s "$work/path" ] || complain "it was installed a second time"
exit $failed
