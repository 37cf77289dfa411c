"""Accel-Sim's traces, read and written by a second program than ours.

accelsim.py content KERNELSLIST         prints what a trace says, each address in full
accelsim.py rewrite KERNELSLIST FOLDER FORM   writes it in another form: v2, list, lines, packed
"""
import lzma
import os
import subprocess
import sys


def text(path):
    data = open(path, 'rb').read()
    return (lzma.decompress(data) if path.endswith('.xz') else data).decode()


def addresses(mask, words):
    lanes = [l for l in range(32) if mask >> l & 1]
    way, words = int(words[0]), words[1:]
    if way == 0:
        return [int(w, 16) for w in words[:len(lanes)]], words[len(lanes):]
    base = int(words[0], 16)
    if way == 1:
        return [base + i * int(words[1]) for i in range(len(lanes))], words[2:]
    found = [base][:len(lanes)]
    for w in words[1:len(lanes)]:
        found.append(found[-1] + int(w))
    return found, words[max(1, len(lanes)):]


def instruction(line, version, lines):
    w = line.split()
    w = w[4:] if version < 3 else w
    number, w = (w[0], w[1:]) if lines else ('0', w)
    pc, mask, n = int(w[0], 16), int(w[1], 16), int(w[2])
    dst, opcode, w = w[3:3 + n], w[3 + n], w[4 + n:]
    src, width, w = w[1:1 + int(w[0])], int(w[1 + int(w[0])]), w[2 + int(w[0]):]
    where, w = addresses(mask, w) if width else ([], w)
    return pc, mask, dst, opcode, src, width, where, w, number


KEEP = ('kernel name', 'grid dim', 'block dim', 'shmem', 'nregs', 'binary version', 'cuda stream id', 'nvbit version',
        'accelsim tracer version', 'enable lineinfo')


def kernel(path):
    """Header lines, and blocks: (name, [(warp, [instruction])])."""
    header, blocks, version, lines = [], [], 0, False
    for line in text(path).split('\n'):
        line = line.strip()
        if line.startswith('-'):
            header.append(line)
            key, value = line[1:].split(' = ')
            if key == 'accelsim tracer version':
                version = int(value)
            lines |= key == 'enable lineinfo' and value == '1'
        elif line.startswith('thread block'):
            blocks.append((line, []))
        elif line.startswith('warp = '):
            blocks[-1][1].append((int(line[7:]), []))
        elif line and not line.startswith(('#', 'insts', 'cluster')):
            blocks[-1][1][-1][1].append(instruction(line, version, lines))
    return header, blocks


def content(path):
    for line in open(path):
        line = line.strip()
        if not line.startswith('kernel'):
            print(line)
            continue
        print('kernel')
        header, blocks = kernel(os.path.join(os.path.dirname(path), line))
        for h in header:
            if h[1:].split(' = ')[0] in KEEP:
                print(h)
        for name, warps in blocks:
            print(name)
            for number, instructions in warps:
                for i in instructions:
                    print(number, *i)


def write(i, version, lines, name, warp, way):
    pc, mask, dst, opcode, src, width, where, more, _ = i
    out = []
    if version < 3:
        out += name.split(' = ')[1].split(',') + [warp]
    if lines:
        out.append(pc // 16 + 1)
    out += [f'{pc:04x}', f'{mask:08x}', len(dst), *dst, opcode, len(src), *src, width]
    if width and way == 'list':
        out += [0] + [f'{a:#x}' for a in where]
    elif width:
        out += [2, f'{where[0] if where else 0:#x}'] + [b - a for a, b in zip(where, where[1:])]
    return ' '.join(map(str, out + more)) + ' '


def number(n, size=4):
    return n.to_bytes(size, 'little')


def packed(header, blocks, path, folder):
    """As docs/accelsim.md describes .tracez, in pieces of 100 instructions."""
    body, index = ('\n'.join(header) + '\n').encode() + b'\0' + number(0) + number(100), number(len(blocks))
    for name, warps in blocks:
        x, y, z = map(int, name.split(' = ')[1].split(','))
        index += b''.join(map(number, (x, y, z, 0, 0, 0, 0, 0, 0, 0, len(warps))))
        for warp, instructions in warps:
            parts = [instructions[i:i + 100] for i in range(0, len(instructions), 100)]
            index += number(len(instructions)) + number(len(parts)) + number(len(body), 8)
            index += b''.join(number(len(p)) for p in parts)
            body += number(len(instructions)) + number(len(parts))
            for p in parts:
                lines = '\n'.join(write(i, 3, False, name, warp, 'delta') for i in p)
                frame = subprocess.run(['zstd', '-cq', '--stream-size=' + str(len(lines))], input=lines.encode(),
                                       stdout=subprocess.PIPE, check=True).stdout
                body += number(len(frame)) + frame
    with open(path, 'wb') as out:
        out.write(body + index + number(len(body), 8))


def plain(header, blocks, path, form):
    version = 2 if form == 'v2' else 5 if form == 'lines' else 3
    with open(path, 'w') as out:
        for h in header:
            out.write(f'-accelsim tracer version = {version}\n' if h.startswith('-accelsim') else h + '\n')
        if form == 'lines':
            out.write('-enable lineinfo = 1\n')
        out.write('\n#traces format = \n')
        for name, warps in blocks:
            out.write(f'\n#BEGIN_TB\n\n{name}\n')
            for warp, instructions in warps:
                out.write(f'\nwarp = {warp}\ninsts = {len(instructions)}\n')
                for i in instructions:
                    out.write(write(i, version, form == 'lines', name, warp, form) + '\n')
            out.write('\n#END_TB\n')


def rewrite(path, folder, form):
    os.makedirs(folder)
    with open(f'{folder}/kernelslist.g', 'w') as to:
        for line in open(path):
            line = line.strip()
            if line.startswith('kernel'):
                header, blocks = kernel(os.path.join(os.path.dirname(path), line))
                line = line.split('.')[0] + ('.tracez' if form == 'packed' else '.traceg')
                if form == 'packed':
                    packed(header, blocks, f'{folder}/{line}', folder)
                else:
                    plain(header, blocks, f'{folder}/{line}', form)
            to.write(line + '\n')


if sys.argv[1] == 'content':
    content(sys.argv[2])
else:
    rewrite(*sys.argv[2:])
