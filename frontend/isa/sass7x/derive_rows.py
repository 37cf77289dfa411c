#!/usr/bin/env python3
"""Derives the rows of frontend/isa/sass7x/rows_*.def from a table of encodings in JSON.

    derive_rows.py TABLE.json FOLDER

The rows that are checked in are the source of all that is built. This script says where they come from: it was run
once, and the rows have been corrected by hand since, so running it again does not give them. It reads a file that describes what NVIDIA's disassembler prints for words of sm_70 to sm_90:

    {"enums": [[name, ...], ...], "rows": [row, ...]}
    row: "op" (bits 0 to 11, hex), "name", "arch" (list), "mask" and "value" (of the word, hex), "guard" ("P", "UP"),
         "fill" (bits that are set and not printed, hex), "mods" and "ops" in the order in which they are printed
    mod: a text, or a field with the text of each value ("v", or "e": a number of "enums"); null: refused
    op:  "t" its kind, "n" or "v" the number's field, flags "neg", "abs", "inv", "not", suffixes "s", and what
         operand() below reads
    field: "p" [[lowest bit, bits], ...] from the least significant piece on; "s" signed, "x" multiplier, "c" added,
           "pc" relative to the instruction; or "k" a constant

What has no meaning goes: values that print as INVALIDn or ???n are reserved, and rows that have no other values.
"""
import collections
import json
import re
import sys

ARCHS = [70, 75, 80, 86, 89, 90]
ARCH_SETS = {
    (70, 75, 80, 86, 89, 90): 'ANY', (75, 80, 86, 89, 90): 'FROM_75', (80, 86, 89, 90): 'FROM_80',
    (86, 89, 90): 'FROM_86', (89, 90): 'FROM_89', (80, 86, 89): 'FROM_80_TO_89', (75, 80, 86, 89): 'FROM_75_TO_89',
    (70, 75, 80, 86, 89): 'TO_89', (70, 75): 'TO_75', (70, 75, 80): 'TO_80',
}

# file -> class -> latency -> mnemonics
UNITS = {
    'float': {'FP32': {'FIXED': 'FADD FFMA FMNMX FMUL FSEL FSET FSETP FSWZADD', 'VARIABLE': 'FCHK'},
              'SFU': {'VARIABLE': 'MUFU'}},
    'half': {'FP16': {'FIXED': 'HADD2 HFMA2 HMNMX2 HMUL2 HSET2 HSETP2 VHMNMX'}},
    'double': {'FP64': {'FIXED_90': 'DADD DFMA DMUL DSETP'}},
    'integer': {'INT': {'FIXED': 'BMSK IABS IADD3 IMNMX ISETP LEA LOP3 PLOP3 PRMT SGXT SHF VABSDIFF VABSDIFF4 VIADD '
                                 'VIADDMNMX VIMNMX VIMNMX3',
                        'VARIABLE': 'BREV FLO POPC'},
                'INT_MUL': {'FIXED': 'IDP IMAD'}},
    'conversion': {'CONVERT': {'VARIABLE': 'F2F F2I FRND I2F', 'FIXED': 'F2FP F2IP I2FP'},
                   'INT': {'FIXED': 'I2IP', 'VARIABLE': 'I2I'}},
    'move': {'MOVE': {'FIXED': 'CS2R LEPC MOV P2R R2P SEL', 'VARIABLE': 'B2R S2R'},
             'BARRIER': {'VARIABLE': 'R2B'},
             'SHUFFLE': {'VARIABLE': 'MOVM SHFL'},
             'VOTE': {'FIXED': 'VOTE', 'VARIABLE': 'MATCH REDUX'}},
    'uniform': {'UNIFORM': {'FIXED': 'UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UISETP ULEA ULEPC ULOP3 UMOV UP2UR '
                                     'UPLOP3 UPOPC UPRMT UR2UP USEL USGXT USHF VOTEU ULDC',
                            'VARIABLE': 'S2UR', 'FIXED_90': 'R2UR'}},
    'memory': {'MEMORY': {'VARIABLE': 'LD LDC LDG LDL LDS LDSM ST STG STL STS STSM CCTL CCTLL CCTLT QSPC LDGMC'},
               'FENCE': {'VARIABLE': 'MEMBAR FENCE CGAERRBAR', 'FIXED': 'ERRBAR'}},
    'atomic': {'MEMORY': {'VARIABLE': 'ATOM ATOMG ATOMS RED REDG'}},
    'asynchronous': {'ASYNC': {'VARIABLE': 'ARRIVES LDGDEPBAR LDGSTS REDAS STAS SYNCS UBLKCP UBLKPF UBLKRED UTMACCTL '
                                           'UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG'}},
    'tensor': {'TENSOR': {'FIXED': 'HMMA IMMA', 'VARIABLE': 'BMMA DMMA QMMA BGMMA HGMMA IGMMA QGMMA'},
               'ASYNC': {'FIXED': 'WARPGROUP WARPGROUPSET'}},
    'control': {'CONTROL': {'FIXED': 'BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT JMP JMX JMXU KILL '
                                     'NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD ELECT',
                            'VARIABLE': 'BMOV'},
                'BARRIER': {'FIXED': 'BAR UCGABAR_ARV UCGABAR_WAIT'},
                'NOP': {'FIXED': 'DEPBAR NOP PMTRIG CSMTEST SETCTAID SETLMEMBASE USETSHMSZ ACQBULK ENDCOLLECTIVE '
                                 'PREEXIT', 'VARIABLE': 'GETLMEMBASE'}},
    'texture': {'TEXTURE': {'VARIABLE': 'FOOTPRINT SUATOM SULD SUQUERY SURED SUST TEX TLD TLD4 TMML TXD TXQ'}},
    'graphics': {'MEMORY': {'VARIABLE': 'AL2P ALD AST IPA ISBERD ISBEWR LDTRAM OUT PIXLD'}},
}

