"""Recomputes the statistics of results, independently of the service, and writes golden.json.

Run: python3 golden.py > golden.json. Standard library only. Formulas are written from their definitions (means, sums over
all cases, exact fractions), not from the service's code.
"""

import itertools
import json
import math
import random
import statistics
from fractions import Fraction

NORMAL = statistics.NormalDist()
Z = NORMAL.inv_cdf(0.975)


def wilson(p, n):
    # The roots of (p - x)^2 = z^2 x (1 - x) / n.
    a, b, c = 1 + Z * Z / n, -(2 * p + Z * Z / n), p * p
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return [max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))]


def icc(clusters):
    """ANOVA estimate from the trials themselves."""
    rows = [[1] * x + [0] * (n - x) for x, n in clusters]
    everything = [v for row in rows for v in row]
    k, total = len(rows), len(everything)
    if k < 2 or total == k:
        return 1.0
    grand = statistics.fmean(everything)
    msb = sum(len(r) * (statistics.fmean(r) - grand) ** 2 for r in rows) / (k - 1)
    msw = sum(sum((v - statistics.fmean(r)) ** 2 for v in r) for r in rows) / (total - k)
    n0 = (total - sum(len(r) ** 2 for r in rows) / total) / (k - 1)
    spread = msb + (n0 - 1) * msw
    return 1.0 if spread <= 0 else min(1.0, max(0.0, (msb - msw) / spread))


def effective(clusters):
    total = sum(n for _, n in clusters)
    weighted = sum(n * n for _, n in clusters) / total
    return total / (1 + (weighted - 1) * icc(clusters))


def clustered(clusters):
    total = sum(n for _, n in clusters)
    p = sum(x for x, _ in clusters) / total
    n = effective(clusters)
    return {"rate": p, "effective": n, "interval": wilson(p, n)}


def correlation(xs, ys):
    try:
        return statistics.correlation(xs, ys)
    except statistics.StatisticsError:
        return 0.0


def difference(pairs):
    agent, base = [a for _, a in pairs], [b for b, _ in pairs]
    ra, rb = [x / n for x, n in agent], [x / n for x, n in base]
    pa, pb = statistics.fmean(ra), statistics.fmean(rb)
    la, ua = wilson(pa, effective(agent))
    lb, ub = wilson(pb, effective(base))
    r = correlation(ra, rb) if len(ra) > 1 else 0.0
    d = pa - pb
    low = d - math.sqrt(max(0.0, (pa - la) ** 2 - 2 * r * (pa - la) * (ub - pb) + (ub - pb) ** 2))
    high = d + math.sqrt(max(0.0, (ua - pa) ** 2 - 2 * r * (ua - pa) * (pb - lb) + (pb - lb) ** 2))
    return [max(-1.0, low), min(1.0, high)]


def sign_flip(pairs):
    exact = [Fraction(*a) - Fraction(*b) for b, a in pairs]
    moved = [d for d in exact if d != 0]
    if not moved:
        return [1.0, 1.0]
    total = sum(moved)
    sums = [sum(s * d for s, d in zip(signs, moved)) for signs in itertools.product((1, -1), repeat=len(moved))]
    both = sum(abs(s) >= abs(total) for s in sums) / len(sums)
    drop = sum(s <= total for s in sums) / len(sums)
    return [both, drop]


def power(pairs):
    d = [a[0] / a[1] - b[0] / b[1] for b, a in pairs] + [1, -1]
    s = statistics.stdev(d)
    factor = Z + NORMAL.inv_cdf(0.8)
    return [min(1.0, factor * s / math.sqrt(len(pairs))), math.ceil((factor * s / 0.1) ** 2)]


def fisher(before, after):
    (x1, n1), (x2, n2) = before, after
    total = x1 + x2
    whole = math.comb(n1 + n2, total)
    return float(sum(Fraction(math.comb(n1, x) * math.comb(n2, total - x), whole) for x in range(x1, min(n1, total) + 1)))


def betting(values, limit, alpha):
    up = down = 1.0
    for i in range(1, len(values) + 1):
        past = values[: i - 1]
        running = [(0.5 + sum(values[:j])) / (j + 1) for j in range(1, i)]
        variance = (0.25 + sum((x - m) ** 2 for x, m in zip(past, running))) / i
        stake = math.sqrt(2 * math.log(2 / alpha) / (variance * i * math.log(1 + i)))
        up *= 1 + min(stake, 0.5 / limit) * (values[i - 1] - limit)
        down *= 1 - min(stake, 0.5 / (1 - limit)) * (values[i - 1] - limit)
        if up >= 2 / alpha or down >= 2 / alpha:
            return {"answer": "above" if up >= 2 / alpha else "below", "above": up, "below": down, "n": i}
    return {"answer": None, "above": up, "below": down, "n": len(values)}


def main():
    chance = random.Random(20260301)
    sets = [
        [(10, 10)] * 10,
        [(10, 10)] * 6 + [(0, 10)] * 4,
        [(1, 1)] * 3 + [(0, 1)],
        [(3, 5)],
        [(5, 10)] * 8,
        [(0, 4), (4, 4), (2, 4), (1, 2), (3, 3)],
    ]
    for _ in range(20):
        sets.append([(chance.randint(0, n), n) for n in (chance.randint(1, 8) for _ in range(chance.randint(2, 30)))])
    pairs = [
        [((6, 10), (10, 10)), ((0, 10), (10, 10))],
        [((1, 1), (0, 1))] * 5,
        [((2, 2), (2, 2))] * 3,
        [((0, 1), (1, 1))],
    ]
    for _ in range(20):
        size = chance.randint(1, 12)
        pairs.append([((chance.randint(0, n), n), (chance.randint(0, n), n)) for n in (chance.randint(1, 6) for _ in range(size))])
    tables = [((5, 5), (0, 5)), ((4, 4), (0, 4)), ((1, 1), (0, 1)), ((3, 4), (1, 5)), ((20, 20), (12, 20)), ((0, 3), (3, 3))]
    runs = [[chance.choice([0, 1, 1, 1]) for _ in range(60)], [chance.random() for _ in range(40)], [0.0] * 20, [1.0] * 30, []]
    golden = {
        "clustered": [{"clusters": c, **clustered(c)} for c in sets],
        "paired": [
            {"pairs": p, "interval": difference(p), "sign_flip": sign_flip(p), "power": power(p)} for p in pairs
        ],
        "fisher": [{"before": b, "after": a, "p": fisher(b, a)} for b, a in tables],
        "sequential": [
            {"values": v, "limit": limit, "alpha": alpha, **betting(v, limit, alpha)}
            for v in runs
            for limit, alpha in ((0.5, 0.05), (0.9, 0.1))
        ],
    }
    print(json.dumps(golden, indent=1))


main()
