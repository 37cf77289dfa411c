"""check.py REPRISE EXPECTED TRACE...: reads, verifies, dumps and replays traces of earlier versions. EXPECTED is a JSON file
with the figures of each; --write makes it anew, which is right only for a trace that is new itself."""
import csv, hashlib, io, json, os, subprocess, sys

def run(*command, statuses=(0,)):
    ran = subprocess.run(command, stdout=subprocess.PIPE)
    if ran.returncode not in statuses:
        sys.exit(f'{command} ended with {ran.returncode}')
    return ran.stdout

def dump(*command):
    """What a warp did, in the form of the text that the hashes are of."""
    lines = ['pc      active   executed instruction, addresses (lane counts from the lowest executed lane)']
    for row in csv.DictReader(io.StringIO(run(*command, '--csv').decode())):
        more = ''.join('  ' + a for a in row['addresses'].split()) + ('  aux=' + row['aux'] if row['aux'] else '')
        lines.append('%06x  %08x %08x  %s%s' % (int(row['pc']), int(row['active']), int(row['executed']),
                                                row['text'].ljust(36 if more else 0), more))
    return ('\n'.join(lines) + '\n').encode()

def figures(reprise, trace):
    info = json.loads(run(reprise, 'info', '--json', trace))['traces'][0]
    dumps = hashlib.sha256()
    for number, launch in enumerate(info['launches']):
        threads = launch['block'][0] * launch['block'][1] * launch['block'][2]
        for block in range(launch['blocks_recorded']):
            for warp in range((threads + 31) // 32):
                dumps.update(dump(reprise, 'dump', trace, '--launch', str(number), '--block', str(block), '--warp', str(warp)))
    verified = json.loads(run(reprise, 'verify', '--json', trace))['traces'][0]
    whole = all(launch['outcome'] == 'complete' for launch in info['launches'])
    replay = json.loads(run(reprise, 'replay', '--json', '--quiet', '--machine', 'orin-wcet', trace,
                            statuses=(0,) if whole else (5,)))['traces'][0]
    keys = ('symbol', 'grid', 'block', 'outcome', 'fault', 'blocks_recorded', 'warp_instructions',
            'thread_instructions', 'chunks', 'mix')
    return {
        'kernels': [{k: kernel[k] for k in ('symbol', 'isa', 'instructions', 'registers')} for kernel in info['kernels']],
        'launches': [{k: launch[k] for k in keys if k in launch} for launch in info['launches']],
        'verified_blocks': verified['blocks'],
        'dump_sha256': dumps.hexdigest(),
        'cycles': [launch['cycles'] for launch in replay['launches']],
    }

write = sys.argv[1] == '--write'
reprise, expected, *traces = sys.argv[1 + write:]
found = {os.path.basename(t): figures(reprise, t) for t in traces}
if write:
    lines = [f'{json.dumps(t)}: {json.dumps(found[t])}' for t in sorted(found)]
    open(expected, 'w').write('{\n' + ',\n'.join(lines) + '\n}\n')
    sys.exit()
wanted = json.load(open(expected))
wrong = [t for t in sorted(wanted.keys() | found.keys()) if wanted.get(t) != found.get(t)]
for t in wrong:
    print(f'{t}: wanted {wanted.get(t)}\nfound {found.get(t)}')
sys.exit(bool(wrong))
