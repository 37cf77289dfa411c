"""A scatter plot of measured and replayed cycles as SVG, both on scales of powers of 10. A mark's place depends on its own two values alone, so that the
lines of a few launches are among those of all."""
import html, math

LEAST, MOST, SIDE = 1e3, 1e7, 480  # cycles at both ends of each axis; units between them
LEFT, TOP, RIGHT, BOTTOM = 64, 16, 16, 48
# Of each kind its mark and its colour, by day and by night: each differs from the others in both.
SHAPES = ('<circle cx="0" cy="0" r="4"/>', '<path d="M-4 -4H4V4H-4Z"/>', '<path d="M0 -5L5 4H-5Z"/>', '<path d="M0 -5.5L5.5 0L0 5.5L-5.5 0Z"/>')
DAY, NIGHT = ('#0b62c4', '#b3420a', '#167a3e', '#8a2ca8'), ('#6cb2ff', '#ff9d66', '#5fd38d', '#d69bf0')


def along(cycles):
    """Where on an axis these cycles are, from 0 to SIDE."""
    return SIDE * (math.log10(cycles) - math.log10(LEAST)) / (math.log10(MOST) - math.log10(LEAST))


def power(exponent):
    return f'10<tspan dy="-5" font-size="9">{exponent}</tspan>'


def axes():
    """The frame, a line for each power of 10, and the axes' titles."""
    lines = [f'<path class="frame" d="M0 0V{SIDE}H{SIDE}V0Z"/>']
    for exponent in range(round(math.log10(LEAST)), round(math.log10(MOST)) + 1):
        at = round(along(10 ** exponent))
        lines += [f'<path class="grid" d="M{at} 0V{SIDE}M0 {SIDE - at}H{SIDE}"/>',
                  f'<text x="{at}" y="{SIDE + 18}" text-anchor="middle">{power(exponent)}</text>',
                  f'<text x="-8" y="{SIDE - at + 4}" text-anchor="end">{power(exponent)}</text>']
    middle = SIDE // 2
    return lines + [f'<text x="{middle}" y="{SIDE + 38}" text-anchor="middle">measured cycles</text>',
                    f'<text x="{-middle}" y="-44" text-anchor="middle" transform="rotate(-90)">replayed cycles</text>']


def diagonal(factor, kind):
    """Where replayed cycles are this many times those measured, from edge to edge."""
    up = along(LEAST * factor)
    ends = ((0, up), (SIDE - up, SIDE)) if up > 0 else ((-up, 0), (SIDE, SIDE + up))
    return '<path class="{}" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>'.format(kind, ends[0][0], SIDE - ends[0][1], ends[1][0], SIDE - ends[1][1])


def legend(kinds):
    lines = []
    for i, kind in enumerate(kinds):
        lines.append(f'<g class="k{i}" transform="translate(16 {16 + 18 * i})">{SHAPES[i]}</g><text x="28" y="{20 + 18 * i}">{html.escape(kind)}</text>')
    for i, (kind, text) in enumerate((('same', 'as measured'), ('near', '20 % more, 20 % less')), len(kinds)):
        lines.append(f'<path class="{kind}" d="M8 {16 + 18 * i}H24"/><text x="28" y="{20 + 18 * i}">{text}</text>')
    return lines


def mark(kinds, kind, name, measured, replayed):
    x, y, i = along(measured), SIDE - along(replayed), kinds.index(kind)
    return (f'<g class="k{i}" transform="translate({x:.1f} {y:.1f})"><title>{html.escape(name)}: measured {measured:,.0f}, replayed {replayed:,.0f}</title>'
            f'{SHAPES[i]}</g>')


def style(colours, ink, grid):
    return (f'text{{fill:{ink}}}.frame{{stroke:{ink}}}.grid{{stroke:{grid}}}.same,.near{{stroke:{ink}}}'
            + ''.join(f'.k{i}{{fill:{c}}}' for i, c in enumerate(colours)))


def scatter(title, kinds, points):
    """points: (kind, name, measured cycles, replayed cycles)."""
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="sans-serif" '
        'font-size="12">', f'<title>{html.escape(title)}</title>',
        f'<style>.frame,.grid,.same,.near{{fill:none}}.near{{stroke-dasharray:5 4}}[class^=k]{{fill-opacity:.75}}{style(DAY, "#1f2328", "#d0d7de")}'
        f'@media(prefers-color-scheme:dark){{{style(NIGHT, "#e6edf3", "#3d444d")}}}</style>', f'<g transform="translate({LEFT} {TOP})">',
        *axes(), diagonal(1, 'same'), diagonal(1.2, 'near'), diagonal(0.8, 'near'), *(mark(kinds, *point) for point in points), *legend(kinds), '</g>',
        '</svg>', ''])
