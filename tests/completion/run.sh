#!/bin/sh
# The completion scripts in the shells themselves, where they are installed: commands, words, names.
#   run.sh TOOL ; exit code 77 when none is here
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/zsh"
ln -s "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "$work/bin/kvbudget"
PATH=$work/bin:$PATH HOME=$work
export PATH HOME
failed=0 tried=0
holds() { # SHELL WANTED GOT
    tried=$((tried + 1))
    [ "$2" = "$3" ] || { printf '%s: wanted\n%s\ngot\n%s\n' "$1" "$2" "$3" >&2; failed=1; }
}

if command -v bash >/dev/null 2>&1; then
    kvbudget completion bash >"$work/bash"
    said=$(timeout 100 bash -uc "source $work/bash
        for line in 'kvbudget pl' 'kvbudget plan --gpu rtx5090-l' 'kvbudget plan --kv-cache-dtype fp8_ds' 'kvbudget profiles i' 'kvbudget help swe' \\
            'kvbudget manual po' 'kvbudget sweep --figure sl' 'kvbudget models --task vis'; do
            read -ra COMP_WORDS <<<\"\$line\"
            COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1))
            _kvbudget
            echo \"\${COMPREPLY[*]}\"
        done")
    holds bash 'plan
rtx5090-laptop
fp8_ds_mla
import
sweep
policy
slack
vision' "$said"
fi
if command -v zsh >/dev/null 2>&1; then
    kvbudget completion zsh >"$work/zsh/_kvbudget"
    said=$(timeout 100 zsh -f "$here/zsh.zsh" "$work/zsh" 'kvbudget pl' 'kvbudget plan --gpu rtx5090-l' 'kvbudget plan --kv-cache-dtype fp8_ds' \
        'kvbudget plan --model=Qwen/Qwen3-8B-A' | tr -d '\r')
    holds zsh 'kvbudget plan 
kvbudget plan --gpu rtx5090-laptop 
kvbudget plan --kv-cache-dtype fp8_ds_mla 
kvbudget plan --model=Qwen/Qwen3-8B-AWQ ' "$said"
fi
if command -v fish >/dev/null 2>&1; then
    kvbudget completion fish >"$work/kvbudget.fish"
    said=$(timeout 100 fish -N -c "source $work/kvbudget.fish
        for line in 'kvbudget pl' 'kvbudget plan --gpu rtx5090-l' 'kvbudget plan --kv-cache-dtype fp8_ds' 'kvbudget plan --model Qwen/Qwen3-8B-A'
            complete -C \$line
        end" | cut -f 1)
    holds fish 'plan
rtx5090-laptop
fp8_ds_mla
Qwen/Qwen3-8B-AWQ' "$said"
fi
[ $tried -gt 0 ] || exit 77
exit $failed