# Lists of names that several items share, and what items.h calls them.
LISTS = {
    'FLOAT_COMPARES': 'F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T',
    'INT_COMPARES': 'F LT EQ LE GT NE GE T',
    'SIZES_128': 'U8 S8 U16 S16 - 64 128', 'SIZES_U128': 'U8 S8 U16 S16 - 64 128 U.128', 'SIZES_64': 'U8 S8 U16 S16 - 64',
    'SIZES_ASYNC': '~ ~ ~ ~ - 64 128',
    'HINTS': 'EF - EL LU EU NA', 'PREFETCHES': '- LTC64B LTC128B LTC256B',
    'LOAD_ORDERS': '- CONSTANT.PRIVATE CONSTANT.CTA CONSTANT.CTA.PRIVATE CONSTANT STRONG.SM STRONG.GPU.PRIVATE STRONG.GPU '
                   'MMIO.GPU CONSTANT.SM STRONG.SYS CONSTANT.SM.PRIVATE MMIO.SYS CONSTANT.VC CONSTANT.VC.PRIVATE '
                   'CONSTANT.GPU',
    'STORE_ORDERS': '- CONSTANT.PRIVATE CONSTANT.CTA CONSTANT.CTA.PRIVATE STRONG.SM.PRIVATE STRONG.SM '
                    'STRONG.GPU.PRIVATE STRONG.GPU MMIO.GPU CONSTANT.SM STRONG.SYS CONSTANT.SM.PRIVATE MMIO.SYS '
                    'CONSTANT.VC CONSTANT.VC.PRIVATE CONSTANT.GPU',
    'COPY_ORDERS': '- CONSTANT.PRIVATE CONSTANT.CTA CONSTANT.CTA.PRIVATE CONSTANT MMIO.CTA GPU.PRIVATE '
                   'MMIO.CTA.PRIVATE MMIO.SM CONSTANT.SM MMIO.VC CONSTANT.SM.PRIVATE MMIO.GPU CONSTANT.VC '
                   'CONSTANT.VC.PRIVATE CONSTANT.GPU',
    'SCOPES': 'CTA SM GPU SYS', 'LOAD_STRENGTHS': 'CONSTANT - STRONG MMIO', 'STORE_STRENGTHS': '~ - STRONG MMIO',
    'ATOMIC_STRENGTHS': '~ - STRONG',
    'ATOMIC_OPS': 'ADD MIN MAX INC DEC AND OR XOR EXCH', 'REDUCTION_OPS': 'ADD MIN MAX INC DEC AND OR XOR',
    'GLOBAL_ATOMIC_OPS': 'ADD MIN MAX INC DEC AND OR XOR EXCH SAFEADD',
    'ATOMIC_TYPES': '- S32 64 F32.FTZ.RN F16x2.RN S64 F64.RN', 'EXTREMUM_TYPES': '- S32 64 S64 128',
    'CAS_TYPES': '- S32 64', 'EXCHANGE_TYPES': '- S32 64 ~ 128', 'SIGNED_TYPES': '- S32 64 S64',
    'VECTOR_TYPES': 'F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN ~ ~ ~ F32.FTZ.RN F32x2.FTZ.RN '
                    'F32x4.FTZ.RN F32.RN F32x2.RN F32x4.RN F64.RN',
    'SURFACE_TYPES': '- S32 U64 F32.FTZ.RN F16x2.RN S64 SD32 SD64',
    'SURFACES': '1D 1D_BUFFER 1D_ARRAY 2D 2D_ARRAY 3D', 'CLAMPS': 'IGN - TRAP',
    'COMPONENTS': '~ R ~ RG ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ -',
    'TEXTURES': '1D 2D 3D CUBE ARRAY_1D ARRAY_2D ~ ARRAY_CUBE', 'GATHERS': '~ 2D ~ CUBE ~ ARRAY_2D ~ ARRAY_CUBE',
    'FETCHES': '1D 2D 3D ~ ARRAY_1D ARRAY_2D', 'GRADIENTS': '1D 2D ~ ~ ARRAY_1D ARRAY_2D',
    'LODS': '- LZ LB LL LC LB.LC', 'LODS_FDV': '- LZ LB LL LC LB.LC LC.FDV', 'FETCH_LODS': '~ LZ ~ LL',
    'HALVES': '- F32 H0_H0 H1_H1', 'HALVES_90': '- ~ H0_H0 H1_H1', 'HALVES_NEGATED': '- F32 H0_H0 H1_H1 H0_NH1',
    'MUFU_OPS': 'COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT', 'MUFU_OPS_90': 'COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT TANH',
    'MUFU_OPS_NARROW': 'COS SIN EX2 LG2 RCP RSQ ~ ~ SQRT TANH',
    'INTEGERS_64': 'U8 S8 U16 S16 U32 - U64 S64', 'INTEGERS_32': 'U8 S8 U16 S16 U32',
    'BYTES_HALVES': '- B1 B2 B3 - H1', 'PERMUTES': '- F4E B4E RC8 ECL ECR RC16', 'SCALES': '~ D8 D4 D2 - M2 M4 M8',
    'DOUBLE_COMPARES': 'MIN LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU MAX',
    'BARRIER_REGISTERS': 'B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15',
    'CACHE_OPS': 'PF1 PF2 WB IV ~ RS ~ ~ ~ PML2 DML2 RML2',
    'NARROW_FLOATS': 'F16 BF16 E5M2 E4M3', 'NARROW_INTEGERS': 'U8 S8 ~ ~ U4 S4', 'BYTES': '- B1 B2 B3',
    'REDUCTIONS': '- OR XOR SUM MIN MAX', 'DIMENSIONS': '1D 2D 3D 4D 5D',
}
LIST_NAMES = {tuple(None if w == '~' else '' if w == '-' else w for w in text.split()): name
              for name, text in LISTS.items()}


