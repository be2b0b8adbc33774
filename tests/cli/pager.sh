# What is longer than the terminal goes through the pager, and nothing else does; who leaves it early has seen enough.
make_run small run.roast
cat > paged << 'END'
#!/bin/sh
wc -l > page; echo "paged, LESS=$LESS"
END
cat > colours << 'END'
#!/bin/sh
grep -c "$(printf '\033')" | sed 's/^0$/no colours/; s/^[0-9]*$/colours/'
END
chmod +x paged colours
on_terminal() { # rows, command: what the terminal shows of it
    ROWS=$1 "$PYTHON" - "${@:2}" << 'PYTHON'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", int(os.environ["ROWS"]), 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
try:
    while part := os.read(terminal, 65536):
        seen += part
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
lines = re.sub(r"\033\[[0-9;]*m", "", seen.decode()).splitlines()
shown = "all of it" if len(lines) > 20 and "roast show" in lines[-1] else "; ".join(lines)
print(f"{shown or 'nothing'}, status {status}")
PYTHON
}
on_terminal 24 env PAGER=./paged roast show run.roast
roast show run.roast | wc -l | diff - page && echo "all of it"
on_terminal 24 env PAGER=./colours roast show run.roast
on_terminal 24 env PAGER=./colours roast show run.roast --color never
on_terminal 24 env PAGER=./paged LESS=R roast explain run.roast
on_terminal 60 env PAGER=./paged roast show run.roast
on_terminal 24 env PAGER=./paged roast show run.roast --no-pager
on_terminal 24 env PAGER=cat roast show run.roast
on_terminal 24 env PAGER= roast show run.roast
on_terminal 24 env PAGER="head -n 1" roast show run.roast --all
on_terminal 24 env PAGER=true roast show run.roast
on_terminal 24 env PAGER="no-such-pager 2> /dev/null" roast show run.roast
mkdir none
on_terminal 24 env -u PAGER PATH="$(dirname "$(command -v roast)"):$PWD/none" roast show run.roast
PAGER=./paged roast show run.roast | head -1
