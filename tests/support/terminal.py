"""Runs a command in a pseudo-terminal and prints what it writes there as Python literals, one per text between carriage
returns or line ends.

    terminal.py COLUMNS[,COLUMNS...] [--term NAME] [--until TEXT] COMMAND...

Each time that the command has written something, the window takes the next width, if there are several, and the command
gets a line to read. --until ends the command with SIGTERM as soon as TEXT was written."""
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def main():
    args = sys.argv[1:]
    widths = [int(c) for c in args.pop(0).split(",")]
    term, until = "xterm", None
    while args[0].startswith("--"):
        if args[0] == "--term":
            term = args[1]
        else:
            until = args[1].encode()
        args = args[2:]
    master, slave = pty.openpty()
    resize(master, widths[0])
    modes = termios.tcgetattr(slave)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    pid = os.fork()
    if not pid:
        os.setsid()
        for fd in range(3):
            os.dup2(slave, fd)
        os.close(master)
        os.environ["TERM"] = term
        os.execvp(args[0], args)
    os.close(slave)
    out = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
        if len(widths) > 1:
            resize(master, widths.pop(1))
        os.write(master, b"\n")
        if until and until in out:
            os.kill(pid, signal.SIGTERM)
            until = None
    os.waitpid(pid, 0)
    for text in re.split(r"[\r\n]+", out.decode()):
        if text:
            print(repr(text))


main()