class Reserved(Exception):
    """The row has no value with a meaning."""


def bit_of(flag):
    """The bit of a flag's field; 0: there is none."""
    if not flag:
        return 0
    (at, width), = flag['p']
    assert width == 1 and flag['v'] == [0, 1]
    return at


def pieces(field):
    p = field['p']
    assert len(p) <= 2, field
    return p


def at_of(field):
    (at, _), = field['p']
    return at


def is_reserved(name):
    return name is None or 'INVALID' in name or '?' in name


def cleaned(names):
    """The names without reserved ones, which are None, and none of these at the end."""
    names = [None if is_reserved(n) else re.sub(r'^BX(?=\d)', 'B', n) for n in names]
    while names and names[-1] is None:
        names.pop()
    if not names:
        raise Reserved
    return names


class Deriver:
    def __init__(self, table):
        self.enums = table['enums']
        self.rows = table['rows']
        self.dropped = []
        self.lists = collections.Counter()

    def names(self, field):
        return cleaned(field['v'] if 'v' in field else self.enums[field['e']])

    def list_text(self, names):
        known = LIST_NAMES.get(tuple(names))
        if known:
            self.lists[known] += 1
            return known
        return ', '.join('NULL' if n is None else f'"{n}"' for n in names)

    # ---- modifiers ----

    def modifier(self, m):
        if isinstance(m, str):
            if is_reserved(m):
                raise Reserved
            return [f'LITERAL("{m}")']
        p = m['p']
        if len(p) == 3:
            return self.modifier_of_three(m)
        names = self.names(m)
        if names == ['']:
            return [f'REQUIRE({p[0][0]}, {p[0][1]}, 0)'] if len(p) == 1 else []
        if len(p) == 2:
            return [f'MODIFIER2({p[0][0]}, {p[0][1]}, {p[1][0]}, {p[1][1]}, {self.list_text(names)})']
        (at, width), = p
        if width == 1 and len(names) == 2 and names[0] == '':
            return [f'FLAG({at}, "{names[1]}")']
        if width == 1 and len(names) == 2 and names[1] == '':
            return [f'UNLESS({at}, "{names[0]}")']
        short = {('', 'RM', 'RP', 'RZ'): 'ROUND', ('AND', 'OR', 'XOR'): 'BOOL'}.get(tuple(names))
        if LIST_NAMES.get(tuple(names)) == 'FLOAT_COMPARES':
            short = 'FCMP_'
        if LIST_NAMES.get(tuple(names)) == 'INT_COMPARES':
            short = 'ICMP_'
        return [f'{short}({at})' if short else f'MODIFIER({at}, {width}, {self.list_text(names)})']

    def modifier_of_three(self, m):
        p = [tuple(x) for x in m['p']]
        if p == [(74, 2), (77, 1), (80, 1)]:  # BAR
            return ['MODIFIER(77, 1, "RED")', 'MODIFIER(74, 2, "POPC", "AND", "OR")', 'FLAG(80, "DEFER_BLOCKING")']
        if p == [(75, 2), (78, 2), (83, 3)]:  # IMMA of sm_75
            types = self.list_text(LIST_OF('NARROW_INTEGERS'))
            return ['MODIFIER2(75, 1, 85, 2, "8816", NULL, "8832")', f'MODIFIER2(76, 2, 83, 1, {types})',
                    f'MODIFIER2(78, 2, 84, 1, {types})']
        raise AssertionError(m)

    # ---- operands ----

    def suffixes(self, op):
        """(reuse slot + 1 or 0, part text, further modifiers)"""
        reuse, part, more = 0, None, []
        for s in op.get('s', []):
            if isinstance(s, str):
                if is_reserved(s):
                    raise Reserved
                part = part or f'PART(0, 0, "{s}")'
                continue
            names = s['v'] if 'v' in s else self.enums[s['e']]
            if 'reuse' in names:
                (at, width), = s['p']
                reuse = at - 121 if width == 1 else 2 if op['n']['p'][0][0] == 64 and self.b_is_c else 3
                if at == 50:
                    reuse = 0
                continue
            names = self.names(s)
            p = pieces(s)
            if names == ['']:
                continue
            text = self.list_text(names)
            place = f'{p[0][0]}, {p[0][1]}' + (f', {p[1][0]}, {p[1][1]}' if len(p) == 2 else '')
            if part is None and op['t'] in ('R', 'UR', 'c', 'cxU'):
                part = f'PART{"2" if len(p) == 2 else ""}({place}, {text})'
            else:
                more += self.modifier(s)
        return reuse, part, more

    @staticmethod
    def signs(op):
        return bit_of(op.get('neg')), bit_of(op.get('abs')) if len((op.get('abs') or {'p': [0]})['p']) == 1 else 73, \
            bit_of(op.get('inv'))

    @staticmethod
    def extras(neg, abs_, inv, part, inside):
        out = []
        if neg:
            out.append(f'.neg = {neg}')
        if abs_:
            out.append(f'.abs = {abs_}')
        if inv:
            out.append(f'.inv = {inv}')
        if part:
            out.append(part)
        if part and inside:
            out.append('.sf_rule = PART_INSIDE')
        return out

    def register(self, op):
        n = op['n']
        if 'e' in n or 'v' in n:
            raise Reserved
        (at, width), = pieces(n)
        reuse, part, more = self.suffixes(op)
        neg, abs_, inv = self.signs(op)
        if op.get('hide'):
            assert not (reuse or part or more or neg or abs_ or inv), op
            return [f'REGISTER_OPT({at})' if op['t'] == 'R' else f'UR_OPT({at})']
        extra = self.extras(neg, abs_, inv, part, op.get('in') and op['t'] == 'R')
        if op['t'] == 'UR':
            if n.get('c'):
                return [f'SWAP_UR({at})']
            return [f'UR_X({", ".join([str(at)] + extra)})' if extra else f'UR({at})'] + more
        name = {(16, 0): 'RD', (24, 1): 'RA', (32, 2): 'RB', (64, 3): 'RC', (64, 2): 'RB64', (32, 3): 'RB_SLOT2'}.get(
            (at, reuse))
        standard = {'RA': (72, 73), 'RB': (63, 62), 'RC': (75, 74), 'RB64': (75, 74), 'RB_SLOT2': (63, 62)}.get(name)
        if name and not extra:
            return [name] + more
        if name and standard and not (inv and (neg or abs_)):
            if (neg, abs_) == standard and not inv:
                return [f'{name}_NA' if not part else f'{name}_NA_({", ".join(extra[2:])})'] + more
            if neg == standard[0] and not abs_ and not part:
                return [f'{name}_N'] + more
            if inv == standard[0] and not part:
                return [f'{name}_I'] + more
        if reuse:
            return [f'SOURCE({", ".join([str(at), str(reuse - 1)] + extra)})'] + more
        if extra:
            return [f'REG({", ".join([str(at)] + extra)})'] + more
        return [f'REGISTER({at})'] + more

    def predicate(self, op):
        n, uniform = op['n'], op['t'] == 'UP'
        if 'k' in n:
            raise Reserved
        (at, width), = pieces(n)
        negate = bit_of(op.get('not'))
        style = ''
        if n.get('x') == -1:
            style = '_INV'
        if op.get('hide'):
            style += '_OPT'
        return [f'{"UP" if uniform else "P"}{style}({at}, {negate})']

    def integer(self, op):
        v = op['v']
        if 'k' in v:
            return [f'OPERAND_NAME(0, 0, "0x{v["k"]:x}")']
        p = [tuple(x) for x in v['p']]
        if len(p) > 2:
            raise Reserved
        unit = (v.get('x', 1)).bit_length() - 1
        assert 1 << unit == v.get('x', 1), v
        f = f'{p[0][0]}, {p[0][1]}'
        g = f', .g = {{{p[1][0]}, {p[1][1]}}}' if len(p) == 2 else ''
        u = f', .unit = {unit}' if unit else ''
        joined = ', .joined = true' if op.get('join') else ''
        if v.get('pc'):
            return [f'TARGET_X({f}{g}{u}{joined})' if g or u or joined else f'TARGET({f})']
        style = 'IMM_S' if v.get('s') else 'IMM_U'
        hide = op.get('hide')
        if hide == ['0x0']:
            style += '_OPTIONAL'
        elif hide == ['0xf']:
            style = 'IMM_QUAD'
        elif hide == ['0xff']:
            style = 'IMM_BYTE'
        else:
            assert not hide, op
        if g or u or joined:
            return [f'NUMBER({style}, {f}{g}{u}{joined})']
        if f == '32, 32' and style in ('IMM_S', 'IMM_U'):
            return ['S32' if style == 'IMM_S' else 'UIMM(32, 32)']
        return [f'UIMM({f})' if style == 'IMM_U' else f'IMM({style}, {f})']

    def float(self, op):
        (at, width), = op['p']
        style = {('f32', 32): 'IMM_F32', ('f64', 32): 'IMM_D32', ('f16', 16): 'IMM_F16', ('f32', 16): 'IMM_BF16',
                 ('bf16', 16): 'IMM_BF16'}[(op['ft'], width)]
        if op.get('s'):
            return [f'NUMBER({style}, {at}, {width}, {self.suffixes(op)[1]})']
        if at == 32 and width == 32:
            return [style[4:]]
        return [f'IMM({style}, {at}, {width})']

    def name(self, op):
        n = op['n']
        if isinstance(n, str):
            if is_reserved(n):
                raise Reserved
            return [f'OPERAND_NAME(0, 0, "{n}")']
        if 'k' in n:
            raise AssertionError(op)
        names = n['v'] if 'v' in n else self.enums[n['e']]
        if op.get('hide') == [''] and n['p'] == [[32, 6]]:
            return ['BARRIERS(32)']
        if names[0] == 'SR_LANEID':
            late = {'SR132': '70', 'SR_VARIABLE_RATE': '75'}[names[132]]
            if names[24] == 'SR_SW_SCRATCH':
                late = '90' if names[136] == 'SR_CgaCtaId' else '80'
            return [f'SPECIAL({n["p"][0][0]}, sass7x_special_{late})']
        if names[0] == 'PPPPPPPP':
            return ['SWIZZLE(32)']
        names = self.names(n)
        p = pieces(n)
        if len(p) == 2:
            return [f'OPERAND_NAME2({p[0][0]}, {p[0][1]}, {p[1][0]}, {p[1][1]}, {self.list_text(names)})']
        return [f'OPERAND_NAME({p[0][0]}, {p[0][1]}, {self.list_text(names)})']

    def constant(self, op):
        kind = op['t']
        o, = pieces(op['oI'])
        unit = op['oI'].get('x', 1).bit_length() - 1
        bank, = pieces(op['bI'] if 'bI' in op else op['bUR'])
        if kind in ('c', 'cxU'):
            reuse, part, more = self.suffixes(op)
            extra = self.extras(*self.signs(op), part, False)
            if kind == 'c' and (tuple(bank), tuple(o), unit) == ((54, 5), (40, 14), 2):
                name, head = 'CB', []
            elif kind == 'cxU' and (tuple(bank), tuple(o), unit) == ((32, 6), (40, 14), 2):
                name, head = 'CX', []
            else:
                name = 'CONSTANT' if kind == 'c' else 'DESCRIBED'
                head = [f'.g = {{{bank[0]}, {bank[1]}}}', f'.f = {{{o[0]}, {o[1]}}}'] + ([f'.unit = {unit}'] if unit else [])
            if not head and not extra:
                return [name] + more
            if not head and extra[:2] == ['.neg = 63', '.abs = 62']:
                return [f'{name}_NA' if not part else f'{name}_NA_({", ".join(extra[2:])})'] + more
            if not head and extra in (['.neg = 63'], ['.inv = 63']):
                return [f'{name}_{"N" if "neg" in extra[0] else "I"}'] + more
            return [f'{name if head else name + "_"}({", ".join(head + extra)})'] + more
        assert unit == 0
        r, = pieces(op['oR'] if 'oR' in op else op['oUR'])
        shown = 'oR' in op.get('show', [])
        reg = (f'SHOWN({r[0]})' if shown else f'REGISTER({r[0]})') if 'oR' in op else f'UR({r[0]})'
        uniform = '.file = FILE_UNIFORM, ' if kind.startswith('cx') else ''
        return [f'INDEXED({uniform}.g = {{{bank[0]}, {bank[1]}}}, .parts = ITEMS({reg}, IMM(IMM_S, {o[0]}, {o[1]})))']

    def address(self, op):
        kind = op['t']
        shown = op.get('show', [])
        brackets = re.match(r'A([a-z]*)(\d)', kind)
        lead, count = brackets.group(1), int(brackets.group(2))
        last = f'p{count - 1}'
        parts = []
        for what in ('R', 'UR', 'I'):
            key = last + what
            if key not in op or (lead.endswith('desc') and count == 1):
                continue
            (at, width), = pieces(op[key])
            part = ''
            for s in op.get(key + 's', []):
                if isinstance(s, str):
                    part = f', PART(0, 0, "{s}")'
                else:
                    (a, w), = pieces(s)
                    part = f', PART({a}, {w}, {self.list_text(self.names(s))})'
            if what == 'I':
                unit = op[key].get('x', 1).bit_length() - 1
                style = 'IMM_S' if op[key].get('s') else 'IMM_U'
                parts.append(f'NUMBER({style}, {at}, {width}, .unit = {unit})' if unit else
                             f'OFFSET({at}, {width})' if style == 'IMM_S' else f'UIMM({at}, {width})')
            else:
                plain = {'R': 'REGISTER', 'UR': 'UR'}[what]
                name = ('SHOWN' if what == 'R' else 'SHOWN_UR') if key in shown else plain
                if part:
                    name = {'REGISTER': 'REG', 'SHOWN': 'SHOWN_X'}[name]
                parts.append(f'{name}({at}{part})')
        _, part, more = self.suffixes({'t': 'A', 's': op.get('s', [])})
        assert not part
        if lead == 'a':
            return [f'ATTRIBUTE({", ".join(parts)})']
        if lead:
            name = lead.upper() + ('_AT' if parts else '')
            return [f'{name}({", ".join([str(at_of(op["p0UR"]))] + parts)})'] + more
        return [f'ADDRESS({", ".join(parts)})'] + more

    def operand(self, op):
        t = op['t']
        if t in ('R', 'UR'):
            return self.register(op)
        if t in ('P', 'UP'):
            return self.predicate(op)
        if t == 'I':
            return self.integer(op)
        if t == 'F':
            return self.float(op)
        if t == 'S':
            return self.name(op)
        if t == 'B':
            return [f'BARRIER_REGISTER({pieces(op["n"])[0][0]})']
        if t == 'SB':
            return ['BARRIER_NAME(44)']
        if t in ('c', 'cxU', 'cR', 'cu', 'cxUR'):
            return self.constant(op)
        if t.startswith('A'):
            return self.address(op)
        raise AssertionError(op)

    # ---- rows ----

    def alias(self, row):
        """IMAD prints what its operands make of it."""
        return row['name'] == 'IMAD' and row['op'] in ('224', '424', '624', '824', 'a24') and \
            not any(m == 'X' or (isinstance(m, dict) and 'X' in (m.get('v') or [])) for m in row['mods'])

    def row(self, row):
        mask, value = int(row['mask'], 16), int(row['value'], 16)
        self.b_is_c = int(row['op'], 16) >> 9 in (2, 3, 7)  # the second source lies in the place of the third
        ops = row['ops']
        if row['name'] == 'ISETP' and ops[-1]['t'] == 'P' and 'w' in ops[-1]['n']:
            mask &= ~(0xf << 68)  # [68:3] is a predicate, negated by 71, that shows unless it is PT
            ops = ops[:-1] + [{'t': 'P', 'n': {'p': [[68, 3]]}, 'not': {'p': [[71, 1]], 'v': [0, 1]}, 'hide': ['PT']}]
        elif row['name'] == 'ISETP' and mask >> 68 & 0xf == 0xf:
            raise Reserved  # the same, by value
        value &= mask
        items = []
        for m in row['mods']:
            if self.alias(row) and (m == 'U32' or (isinstance(m, dict) and 'U32' in m['v'])):
                items.append('IMAD_ALIAS')
            items += self.modifier(m)
        for op, following in zip(ops, ops[1:] + [{}]):
            if 'with' in following:
                items.append(f'PREDICATE_PAIR({at_of(op["n"])}, {at_of(following["n"])})')
            elif 'with' not in op:
                items += self.operand(op)
        required = [i for i in items if i.startswith('REQUIRE')]
        items = [i for i in items if not i.startswith('REQUIRE')]
        bit91 = (value >> 91 & 1) if mask >> 91 & 1 else None
        rest = mask & ~0xfff & ~(1 << 91)
        for at, width in runs(rest):
            required.append(f'REQUIRE({at}, {width}, {value >> at & ((1 << width) - 1)})')
        return dict(name=row['name'], op=row['op'], bit91=bit91, guard=row['guard'], required=tuple(required),
                    items=shortened(items), fill=int(row.get('fill', '0'), 16), archs=set(row['arch']))

    def derive(self):
        out = []
        for row in self.rows:
            try:
                out.append(self.row(row))
            except Reserved:
                self.dropped.append(row)
        return merged(filled(without_bit_91(out)))


