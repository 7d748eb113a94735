"""Recomputes agreement and Cohen's kappa, independently of the service, and writes golden.json.

Run: pip install scikit-learn==1.9.1 statsmodels==0.15.0, then python3 golden.py > golden.json. The kappa is that of
scikit-learn, its interval and the interval of the agreement are those of statsmodels.
"""

import json
import random

from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

CASES = [
    (["pass", "fail"], 40, 0.9),
    (["pass", "fail"], 12, 0.5),
    (["right", "half", "wrong"], 60, 0.75),
    (["a", "b", "c", "d", "e"], 200, 0.35),
    (["pass", "fail"], 25, 0.0),
]


def case(seed, labels, size, skill):
    chance = random.Random(seed)
    person = [chance.choice(labels) for _ in range(size)]
    judge = [p if chance.random() < skill else chance.choice(labels) for p in person]
    table = confusion_matrix(person, judge, labels=labels)
    equal = sum(p == j for p, j in zip(person, judge))
    result = cohens_kappa(table)
    low, high = proportion_confint(equal, size, method="wilson")
    return {
        "labels": labels,
        "pairs": [list(pair) for pair in zip(person, judge)],
        "confusion": table.tolist(),
        "agreement": equal / size,
        "agreement_interval": [low, high],
        "kappa": cohen_kappa_score(person, judge, labels=labels),
        "kappa_interval": [max(-1.0, result.kappa_low), min(1.0, result.kappa_upp)],
    }


print(json.dumps([case(seed, *given) for seed, given in enumerate(CASES)]))
