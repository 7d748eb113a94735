"""When things happened in a trial, by the story's clock: what the agent did, and what the world did on its own.

    from world_state import timeline

    def handler(input, output, expected, metadata):
        return timeline.asked("dana", about=["approval"]) and timeline.waited_for(
            {"cause": "event:approved"}, {"operation": "chat.postMessage", "about": ["shipped"]}
        )

A description of a step is a dict with any of these; all that are given must fit:
    by         "agent" or "world"
    service    the kind of the service, such as "chat"
    operation  the vendor's name of the operation; * matches any text
    actor      the handle of a person, or "agent"
    cause      why the world did it: "event:<key>" or "clock"
    to         the handle of the person who was addressed, or "agent"
    about      words; one of them is in what was written
    record     the key or id of a record that it changed
    collection the collection of such a record
    sets       the values that a record has after it, by field
    refused    True for steps that the service refused; False, which is the default, for those that it did
A length of time is a number of seconds, or a text such as "90s", "2h" or "1h30m".
"""

import json
import re
from datetime import datetime, timezone

FIELDS = {"by", "service", "operation", "actor", "cause", "to", "about", "record", "collection", "sets", "refused"}
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds(length):
    """A length of time in seconds."""
    if isinstance(length, (int, float)) and not isinstance(length, bool):
        return float(length)
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhdw])", str(length))
    if not parts or "".join(number + unit for number, unit in parts) != str(length):
        raise ValueError(f"{length!r} is not a length of time such as 90, '90s', '2h' or '1h30m'.")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def moment(text):
    """A time of the story in seconds since 1970."""
    found = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()


def person(subject):
    return "agent" if subject == "integration" else subject


class Timeline:
    """The functions that scorers call. Those that answer a question return True or False."""

    def __init__(self, world):
        self._world = world
        self._steps = None

    @property
    def start(self):
        """When the story began, in seconds since 1970."""
        begun = self._world._world().get("story", {}).get("start")
        if begun is not None:
            return moment(begun)
        steps = self._all()
        return steps[0]["at"] if steps else 0.0

    def steps(self, **description):
        """The steps that fit a description, in order. Each has `at` (seconds since 1970), `by`, `to` and the fields of
        the recorded request."""
        unknown = set(description) - FIELDS
        if unknown:
            raise ValueError(f"A step is not described by {sorted(unknown)[0]!r}; use {', '.join(sorted(FIELDS))}.")
        if description.get("to") is not None:
            self._recorded("addressed", "who was written to")
        return [step for step in self._all() if fits(step, description)]

    def first(self, **description):
        """The first step that fits, or None."""
        return next(iter(self.steps(**description)), None)

    def within(self, limit, what, after=None):
        """Whether the agent did `what` no later than `limit` after the first step that fits `after`, or after the start
        of the story."""
        begun = self._when(after) if after is not None else self.start
        if begun is None:
            return False
        return any(begun <= step["at"] <= begun + seconds(limit) for step in self._agent(what))

    def before(self, what, other):
        """Whether the agent did `what`, and `other` had not happened by then."""
        done = next(iter(self._agent(what)), None)
        passed = self._first_any(other)
        return done is not None and (passed is None or done["order"] < passed["order"])

    def not_before(self, what, other):
        """Whether the agent did nothing that fits `what` before `other`: a description, or a time such as
        "2026-03-02T09:00:00Z". Doing it never is fine."""
        done = self._agent(what)
        if isinstance(other, str):
            return all(step["at"] >= moment(other) for step in done)
        passed = self._first_any(other)
        return not done or (passed is not None and done[0]["order"] > passed["order"])

    def asked(self, whom, about=None):
        """Whether the agent wrote to a person, with one of these words if there are any."""
        return self.first(by="agent", to=whom, **({} if about is None else {"about": about})) is not None

    def replied_within(self, limit, whom=None):
        """Whether the agent answered everybody who wrote to it, or one person, within `limit` of the story. True when
        nobody wrote."""
        for step in self.steps(by="world", to="agent"):
            for said in step["addressed"]:
                if said["to"] != "agent" or (whom is not None and said["from"] != whom):
                    continue
                last = step["at"] + seconds(limit)
                if not any(
                    step["order"] < answer["order"] and answer["at"] <= last and answers(answer, said, step)
                    for answer in self.steps(by="agent")
                ):
                    return False
        return True

    def waited_for(self, event, then):
        """Whether `event` happened, and the agent did `then` after it and never before."""
        return self._first_any(event) is not None and bool(self._agent(then)) and self.not_before(then, event)

    def waits(self):
        """The times the agent waited on purpose: dicts with `from`, `to` (seconds since 1970) and `by`."""
        return [
            {**wait, "from": moment(wait["from"]), "to": moment(wait["to"])}
            for wait in self._recorded("waits", "when the agent waited")
        ]

    def _recorded(self, name, what):
        """A part of the world's file. Where it is missing, an answer would be a guess, so there is none."""
        if name not in self._world._world():
            raise LookupError(f"This world does not record {what}.")
        return self._world._world()[name]

    def _agent(self, what):
        return self.steps(**{"by": "agent", **what})

    def _first_any(self, what):
        return self.first(**what)

    def _when(self, what):
        if isinstance(what, str):
            return moment(what)
        found = self._first_any(what)
        return None if found is None else found["at"]

    def _all(self):
        if self._steps is None:
            addressed = {}
            for said in self._world._world().get("addressed", ()):
                one = {**said, "to": person(said["to"]), "from": person(said["from"])}
                addressed.setdefault(said["request_id"], []).append(one)
            self._steps = [
                {
                    **request,
                    "order": order,
                    "at": moment(request["world_time"]),
                    "by": "agent" if request.get("cause") is None else "world",
                    "addressed": addressed.get(request["request_id"], []),
                    "to": [said["to"] for said in addressed.get(request["request_id"], [])],
                }
                for order, request in enumerate(self._world.activity(by="any"))
            ]
        return self._steps