def LIST_OF(name):
    return [None if w == '~' else '' if w == '-' else w for w in LISTS[name].split()]


# What items.h calls items that are met often.
SHORT = [
    ('MODIFIER2(76, 1, 80, 1, "", "FMZ", "FTZ")', 'FMZ_FTZ'), ('FLAG(80, "FTZ")', 'FTZ(80)'),
    ('FLAG(77, "SAT")', 'SAT(77)'), ('UNLESS(73, "U32")', 'U32(73)'),
    ('IMM(IMM_F16, 48, 16), IMM(IMM_F16, 32, 16)', 'F16_PAIR'), ('IMM(IMM_BF16, 48, 16), IMM(IMM_BF16, 32, 16)', 'BF16_PAIR'),
    ('PART(90, 1, "U32", "64")', 'WIDTH(90)'), ('PART(72, 1, "U32", "64")', 'WIDTH(72)'),
    ('PART(70, 1, "U32", "64")', 'WIDTH(70)'), ('PART(75, 1, "U32", "64")', 'WIDTH(75)'),
    ('PART(0, 0, "64")', 'IS_64'), ('PART(78, 2, "", "X4", "X8", "X16")', 'SCALE(78)'),
    ('REGISTER(24), OFFSET(40, 24)', 'AT'), ('SHOWN(24), OFFSET(40, 24)', 'AT_SHOWN'),
    ('UR_X(32, .neg = 63, .abs = 62)', 'UB_NA'), ('UR_X(32, .neg = 63, .abs = 62, ', 'UB_NA_('),
    ('UR_X(32, .neg = 63)', 'UB_N'),
    ('UR_X(32, .inv = 63)', 'UB_I'), ('IMM(IMM_QUAD, 72, 4)', 'QUAD(72)'), ('MODIFIER(84, 3, HINTS)', 'HINT(84)'),
    ('UR(32)', 'UB'), ('P(87, 90)', 'PC'), ('P_OPT(87, 90)', 'PC_OPT'),
    ('P_OPT(81, 0)', 'PD0_OPT'), ('P_OPT(84, 0)', 'PD1_OPT'), ('P(81, 0)', 'PD0'), ('P(84, 0)', 'PD1'),
]


