"""What an agent left behind, for scorers.

    from world_state import world

    def handler(input, output, expected, metadata):
        case = world.record("crm", "broken-invoice")
        return case is not None and case["Status"] == "Closed" and world.only_changed("broken-invoice")

Every function reads the world as it was when the agent ended. A service is named by its kind, such as "crm".
A key is the blueprint's own key of a seeded record; wherever a key is taken, a native id is taken too.
"""

import gc
import os

import quick_json

WORLD_FILE = os.path.join(os.environ.get("SANDBOX_INPUTS", "/inputs"), "world.json")


# Fields by which people know a record, the best first.
NAME_FIELDS = (
    "identifier",
    "CaseNumber",
    "SalesOrder",
    "Name",
    "real_name",
    "BusinessPartnerFullName",
    "Subject",
    "name",
    "title",
    "text",
    "body",
)
VERBS = {"create": "created", "update": "updated", "delete": "deleted"}


class WorldUnavailable(RuntimeError):
    """The task has no environment, so there is no world to read."""


class World:
    """The functions that scorers call; one object, read once, on first use."""

    def __init__(self, path=WORLD_FILE):
        self._path = path
        self._loaded = None
        self._indexes = {}
        self._sides = None
        self._accounted = {"records": set(), "creates": set(), "changes": set()}

    def diff(self, service=None, by="agent"):
        """Every change against the seed, or one service's: a list of dicts with service, collection, operation
        ("create", "update", "delete"), key, id, before, after and changed {field: [before, after]}. What the world did
        on its own, such as a scheduled event, is left out; it comes with by="world", and both with by="any"."""
        parts = self._services().values() if service is None else [self._service(service)]
        changes = [change for part in parts for change in part.get("diff", ())]
        sides = self._known_sides()
        if by == "any" or not sides:
            return changes if by != "world" else []
        return [side for change in changes if (side := side_of(change, sides, by)) is not None]

    def changes(self, service=None, collection=None, operation=None, key=None, by="agent"):
        """The diff, filtered by any of these. A scorer that looks at what was created in one collection accounts for
        one of those records; for more, see account."""
        if service is not None and collection is not None and operation == "create":
            self._accounted["creates"].add((service, collection))
        return [
            change
            for change in self.diff(service, by)
            if (collection is None or change["collection"] == collection)
            and (operation is None or change["operation"] == operation)
            and (key is None or change["key"] == key or change["id"] == key)
        ]

    def record(self, service, key_or_id):
        """The final record, or None when there is none. A scorer that looks at a record by its key accounts for
        updates of it."""
        index = self._index(service)
        for collection, identifier in index.places(key_or_id):
            found = index.final(collection).get(identifier)
            if found is not None:
                self._accounted["records"].add((service, collection, identifier))
                return found
        return None

    def records(self, service, collection, **equals):
        """The final records of a collection whose fields have these values."""
        rows = self._service(service).get("collections", {}).get(collection, ())
        wanted = list(equals.items())
        return [
            row["record"]
            for row in rows
            if all(field in row["record"] and row["record"][field] == value for field, value in wanted)
        ]

    def before(self, service, key_or_id):
        """The record as it was seeded, or None when it was not."""
        index = self._index(service)
        for collection, identifier in index.places(key_or_id):
            change = index.changed(collection).get(identifier)
            if change is not None:
                return change["before"]
            found = index.final(collection).get(identifier)
            if found is not None:
                return found
        return None

    def activity(self, service=None, mutations_only=False, by="agent"):
        """The recorded requests, in order; with mutations_only those that changed something. What the world did by
        itself comes with by="world", and everything with by="any"."""
        return [
            request
            for request in self._world().get("activity", ())
            if (service is None or request.get("service") == service)
            and (not mutations_only or request.get("mutations"))
            and (by == "any" or by == ("agent" if request.get("cause") is None else "world"))
        ]

    def only_changed(self, *keys, service=None, fields=None):
        """True when nothing changed but the records with these keys or ids; with service only there, and with fields
        only in these fields. Accounts for the changes it allows."""
        allowed = set(keys)
        permitted = None if fields is None else set(fields)

        def fits(change):
            if change["key"] not in allowed and change["id"] not in allowed:
                return False
            if service is not None and change["service"] != service:
                return False
            return permitted is None or (change["operation"] == "update" and set(change["changed"]) <= permitted)

        changes = self.diff()
        self.account([change for change in changes if fits(change)])
        return all(fits(change) for change in changes)

    def name(self, service, key_or_id):
        """What people call a record, such as "00001002" or "Ana Silva", for the reason of a score; the key or id where
        it has no name. Looking a name up accounts for nothing."""
        index = self._index(service)
        for collection, identifier in index.places(key_or_id):
            change = index.changed(collection).get(identifier)
            found = index.final(collection).get(identifier) or (change and change["before"])
            if found is not None:
                return name_of(found) or key_or_id
        return key_or_id

    def describe(self, change):
        """A change in words, such as "updated Case 00001002", for the reason of a score."""
        record = change["after"] or change["before"] or {}
        kind = change["collection"].replace("_", " ")
        return f"{VERBS[change['operation']]} {kind} {name_of(record) or change['key'] or change['id']}"

    def account(self, changes):
        """Says that these changes, or this one, were asked for. What no scorer accounts for is reported as unasked."""
        for change in [changes] if isinstance(changes, dict) else changes:
            self._accounted["changes"].add((change["service"], change["collection"], change["id"]))

    def _known_sides(self):
        """Who did what, of the records that the world has touched on its own."""
        if self._sides is None:
            self._sides = {
                (one["service"], one["collection"], one["id"]): one for one in self._world().get("sides", ())
            }
        return self._sides

    def _accounting(self):
        return {name: [list(one) for one in sorted(seen)] for name, seen in self._accounted.items()}

    def _world(self):
        if self._loaded is None:
            # The world is large and lives to the end, so the collector need not walk through it again and again.
            gc.disable()
            try:
                with open(self._path, encoding="utf-8") as file:
                    self._loaded = quick_json.loads(file.read())
            except FileNotFoundError:
                raise WorldUnavailable("This run has no world: the task names no environment.") from None
            finally:
                gc.freeze()
                gc.enable()
        return self._loaded

    def _services(self):
        return self._world().get("services", {})

    def _service(self, service):
        services = self._services()
        if service not in services:
            known = ", ".join(sorted(services)) or "none"
            raise KeyError(f"This world has no service {service!r}; it has: {known}.")
        return services[service]

    def _index(self, service):
        if service not in self._indexes:
            self._indexes[service] = _Index(self._service(service))
        return self._indexes[service]


