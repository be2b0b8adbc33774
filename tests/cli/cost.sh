# roast --version is asked by scripts and shells: it must cost next to nothing.
command -v valgrind > /dev/null || { echo "valgrind is not there"; exit 77; }
ldd "$(command -v roast)" | grep -q asan && { echo "sanitizers do not run under valgrind"; exit 77; }
collected=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null roast --version 2>&1 | sed -n 's/.*Collected : //p')
((collected > 0 && collected < 5000000)) && echo "less than 5 million instructions" || echo "$collected instructions"