def shortened(items):
    """Literals in a row are one; the rest is SHORT's."""
    text = ' ; '.join(items)
    text = re.sub(r'LITERAL\("([^"]*)"\)((?: ; LITERAL\("[^"]*"\))+)',
                  lambda m: 'LITERAL("' + '.'.join([m[1]] + re.findall(r'"([^"]*)"', m[2])) + '")', text)
    text = text.replace('IMM(IMM_F16, 48, 16) ; IMM(', 'IMM(IMM_F16, 48, 16), IMM(')
    text = text.replace('IMM(IMM_BF16, 48, 16) ; IMM(', 'IMM(IMM_BF16, 48, 16), IMM(')
    for long, short in SHORT:
        text = re.sub(r'(?<![A-Z_])' + re.escape(long), short, text)
    return tuple(text.split(' ; ')) if text else ()


def runs(bits):
    """[(lowest bit, bits up to 8)] of the ones of a number."""
    at = 0
    while bits >> at:
        if not bits >> at & 1:
            at += 1
            continue
        width = 1
        while width < 8 and bits >> (at + width) & 1:
            width += 1
        yield at, width
        at += width


def without_bit_91(rows):
    """Where an architecture has a row with bit 91 as 0, one without that bit says the same of words that have it."""
    known = {(r['name'], r['op'], r['required'], a) for r in rows for a in r['archs'] if r['bit91'] == 0}
    for r in rows:
        if r['bit91'] is None:
            r['archs'] = {a for a in r['archs'] if (r['name'], r['op'], r['required'], a) not in known}
            if r['archs'] == {70}:
                r['bit91'] = 0
    return [r for r in rows if r['archs']]


