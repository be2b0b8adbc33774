# What zsh makes of its script: a real one, on a terminal of its own, tells what it would offer.
command -v zsh > /dev/null || { echo "zsh is not installed"; exit 77; }
roast completion zsh > _roast && zsh -n _roast
# Each time that something would be offered, its function compadd says what of it fits.
cat > offer.zsh << 'END'
zmodload zsh/zpty
zpty shell zsh -f -i
expect() { local line; until [[ $line == *$1* ]]; do zpty -r shell line || exit 1; done }
zpty -w shell "PS1= ; autoload -Uz compinit; compinit -u -D; source ./_roast; LISTMAX=1000
    compadd() { local -a offered; builtin compadd -O offered \"\$@\"; (( \$#offered )) && print -r -- \"OFFER \$offered\"; (( \$#offered )) }
    zle -C tell complete-word tell_all; tell_all() { _main_complete; print 'TO''LD' }; bindkey '^I' tell; print 'REA''DY'"
expect READY
for line in $argv; do
    print -r -- "- $line"
    zpty -w -n shell $'\x15'"$line"$'\t'
    until [[ $said == *TOLD* ]]; do
        zpty -r shell said || exit 1
        said=${said//$'\r'/}
        [[ $said == *OFFER\ * ]] && print -r -- ${${said#*OFFER }%$'\n'}
    done
    said=
done
zpty -d shell
END
touch a.roast
timeout 60 zsh -f offer.zsh "roast sh" "roast show --s" "roast export run.roast --to " "roast export run.roast -t c" \
    "roast show --color a" "roast show a." "roast show la" "roast plot run.roast chunk_l" "roast help exp" \
    "roast completion " "roast metrics a."
