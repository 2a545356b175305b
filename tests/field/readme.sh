#!/bin/sh
# The accuracy that the README opens with is the one that docs/accuracy.md, made from the record, says first.
#   readme.sh SOURCE_FOLDER
set -u
cd "$1" || exit 2
said=$(tr '\n' ' ' <README.md) page=docs/accuracy.md wrong=0
expect() { case $said in *"$1"*) ;; *) echo "README.md does not say '$1', as $page does"; wrong=1 ;; esac; }

unfed=$(sed -n '/^## Runs that fed nothing/,/^## Runs that fed a figure/p' $page)
runs=$(echo "$unfed" | sed -n 's/^\([0-9]*\) runs, .*/\1/p' | head -n 1)
answered=$(echo "$unfed" | sed -n 's/^[0-9]* runs, \([0-9]*\) answered.*/\1/p' | head -n 1)
expect "Of $runs public vLLM starts that fed none of its constants it answers $answered;"
echo "$unfed" | grep '^| KV pool |' | head -n 1 | tr -d ' ' | {
    IFS='|' read -r _ _ _ compared median mean p90 worst _
    for figure in "$median" "$mean" "$p90" "$worst"; do expect "${figure%\%} %"; done
    expect "the pools of $compared are off by"
    exit $wrong
} || wrong=1
held=$(echo "$unfed" | sed -n 's/^The bound holds \([0-9]* of [0-9]*\) .*/\1/p' | head -n 1)
expect "the stated bound holds $held."
exit $wrong
