# On a terminal: its width, and colours unless NO_COLOR is set or the terminal has none.
make_run small run.roast
on_terminal() {
    COLUMNS_OF_TERMINAL=$1 "$PYTHON" - "${@:2}" << 'PYTHON'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    # Before anything is drawn, so that nothing depends on who is first.
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(os.environ["COLUMNS_OF_TERMINAL"]), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
try:
    while part := os.read(terminal, 65536):
        seen += part
except OSError:
    pass
os.waitpid(pid, 0)
text = re.sub(r"\033\[[0-9]+m", "", seen.decode())
print("no colours" if text == seen.decode() else "colours", max(len(line) for line in text.splitlines()))
PYTHON
}
on_terminal 72 roast show run.roast --only notes
on_terminal 110 roast show run.roast --only notes
export TERM=xterm
on_terminal 72 env NO_COLOR=1 roast show run.roast --only notes
on_terminal 72 env TERM=dumb roast show run.roast --only notes
on_terminal 72 roast show run.roast --only notes --color never --width 90
on_terminal 72 env COLUMNS=100 roast show run.roast --only notes --color never
