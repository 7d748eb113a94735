import type { ScorerDefinition } from '@diorama/contract'
import { ScorerDefinition as Definition } from '@diorama/contract'
import type { WorldTaskCheck } from '@diorama/contract/blueprint/scenario'

/** An old blueprint's checks as one scorer that reads the world: it passes when each of them holds. */
export const checksScorer = (title: string, checks: readonly WorldTaskCheck[]): ScorerDefinition =>
  Definition.parse({
    name: `Checks: ${title}`.slice(0, 200),
    description: 'Made from the checks of the blueprint.',
    kind: 'code',
    language: 'python',
    passThreshold: 1,
    code: `${code}\n\nCHECKS = json.loads(${JSON.stringify(JSON.stringify(checks))})\n`,
  })

const code = `import json

from world_state import world


def found(record, field):
    value = record
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def belongs(change, check):
    record = world.record(check["service"], check["recordKey"])
    if check["operation"] != "create":
        return change["key"] == check["recordKey"]
    if record is None:
        return False
    after = change["after"] or {}
    own = record.get("id")
    return own is not None and own in (after.get("channel"), after.get("issueId"), after.get("ParentId"))


def holds(check):
    changes = world.changes(service=check["service"], collection=check["resource"], operation=check["operation"])
    for change in changes:
        if not belongs(change, check):
            continue
        if check["operation"] == "delete":
            return True
        value = found(change["after"] or {}, check["field"])
        expected = check["expected"]
        if check["operator"] == "exists" and value not in (None, ""):
            return True
        if check["operator"] == "contains" and isinstance(value, str) and expected in value:
            return True
        if check["operator"] == "equals" and value == expected:
            return True
    return False


def handler(input, output, expected, metadata):
    failed = [check["description"] for check in CHECKS if not holds(check)]
    return {"score": 1 - len(failed) / len(CHECKS), "reason": "; ".join(failed) or "every check holds"}`
