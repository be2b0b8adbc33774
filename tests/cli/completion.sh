# The script is what bash understands, and offers what there is.
roast completion bash > script && bash -n script && source ./script
offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _roast; echo "${COMPREPLY[*]}"; }
touch a.roast
offer roast sh
offer roast show --s
offer roast export run.roast --to ""
offer roast export run.roast -t c
offer roast show --color a
offer roast show a.
offer roast show la
