"""What the scripts of this folder share: command lines, and replays side by side that an interrupt ends at once."""
import argparse, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

REPRISE = os.environ.get('REPRISE', os.environ.get('BUILD', 'build') + '/reprise')
running, stopped = set(), []


def command_line(text):
    """A parser; what it refuses ends the script with status 2."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)


def check_names(parser, what, given, names):
    for name in given:
        if name not in names:
            parser.error(f'no {what} {name!r}; there are {", ".join(names)}')


def check_texts(parser, given, rows, names):
    """Each text must be in some row; names: what the rows are made of."""
    for text in given:
        if not any(text in row for row in rows):
            parser.error(f'nothing has {text!r} in it; there are {", ".join(names)}')


def check_machines(parser, given):
    """Each must be a GPU: a chip of cores replays no kernels."""
    folder = os.environ.get('REPRISE_MACHINES', 'hw-models/machines')
    names = sorted(name.removesuffix('.cfg') for name in os.listdir(folder) if name.endswith('.cfg'))
    check_names(parser, 'machine', [name for name in given if not os.path.isfile(name)], names)
    for name in given:
        if re.search(rb'^kind = "cores"', output([REPRISE, 'machine', 'show', name]), re.MULTILINE):
            parser.error(f"machine {name} has cores, which replay programs that 'reprise record --guest' records: give a GPU")


def output(command):
    """What a command prints. It is stopped with the script."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    running.add(process)
    if stopped:
        process.kill()
    printed = process.communicate()[0]
    running.discard(process)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return printed


def side_by_side(work, items):
    """The results of all items, in their order."""
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        return [future.result() for future in [pool.submit(work, item) for item in items]]
    except BaseException:
        stopped.append(True)
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            process.kill()
        raise
    finally:
        pool.shutdown()


def failed_system(error):
    """What a call of the system could not do, for people."""
    if error.filename is None:
        return f'standard output: {error.strerror}'
    way_out = '; make builds it, and REPRISE names another one' if error.filename == REPRISE else ''
    return f'{error.filename}: {error.strerror}{way_out}'


def fail(status, why):
    """Ends the script. What is left to be printed is given up, as printing may be what failed."""
    print(f'{os.path.basename(sys.argv[0])}: {why}', file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)


def status_of(main):
    try:
        return main(sys.argv[1:])
    except SystemExit as ended:
        return ended.code


def run(main):
    """Ends the script with main's status."""
    try:
        status = status_of(main)
        sys.stdout.flush()
    except KeyboardInterrupt:
        fail(130, 'stopped by SIGINT')
    except subprocess.CalledProcessError as failed:
        fail(1, f'status {failed.returncode} of {" ".join(failed.cmd)}')
    except OSError as failed:
        fail(1, failed_system(failed))
    sys.exit(status)