def filled(rows):
    """Forms that ptxas never writes are filled as its other forms of the instruction."""
    def key(r):
        return r['name'], int(r['op'], 16) & 0x1ff, r['required']
    fills = collections.defaultdict(set)
    for r in rows:
        if r['fill']:
            fills[key(r)].add(r['fill'])
    for r in rows:
        fill = r['fill'] or (fills[key(r)].pop() if len(fills[key(r)]) == 1 else 0)
        if fill:
            fills[key(r)].add(fill)
        r['items'] += tuple(f'DEFAULT({at}, {width}, {(1 << width) - 1})' for at, width in runs(fill))
    return rows


def merged(rows):
    """Rows that differ in architectures alone are one."""
    out = {}
    for r in rows:
        key = (r['name'], r['op'], r['bit91'], r['guard'], r['required'], r['items'])
        if key in out:
            out[key]['archs'] |= r['archs']
        else:
            out[key] = r
    return list(out.values())


# ---- text ----


def units():
    for file, classes in UNITS.items():
        for unit, latencies in classes.items():
            for latency, names in latencies.items():
                for name in names.split():
                    yield name, (file, unit, latency)


def arch_text(archs):
    archs = tuple(sorted(archs))
    return ARCH_SETS.get(archs) or ' | '.join(f'SASS_{a}' for a in archs)