def fits(step, described):
    """Whether a step fits a description."""
    mutations = step.get("mutations") or []
    actor = step.get("actor") or {}
    checks = {
        "by": lambda wanted: step["by"] == wanted,
        "service": lambda wanted: step.get("service") == wanted,
        "operation": lambda wanted: matches(wanted, step.get("operation") or ""),
        "actor": lambda wanted: wanted in (person(actor.get("subject")), actor.get("id"), actor.get("name")),
        "cause": lambda wanted: step.get("cause") == wanted,
        "to": lambda wanted: person(wanted) in step["to"],
        "about": lambda wanted: says(step, wanted),
        "record": lambda wanted: any(wanted in (one.get("key"), one.get("id")) for one in mutations),
        "collection": lambda wanted: any(one.get("collection") == wanted for one in mutations),
        "sets": lambda wanted: any(has(one, wanted) for one in mutations),
    }
    refused = step.get("response", {}).get("status", 200) >= 400
    if refused != bool(described.get("refused", False)):
        return False
    return all(check(described[name]) for name, check in checks.items() if described.get(name) is not None)


def matches(pattern, name):
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(".*".join(parts), name, re.IGNORECASE | re.DOTALL) is not None


def says(step, words):
    texts = [said["text"] for said in step["addressed"]]
    texts += [
        json.dumps({field: value for field, value in one["after"].items() if value != (one["before"] or {}).get(field)})
        for one in step.get("mutations") or []
        if one.get("after")
    ]
    whole = "\n".join(texts).casefold()
    return any(word.casefold() in whole for word in ([words] if isinstance(words, str) else words))


def has(mutation, values):
    after = mutation.get("after") or {}
    return all(after.get(field) == value for field, value in values.items())


def answers(step, said, asking):
    """Whether a step of the agent answers what was said to it: it addresses the person, or writes where they wrote."""
    if said["from"] in step["to"]:
        return True
    place = said.get("place") or {}
    return step.get("service") == asking.get("service") and any(
        bool(place) and has(one, place) for one in step.get("mutations") or []
    )


def timeline_of(world):
    return Timeline(world)
