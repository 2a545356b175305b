#!/bin/sh
# A hub that misbehaves in every way that is known, on the loopback: what is said, that nothing is kept, and that no
# token goes where it should not.
#   faults.sh KVBUDGET SERVER STAND_IN
set -u
tool=$1 server=$2 stand_in=$3
work=$(mktemp -d) || exit 2
failed=0
mkfifo "$work/hold"
"$stand_in" small "$work/files" >/dev/null || exit 2
: >"$work/log"
"$server" "$work/files" "$work/log" <"$work/hold" >"$work/ports" &
exec 9>"$work/hold" # the server ends when this is closed
trap 'exec 9>&-; rm -rf "$work"' EXIT
while [ ! -s "$work/ports" ]; do sleep 0.05; done
read -r port second <"$work/ports"

unset KVBUDGET_OFFLINE HF_HUB_OFFLINE HF_TOKEN HUGGING_FACE_HUB_TOKEN HF_TOKEN_PATH HF_HOME HF_HUB_CACHE VLLM_USE_MODELSCOPE
unset https_proxy HTTPS_PROXY http_proxy all_proxy ALL_PROXY XDG_CACHE_HOME KVBUDGET_LIBEXEC
export HOME="$work/home" KVBUDGET_CACHE="$work/cache" HF_ENDPOINT="http://127.0.0.1:$port" HF_HUB_DOWNLOAD_TIMEOUT=5

complain() {
    echo "$1" >&2
    failed=1
}
# What `hub pull test/NAME` says on standard error, and its exit code.
pull() { # NAME EXIT TEXT
    "$tool" hub pull "test/$1" >"$work/out" 2>"$work/said"
    code=$?
    [ $code -eq "$2" ] || complain "$1: exit code $code, wanted $2: $(cat "$work/said")"
    grep -qF -- "$3" "$work/said" || complain "$1: wanted '$3', said: $(cat "$work/said")"
}
nothing_kept() {
    found=$(find "$work/cache" -path '*snapshots/*' -name 'config.json' -o -name 'new-*' 2>/dev/null)
    [ -z "$found" ] || complain "$1: kept although it failed: $found"
}
fails() { # NAME EXIT TEXT
    pull "$1" "$2" "$3"
    nothing_kept "$1"
}

fails short 4 "config.json: ends after "
fails endless 4 "config.json: longer than the 16777216 bytes that are read of such a file"
fails long 4 "config.json: 10000000000 bytes long; at most 16777216 are read of such a file"
fails page 4 "config.json: what came is no JSON object; a proxy or a page to log in may stand between"
HF_HUB_DOWNLOAD_TIMEOUT=1 fails drip 4 "config.json: less than 512 bytes a second came for 1 seconds"
HF_HUB_DOWNLOAD_TIMEOUT=1 fails silent 4 "nobody answers: Timeout was reached"
fails closed 4 "nobody answers: "
fails loop 4 "config.json: sent on more than 5 times"
fails file 4 "config.json: sent on to what is neither https nor http"
fails nowhere 4 "config.json: sent on to nowhere"
fails secret 4 "there is no test/secret, or it is private and wants HF_TOKEN"
fails gated 4 "test/gated is gated: ask for access on its page, then set HF_TOKEN"
fails private 4 "there is no test/private, or it is private and wants HF_TOKEN"
fails missing 3 "there is no test/missing"
fails branch@other 3 "test/branch has no revision 'other'"
fails banned 4 "too many requests (429); it asks to wait 3600 seconds"
fails broken 4 "config.json: answered 503"
fails huge 4 "model.safetensors: its header says it is 10000000000 bytes long; the format allows 100000000"
fails beyond 4 "model.safetensors: its header says it is 5000 bytes long, the file has 3000"
fails other 4 "model.safetensors: bytes from 0 on were asked for, and others came"
fails unsized 4 "model.safetensors: it is not said how long it is"
fails climbing 4 "model.safetensors.index.json: it names no safetensors files"
fails gap 3 "test/gap has no model-00001-of-00002.safetensors"

# An endpoint that nobody listens on, one that cannot be one, and a helper that is not there.
HF_ENDPOINT=http://127.0.0.1:9 fails nobody 4 "nobody answers: "
HF_ENDPOINT=ftp://127.0.0.1 fails scheme 3 "no http or https address, or no repository and revision"
KVBUDGET_LIBEXEC=$work fails helper 4 \
    "kvbudget-hub is not installed; it is built where libcurl is found (Debian: libcurl4-openssl-dev; cmake -DKVB_HUB=ON)"
KVBUDGET_OFFLINE=1 fails offline 4 "nothing is fetched while KVBUDGET_OFFLINE or HF_HUB_OFFLINE is set"
fails ../x 2 "is no repository's name; expected OWNER/NAME"

# What is mended: cut bodies, servers without ranges, those that ask to wait, those that send on.
for name in resumed norange torn busy elsewhere; do
    pull "$name" 0 "fetched test/$name from http://127.0.0.1:$port, revision main (0123456789ab): 1 files and 1 weight headers"
done
grep -q '^hub /test/resumed/resolve/main/config.json range=[1-9]' "$work/log" || complain "resumed: it began anew"