def wrap(items, first='', last=''):
    """Lines of items with commas between them; an item is broken only where it is longer than a line."""
    lines, line = [], first
    for i, item in enumerate(items):
        item += last if i == len(items) - 1 else ','
        space = '' if not line or line.endswith('(') else ' '
        if len(line) + len(space) + len(item) > 118 and line.strip():
            lines.append(line)
            line, space = '    ', ''
        while len(line) + len(space) + len(item) > 118:
            cut = item.rindex(', ', 0, 117 - len(line) - len(space)) + 1
            lines.append(line + space + item[:cut])
            line, space, item = '       ', ' ', item[cut + 1:]
        line += space + item
    return lines + [line]


def heads(name, rows):
    """Shares what rows begin with: [(macro, items)]; each row gets 'text', its items with the macro in their place."""
    left, found = list(rows), []
    for r in rows:
        r['text'] = list(r['items'])
    while True:
        gain = collections.Counter()
        for r in left:
            for k in range(2, len(r['items']) + 1):
                gain[r['items'][:k]] += 1
        best = max(gain, key=lambda p: ((gain[p] - 1) * (sum(map(len, p)) - 12), len(p)), default=None)
        if best is None or gain[best] < 2 or sum(map(len, best)) < 30:
            return found
        macro = f'{name}_HEAD' + (str(len(found) + 1) if found else '')
        found.append((macro, best))
        for r in left:
            if r['items'][:len(best)] == best:
                r['text'] = [macro] + list(r['items'][len(best):])
        left = [r for r in left if r['items'][:len(best)] != best]


