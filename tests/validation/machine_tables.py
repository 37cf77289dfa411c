"""Which machines have instruction caches, constant caches and TLBs, and how they divide an SM's array between L1 and shared memory: prints the tables
of docs/machines.md. Machines with the same row share it."""
import json

from script import REPRISE, command_line, output, run

PAGE = 'docs/machines.md'
ALWAYS = 'always at hand'


def size(bytes_of):
    for unit, letter in ((1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')):
        if bytes_of and bytes_of % unit == 0:
            return f'{bytes_of // unit}{letter}'
    return str(bytes_of)


def caches(options, part):
    """Sizes of a cache and of those behind it, as the options say."""
    sizes, at = [], part
    while f'{at}.sets' in options:
        sizes.append(size(options[f'{at}.line'] * options[f'{at}.sets'] * options[f'{at}.ways']))
        at += '.next'
    return ', '.join(sizes) or ALWAYS


def translations(options):
    found = [f'{options[f"{part}.entries"]:,} x {size(options[f"{part}.page"])}' for part in ('tlb', 'l2_tlb') if f'{part}.entries' in options]
    return ', '.join(found) or 'none'


def table(head, row_of, machines):
    rows = {}
    for name, options in machines.items():
        row = row_of(options)
        if row:
            rows.setdefault(row, []).append(name)
    lines = ['| ' + ' | '.join(head) + ' |', '|---|' + (len(head) - 1) * '---|']
    return '\n'.join(lines + [f'| {", ".join(names)} | ' + ' | '.join(row) + ' |' for row, names in rows.items()]) + '\n'


def tables():
    names = [line.split()[0] for line in output([REPRISE, 'machine', 'list']).decode().splitlines()]
    machines = {name: json.loads(output([REPRISE, 'machine', 'show', '--json', name]))['options'] for name in names}
    gpus = {name: o for name, o in machines.items() if o.get('pipeline.model') == 'direct'}
    return {'caches': table(['machines', 'instruction caches', 'constant caches', 'entries of TLBs, of an SM and of all'],
                            lambda o: (caches(o, 'icache'), caches(o, 'constants'), translations(o)), gpus),
            'unified': table(['machines', '`l1.unified`', '`l1.shared_sizes`'], lambda o: o.get('l1.unified') and
                             (size(o['l1.unified']), ','.join(size(int(s)) for s in str(o['l1.shared_sizes']).split(','))), gpus)}


def main(arguments):
    parser = command_line(__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument('--write', action='store_true', help=f'put the tables into {PAGE}')
    what.add_argument('--check', action='store_true', help=f'exit status 1 if {PAGE} has other tables')
    given = parser.parse_args(arguments)
    with open(PAGE) as f:
        old = page = f.read()
    for name, text in tables().items():
        begin, end = page.index(f'<!-- {name} -->\n') + len(f'<!-- {name} -->\n'), page.index(f'<!-- end of {name} -->')
        page = page[:begin] + text + page[end:]
        if not given.write and not given.check:
            print(text)
    if given.check and page != old:
        print(f'{PAGE}: other tables; tests/validation/machine_tables.py --write writes them')
        return 1
    if given.write:
        with open(PAGE, 'w') as f:
            f.write(page)
    return 0


if __name__ == '__main__':
    run(main)
