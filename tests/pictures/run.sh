#!/bin/sh
# Drawings and pages are well-formed XML with a title and a description, load nothing, hold the figures of the JSON, and a
# headless browser, where there is one, shows them without a word on its console.
#   run.sh [--update] TOOL SOURCE_FOLDER
set -u
update=no
[ "$1" = --update ] && update=yes && shift
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export KVBUDGET_OFFLINE=1 NO_COLOR=1
unset COLUMNS
failed=0
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)

complain() {
    echo "$1" >&2
    failed=1
}

command -v xmllint >/dev/null || complain "xmllint is missing: apt-get install libxml2-utils"

# Every figure of the drawing is a number of the JSON; there are some.
same_figures() { # DRAWING JSON NAME
    grep -o 'data-figure="[^"]*"' "$1" | sed 's/.*="//;s/"//' | sort -u >"$work/drawn"
    grep -oE '[-]?[0-9]+(\.[0-9]+)?' "$2" | sort -u >"$work/numbers"
    [ -s "$work/drawn" ] || complain "$3: no figure is drawn"
    while read -r figure; do
        grep -qxF -- "$figure" "$work/numbers" || complain "$3: $figure is drawn and not in the JSON"
    done <"$work/drawn"
}

# Of the boxes of one STYLE the larger figure is never the smaller side; of a falling one never the larger.
monotone() { # DRAWING STYLE SIDE LEAST [falling]
    sed -n "/y=\"70\"/d;s/.*<rect class=\"$2\".* $3=\"\([0-9]*\)\".*data-figure=\"\(-*[0-9]*\)\".*/\2 \1/p" "$1" |
        sort -n >"$work/boxes"
    [ "$(wc -l <"$work/boxes")" -ge "$4" ] || complain "$1: fewer than $4 boxes of $2"
    awk -v sign="${5:+-}1" 'NR > 1 && $2 * sign < before {bad = 1} {before = $2 * sign} END {exit bad}' "$work/boxes" ||
        complain "$1: a figure is drawn against its order"
}

files=
check() { # NAME COMMAND ARGUMENT...
    name=$1
    command=$2
    shift 2
    "$tool" "$command" --json "$@" >"$work/$name.json" 2>/dev/null
    for form in svg html; do
        file=$work/$name.$form
        "$tool" "$command" --format $form "$@" >"$file" 2>/dev/null
        xmllint --noout "$file" || complain "$name: the $form is no XML"
        grep -q '<title id="title0">..*</title>' "$file" && grep -q '<desc id="desc0">..*</desc>' "$file" ||
            complain "$name: the $form has no title or no description"
        grep -nE '<script|src=|href=|url\(|@import' "$file" && complain "$name: the $form loads something"
        [ "$name" = unknown ] || same_figures "$file" "$work/$name.json" "$name.$form"
        files="$files $name.$form"
    done
}

# All of them in one browser, each in a frame: a drawing is there, its figures are those of the file, nothing was
# requested, and the console is silent.
open_all() {
    {
        echo '<!DOCTYPE html><title>all</title><body>'
        for file in $files; do echo "<iframe src=\"$file\" width=\"900\" height=\"600\"></iframe>"; done
        echo '<script>onload = () => { for (const frame of document.querySelectorAll("iframe")) {'
        echo ' const page = frame.contentDocument, line = document.createElement("p");'
        echo ' line.textContent = ["seen", frame.getAttribute("src"), page.querySelectorAll("svg").length,'
        echo '  page.querySelectorAll("[data-figure]").length,'
        echo '  frame.contentWindow.performance.getEntriesByType("resource").length].join(" ");'
        echo ' document.body.append(line); } }</script>'
    } >"$work/all.html"
    timeout 240 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --enable-logging=stderr \
        --allow-file-access-from-files --virtual-time-budget=5000 --user-data-dir="$work/browser" \
        --dump-dom "file://$work/all.html" >"$work/dom" 2>"$work/console"
    for file in $files; do
        figures=$(grep -o 'data-figure=' "$work/$file" | wc -l)
        grep -q "seen $file 1 $figures 0<" "$work/dom" ||
            complain "$file: not one drawing with $figures figures and no request: $(grep -o "seen $file [0-9 ]*" "$work/dom")"
    done
    grep -E 'CONSOLE' "$work/console" && complain "the browser complains"
    echo "$(echo $files | wc -w) pages and drawings opened in $browser"
}

