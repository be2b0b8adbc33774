# Colour only when asked for: stdout is no terminal here.
make_run small run.roast
roast show run.roast | grep -c $'\033'
NO_COLOR=1 roast show run.roast --color=never | grep -c $'\033'
roast show run.roast --color always --only notes | cat -v
