# What zsh completes, in a terminal of its own: each argument is typed with a tab behind it, and the line is printed.
#   zsh -f zsh.zsh FOLDER_OF__kvbudget LINE...
zmodload zsh/zpty
folder=$1
shift
for line in "$@"; do
    zpty shell "zsh -f -i"
    zpty -w shell "unsetopt zle_bracketed_paste beep; PS1=; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' expand-or-complete; bindkey -s '^X' '^A: ^E#\n'; setopt interactive_comments; show() { print -r -- \"<\$BUFFER>\"; zle kill-whole-line }; zle -N show; bindkey '^T' show; print ready:now"
    zpty -r -m shell ready '*ready:now*'
    zpty -n -w shell "$line"$'\t'$'\x14'
    zpty -r -m shell said '*<kvbudget *>*'
    said=${said##*<}
    print -r -- "${said%%>*}"
    zpty -d shell
done