def row_text(r, unit, latency):
    macro = 'UNIFORM' if r['guard'] == 'UP' else 'ROW'
    macro += {0: '', 1: '_UR', None: '_FREE'}[r['bit91']]
    items = list(r['required']) + r['text'] or ['NOTHING']
    return wrap([r['name'], f'0x{r["op"]}', unit, latency, arch_text(r['archs'])] + items, f'{macro}(', '),')


def macro_lines(macro, items):
    lines = wrap(items, f'#define {macro}')
    return [(line.ljust(118) + ' \\' if i + 1 < len(lines) else line) for i, line in enumerate(lines)]


def main():
    path, folder = sys.argv[1:]
    with open(path) as f:
        deriver = Deriver(json.load(f))
    rows = deriver.derive()
    unit_of = dict(units())
    assert {r['name'] for r in rows} <= set(unit_of), {r['name'] for r in rows} - set(unit_of)
    by_file = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in rows:
        by_file[unit_of[r['name']][0]][r['name']].append(r)
    for file in UNITS:
        lines = []
        for name in sorted(by_file[file]):
            group = sorted(by_file[file][name], key=lambda r: (r['op'], r['bit91'] or 0, min(r['archs'])))
            for macro, items in heads(name, group):
                lines += macro_lines(macro, items)
            for r in group:
                lines += row_text(r, *unit_of[name][1:])
            lines.append('')
        with open(f'{folder}/rows_{file}.def', 'w') as f:
            f.write('\n'.join(lines[:-1]) + '\n')
    print(f'{len(deriver.rows)} rows read, {len(deriver.dropped)} reserved, {len(rows)} written')
    if '-v' in sys.argv:
        print(collections.Counter(r['name'] for r in deriver.dropped))


if __name__ == '__main__':
    main()
