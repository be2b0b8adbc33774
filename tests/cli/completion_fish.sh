# What fish makes of its script.
command -v fish > /dev/null || { echo "fish is not installed"; exit 77; }
roast completion fish > roast.fish && fish --no-execute roast.fish
offer() { echo "- $1"; fish --no-config -c 'source roast.fish; complete -C "$argv[1]"' "$1" | cut -f 1 | head -12 | tr '\n' ' '; echo; }
touch a.roast
offer "roast sh"
offer "roast show --s"
offer "roast export run.roast --to "
offer "roast export run.roast -t c"
offer "roast show --color a"
offer "roast show a."
offer "roast show la"
offer "roast plot run.roast chunk_l"
offer "roast help exp"
offer "roast completion "
offer "roast metrics a."
fish --no-config -c 'source roast.fish; complete -C "roast show --sal"'
