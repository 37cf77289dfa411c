"""Sends a signal to a command once it has taken so much time of the processor, and prints how it ended.

    stop_at.py SIGNAL SECONDS COMMAND...

A time of the processor, not of the clock: how busy the machine is does not matter.
"""
import os
import signal
import subprocess
import sys
import time


def taken(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # in user and in system mode


number = getattr(signal, sys.argv[1])
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's job in the background ignores it
command = subprocess.Popen(sys.argv[3:])
while command.poll() is None and taken(command) < float(sys.argv[2]):
    time.sleep(0.01)
command.send_signal(number)
ended = command.wait()
print("by the signal" if ended == -number else f"status {ended}")