# One reading in five seconds: a jump, then a slow rise with a peak in it.
awk 'BEGIN {
    print "timestamp, index, memory.used [MiB], memory.total [MiB]"
    for (i = 0; i < 200; i++)
        printf "2026/01/02 10:%02d:%02d.000, 0, %d MiB, 24576 MiB\n", i * 5 / 60, i * 5 % 60, \
            (i < 20 ? 500 : 20000 + i) + (i == 111 ? 900 : 0)
}' >"$work/series.csv"

check fits plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 16k
check misses plan --model Qwen/Qwen3-14B --gpu rtx4090 --max-model-len 32k
check hostile plan --model Qwen/Qwen3-8B --gpu l4 --reserve 'a<b>&"=1GiB'
check grid sweep --model Qwen/Qwen3-8B --gpu l4,2xl4 --max-model-len 8k..32k:x2 --figure tokens
check rows sweep --model Qwen/Qwen3-8B,Qwen/Qwen3-4B --gpu l4,2xl4 --max-model-len 8k,16k --figure pool
check models models --gpu rtx4060 --family qwen3
check engine plan --gpu 4060 -- llama-server -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 16384
check training plan tests/fixtures/residents/verl.yaml
check log explain tests/fixtures/logs/too-long-known.log --gpu rtx-4090
check unknown explain tests/fixtures/logs/unknown.log
check series explain "$work/series.csv"
check gate check tests/fixtures/manifests/gate tests/fixtures/plan/small.yaml
check shares sweep --model Qwen/Qwen3-8B --gpu l4 --gpu-memory-utilization 0.8..0.95:+0.05 --figure pool
# What moved since a commit is a table of the page, and files that gave no deployment are listed.
mkdir "$work/repo" && cd "$work/repo" && git init -q . && git config user.email a@b.c && git config user.name a
echo 'vllm serve Qwen/Qwen3-8B --max-model-len 8192 # kvbudget: gpu=l4' >run.sh
echo 'vllm is started elsewhere' >other.sh
git add . && git commit -qm first && sed -i 's/8192/4096/' run.sh
"$tool" check . --against HEAD --format html >"$work/moved.html" 2>/dev/null
cd "$OLDPWD" || exit 2
xmllint --noout "$work/moved.html" || complain "moved: it is no XML"
grep -q '<td>--max-model-len</td><td>8192</td><td>4096</td>' "$work/moved.html" || complain "moved: what moved is not there"
files="$files moved.html"

# What the figures order the picture orders.
# The pictures of the README are those of today: sh tests/pictures/run.sh --update TOOL . draws them again.
kept() { # NAME COMMAND...
    kept=docs/pictures/$1.svg
    shift
    "$tool" "$@" --format svg 2>/dev/null >"$work/kept"
    [ $update = yes ] && cp "$work/kept" "$kept"
    cmp -s "$work/kept" "$kept" || complain "$kept is not what $* draws"
}
kept fits plan --model Qwen/Qwen3-14B-AWQ --gpu rtx4090 --max-model-len 16k
kept misses plan --model Qwen/Qwen3-14B --gpu rtx4090 --max-model-len 32k
monotone "$work/models.svg" weights width 5
monotone "$work/fits.svg" cache height 3 falling
monotone "$work/series.svg" weights y 40 falling
[ "$(grep -o 'data-figure="[^"]*"' "$work/shares.svg" | sed 's/.*="//;s/".*//' | tee "$work/pools" | wc -l)" = 4 ] &&
    sort -n "$work/pools" | cmp -s - "$work/pools" || complain "shares: a larger share has no larger pool"
grep -c 'class="curve"' "$work/series.svg" | grep -qx 49 || complain "series: 50 stretches were expected"
grep -q "data-figure=\"$(((20111 + 900) * 1048576))\"" "$work/series.svg" || complain "series: its peak is lost"
[ -n "$browser" ] && open_all || echo "no Chromium is here (apt-get install chromium): only the files were checked"
exit $failed
