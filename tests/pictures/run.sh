#!/bin/sh
# Drawings and pages are well-formed XML with a title and a description, load nothing, hold the figures of the JSON, and a
# headless browser, where there is one, shows them without a word on its console.
#   run.sh TOOL
set -u
tool=$1
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

check() { # NAME COMMAND...
    name=$1
    shift
    "$tool" "$@" --json >"$work/$name.json" 2>/dev/null
    for form in svg html; do
        file=$work/$name.$form
        "$tool" "$@" --format $form >"$file" 2>/dev/null
        xmllint --noout "$file" || complain "$name: the $form is no XML"
        grep -q '<title id="title0">..*</title>' "$file" && grep -q '<desc id="desc0">..*</desc>' "$file" ||
            complain "$name: the $form has no title or no description"
        grep -nE '<script|src=|href=|url\(|@import' "$file" && complain "$name: the $form loads something"
        same_figures "$file" "$work/$name.json" "$name.$form"
        if [ -n "$browser" ] && case $name.$form in fits.html|grid.svg|models.html) true ;; *) false ;; esac; then
            timeout 120 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=1000 \
                --user-data-dir="$work/browser" --dump-dom "file://$file" >"$work/dom" 2>"$work/console"
            grep -q '</svg>' "$work/dom" || complain "$name: the browser shows no drawing of the $form"
            grep -E 'CONSOLE' "$work/console" && complain "$name: the browser complains about the $form"
        fi
    done
}

check fits plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 16k
check misses plan --model Qwen/Qwen3-14B --gpu rtx4090 --max-model-len 32k
check hostile plan --model Qwen/Qwen3-8B --gpu l4 --reserve 'a<b>&"=1GiB'
check grid sweep --model Qwen/Qwen3-8B --gpu l4,2xl4 --max-model-len 8k..32k:x2 --figure tokens
check rows sweep --model Qwen/Qwen3-8B,Qwen/Qwen3-4B --gpu l4,2xl4 --max-model-len 8k,16k --figure pool
check models models --gpu rtx4060 --family qwen3
[ -n "$browser" ] && echo "opened in $browser" || echo "no browser is here: only the files were checked"
exit $failed
