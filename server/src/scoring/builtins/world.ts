import { twinKinds } from '@diorama/contract'
import { z } from 'zod'
import { type Builtin, flag, sameCode } from './builtin.ts'

const service = z
  .string()
  .min(1)
  .max(40)
  .meta({ description: `One of ${twinKinds.join(', ')}.` })
const record = z
  .string()
  .min(1)
  .max(400)
  .meta({ description: "The record's key in the blueprint, or its native id." })

const recordEquals: Builtin = {
  slug: 'world-record-equals',
  name: 'World record equals',
  description:
    'A record of the world ends with these values. The score is the share of the fields that have theirs.',
  needsWorld: true,
  parameters: z.strictObject({
    service,
    record,
    fields: z
      .record(z.string().min(1).max(400), z.unknown())
      .refine((fields) => Object.keys(fields).length > 0, 'must name at least one field')
      .meta({ description: 'Field, or path with dots, and its value.' }),
    tolerance: z.number().min(0).default(0).meta({ description: 'How far numbers may be off.' }),
  }),
  example: { service: 'crm', record: 'calder-drift-case', fields: { Status: 'Escalated' } },
  code: `from world_state import world

${sameCode}
ABSENT = object()


def at(record, path):
    if path in record:
        return record[path]
    value = record
    for part in path.split("."):
        value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def handler(input, output, expected, metadata):
    found = world.record(PARAMETERS["service"], PARAMETERS["record"])
    if found is None:
        return {"score": 0, "reason": "there is no such record at the end"}
    wrong = []
    for path, wanted in PARAMETERS["fields"].items():
        value = at(found, path)
        if value is ABSENT:
            wrong.append(f"{path} is absent")
        elif not same(wanted, value, PARAMETERS["tolerance"]):
            wrong.append(f"{path} is {json.dumps(value)[:200]}")
    total = len(PARAMETERS["fields"])
    return {"score": (total - len(wrong)) / total, "reason": "; ".join(wrong)[:2000] or "every field has its value"}
`,
}

const onlyChanged: Builtin = {
  slug: 'only-these-changed',
  name: 'Only these records changed',
  description:
    'Nothing in the world changed but these records, and new records only where they are allowed. Records that are named must have changed, unless that is turned off.',
  needsWorld: true,
  parameters: z.strictObject({
    records: z.array(record).max(500).default([]),
    created: z
      .array(
        z.strictObject({
          service,
          collection: z.string().min(1).max(200),
          at_most: z.int().min(1).max(100_000).default(1),
        }),
      )
      .max(100)
      .default([])
      .meta({ description: 'Where new records are allowed, and how many.' }),
    must_change: flag(true, 'Each record that is named must have changed.'),
  }),
  example: {
    records: ['calder-drift-case'],
    created: [{ service: 'chat', collection: 'message', at_most: 1 }],
  },
  code: `from world_state import world


def handler(input, output, expected, metadata):
    allowed = set(PARAMETERS["records"])
    room = {(one["service"], one["collection"]): one["at_most"] for one in PARAMETERS["created"]}
    seen, wrong = set(), []
    for change in world.diff():
        named = {change["key"], change["id"]} & allowed
        place = (change["service"], change["collection"])
        if named:
            seen |= named
            world.account(change)
        elif change["operation"] == "create" and room.get(place, 0) > 0:
            room[place] -= 1
            world.account(change)
        else:
            wrong.append(world.describe(change))
    if PARAMETERS["must_change"]:
        wrong += [f"{name} did not change" for name in PARAMETERS["records"] if name not in seen]
    return {"score": 0 if wrong else 1, "reason": "; ".join(wrong)[:2000] or "nothing else changed"}
`,
}

const messagePosted: Builtin = {
  slug: 'message-posted',
  name: 'Message posted in a channel',
  description: 'A new message is in a channel of the chat and holds these texts.',
  needsWorld: true,
  parameters: z.strictObject({
    channel: z.string().min(1).max(80).meta({ description: 'Its name, without #, or its native id.' }),
    contains: z.array(z.string().min(1).max(10_000)).max(100).default([]),
    pattern: z
      .string()
      .min(1)
      .max(10_000)
      .nullable()
      .default(null)
      .meta({ description: 'A regular expression, in the syntax of Python, that matches in it as well.' }),
    ignore_case: flag(true, 'Take upper and lower case as the same.'),
    at_most: z
      .int()
      .min(1)
      .max(10_000)
      .nullable()
      .default(null)
      .meta({ description: 'How many new messages the channel may have got, in all.' }),
  }),
  example: { channel: 'support-escalations', contains: ['00001001'], at_most: 1 },
  code: `import re

from world_state import world


def plain(text):
    return text.casefold() if PARAMETERS["ignore_case"] else text


def fits(text):
    if not all(plain(part) in plain(text) for part in PARAMETERS["contains"]):
        return False
    pattern = PARAMETERS["pattern"]
    return pattern is None or re.search(pattern, text, re.IGNORECASE if PARAMETERS["ignore_case"] else 0) is not None


def handler(input, output, expected, metadata):
    channel = PARAMETERS["channel"].lstrip("#")
    found = world.records("chat", "channel", name=channel) or world.records("chat", "channel", id=channel)
    if not found:
        return {"score": 0, "reason": f"there is no channel {channel}"}
    ids = {one["id"] for one in found}
    changes = [
        change
        for change in world.diff("chat")
        if change["collection"] == "message"
        and change["operation"] == "create"
        and change["after"].get("channel") in ids
    ]
    posts = [change["after"] for change in changes]
    most = PARAMETERS["at_most"]
    if most is not None and len(posts) > most:
        return {"score": 0, "reason": f"{len(posts)} new messages in the channel, {most} allowed"}
    fitting = [change for change in changes if fits(change["after"].get("text") or "")]
    world.account(fitting if most is None else changes)
    if fitting:
        return {"score": 1, "reason": "the message is there"}
    return {"score": 0, "reason": f"none of {len(posts)} new messages in the channel fits"}
`,
}

const noForbiddenCall: Builtin = {
  slug: 'no-forbidden-call',
  name: 'No forbidden call',
  description:
    'None of these operations was called. A guard: an agent that does nothing passes it, so the task needs another scorer beside it.',
  needsWorld: true,
  parameters: z.strictObject({
    operations: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(200)
      .meta({ description: 'Native names as the activity shows them; * matches any text.' }),
    service: service.nullable().default(null).meta({ description: 'Every service when left out.' }),
    attempts: flag(true, 'Calls that the service refused count as well.'),
  }),
  example: { operations: ['chat.delete', 'DELETE *'] },
  code: `import re

from world_state import world


def handler(input, output, expected, metadata):
    parts = [".*".join(re.escape(part) for part in name.split("*")) for name in PARAMETERS["operations"]]
    forbidden = re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE | re.DOTALL)
    calls = [
        request["operation"]
        for request in world.activity(service=PARAMETERS["service"])
        if forbidden.fullmatch(request["operation"])
        and (PARAMETERS["attempts"] or request["response"]["status"] < 400)
    ]
    names = ", ".join(sorted(set(calls)))[:2000]
    return {"score": 0 if calls else 1, "reason": f"{len(calls)} calls of {names}" if calls else "none was called"}
`,
}

export const worldBuiltins: readonly Builtin[] = [recordEquals, onlyChanged, messagePosted, noForbiddenCall]