# A token goes to the endpoint, and to no other host.
export HF_TOKEN=hf_right
pull secret 0 "fetched test/secret"
rm -r "$work/cache"
pull elsewhere 0 "fetched test/elsewhere"
grep -q '^second /test/elsewhere.*token=no' "$work/log" || complain "elsewhere: the second host was not asked"
! grep -q '^second .*token=yes' "$work/log" || complain "elsewhere: the token went to the second host"
grep -q '^hub /test/elsewhere.*token=yes' "$work/log" || complain "elsewhere: the endpoint got no token"
# From a file, too; a wrong one is not printed.
unset HF_TOKEN
echo hf_right >"$work/token"
HF_TOKEN_PATH=$work/token pull secret 0 "fetched test/secret"
rm -r "$work/cache"
HF_TOKEN=hf_wrong fails secret 4 "there is no test/secret, or the token does not reach it"
! grep -rq 'hf_wrong\|hf_right' "$work/said" "$work/out" "$work/cache" || complain "a token was printed or kept"

# A plan fetches, says so in one line, and the next one asks nobody.
line=$("$tool" plan --model test/whole --gpu l4 2>&1 >/dev/null)
case $line in "kvbudget: note: fetched test/whole from http://127.0.0.1:$port, revision main (0123456789ab): 1 files and 1 weight headers, "*) ;;
*) complain "plan says '$line'" ;; esac
before=$(wc -l <"$work/log")
"$tool" plan --model test/whole --gpu l4 >"$work/out" 2>"$work/said" || complain "the second plan fails"
[ ! -s "$work/said" ] || complain "the second plan says $(cat "$work/said")"
"$tool" explain --model test/whole /dev/null >/dev/null 2>&1
"$tool" plan --model test/other-name --offline --gpu l4 >/dev/null 2>&1
HF_HUB_OFFLINE=1 "$tool" plan --model test/other-name --gpu l4 >/dev/null 2>&1
printf 'vllm serve test/other-name\n' >"$work/serve.sh"
"$tool" check --gpu l4 "$work/serve.sh" >/dev/null 2>&1
[ "$before" -eq "$(wc -l <"$work/log")" ] || complain "somebody was asked: $(tail -n 1 "$work/log")"
"$tool" check --gpu l4 --online "$work/serve.sh" >"$work/out" 2>&1 || complain "check --online: $(cat "$work/out")"
[ "$before" -lt "$(wc -l <"$work/log")" ] || complain "check --online asked nobody"

# A GGUF file by its format; a list that climbs out of its folder is not followed.
KVBUDGET_LIBEXEC='' pull gguf:Q5_K_M 3 "test/gguf has no GGUF file of the format Q5_K_M"

# Its header is longer than the first 8 MiB: what is missing is asked for, and the weights are not.
"$tool" plan --model test/gguf:Q4_K_M --gpu l4 >"$work/out" 2>"$work/said" || complain "GGUF: $(cat "$work/said")"
grep -q "fetched test/gguf:Q4_K_M from .* 0 files and 1 weight headers" "$work/said" || complain "GGUF says $(cat "$work/said")"
"$tool" plan --model test/gguf:Q4_K_M --gpu l4 --json >"$work/out" 2>&1
grep -q '"parameters": 106816,' "$work/out" || complain "GGUF: $(grep parameters "$work/out")"
grep -qF 'm-Q4_K_M.gguf range=0-8388607 ' "$work/log" || complain "GGUF: not in parts"
grep -q 'm-Q4_K_M.gguf range=8388608-' "$work/log" || complain "GGUF: it began anew"

# On a terminal the progress shows when it takes over half a second, and is wiped; elsewhere it does not.
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$tool hub pull test/slow" /dev/null >"$work/shown" 2>&1 </dev/null
    grep -q 'fetching test/slow: [0-9]* of [0-9]* requests' "$work/shown" || complain "terminal: $(cat -v "$work/shown")"
    tail -c 400 "$work/shown" | grep -q "fetched test/slow" || complain "terminal: $(cat -v "$work/shown")"
    "$tool" hub prune test/slow >/dev/null
fi
pull slow 0 "fetched test/slow"
! grep -q fetching "$work/said" || complain "progress is shown where there is no terminal"

# Several at once: all get it, and it is kept once.
rm -r "$work/cache"
for i in 1 2 3 4; do "$tool" plan --model test/shared --gpu l4 >"$work/out$i" 2>&1 & pids="${pids:-} $!"; done
for pid in $pids; do wait "$pid" || complain "one of several plans fails"; done
[ "$(find "$work/cache" -name config.json | wc -l)" -eq 1 ] || complain "it is kept more than once"
[ -z "$(find "$work/cache" -name 'new-*')" ] || complain "something is left over"
"$tool" hub list >"$work/out" && grep -q '^test/shared *main *0123456789abcdef' "$work/out" || complain "hub list: $(cat "$work/out")"
"$tool" hub pull test/shared >"$work/out" 2>&1 && grep -qx 'test/shared is here' "$work/out" || complain "hub pull again"
"$tool" hub prune test/shared >"$work/out" && grep -q 'taken away' "$work/out" || complain "hub prune"
[ "$("$tool" hub list)" = "nothing is kept; plan and explain keep what they fetch" ] || complain "hub list after prune"
exit $failed