def name_of(record):
    """The best name in a record, as one short line; empty when it has none."""
    for field in NAME_FIELDS:
        value = record.get(field)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            line = " ".join(str(value).split())
            return line if len(line) <= 60 else line[:59] + "…"
    return ""


def side_of(change, sides, by):
    """What one side did of a change: the change itself where no one else touched the record."""
    found = sides.get((change["service"], change["collection"], change["id"]))
    if found is None:
        return change if by == "agent" else None
    side = found[by]
    if side is None:
        return None
    changed = {field: values for field, values in change["changed"].items() if field in side["fields"]}
    return {**change, "operation": side["operation"], "changed": changed}


class _Index:
    """A service's records by collection and id, and by key; each table is made when it is first needed."""

    def __init__(self, part):
        self._part = part
        self._final = {}
        self._changed = None
        self._keys = None

    def final(self, collection):
        """Final records of a collection by id."""
        if collection not in self._final:
            rows = self._part.get("collections", {}).get(collection, ())
            self._final[collection] = {row["id"]: row["record"] for row in rows}
        return self._final[collection]

    def changed(self, collection):
        """Changes in a collection by id."""
        if self._changed is None:
            self._changed = {}
            for change in self._part.get("diff", ()):
                self._changed.setdefault(change["collection"], {})[change["id"]] = change
        return self._changed.get(collection, {})

    def places(self, key_or_id):
        """Where a key points, or every collection in which an id may be: pairs of collection and id."""
        if self._keys is None:
            self._keys = {change["key"]: change for change in self._part.get("diff", ()) if change["key"] is not None}
            self._keys.update({entry["key"]: entry for entry in self._part.get("keys", ())})
        entry = self._keys.get(key_or_id)
        if entry is not None:
            return [(entry["collection"], entry["id"])]
        collections = list(self._part.get("collections", {}))
        collections += {change["collection"] for change in self._part.get("diff", ())}.difference(collections)
        return [(collection, key_or_id) for collection in collections]


world = World()


def __getattr__(name):
    """The timeline is loaded when a scorer asks for it: its imports take longer than most scorers run."""
    if name != "timeline":
        raise AttributeError(f"module 'world_state' has no attribute {name!r}")
    import timeline

    return timeline.timeline_of(world)
