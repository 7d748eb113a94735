import { z } from 'zod'
import { type Builtin, flag, sameCode } from './builtin.ts'

const tolerance = z
  .number()
  .min(0)
  .default(1e-9)
  .meta({ description: 'How far numbers may lie from each other.' })

const jsonEquals: Builtin = {
  slug: 'json-equals',
  name: 'Equal JSON',
  description: 'The answer is this JSON, apart from the order of fields and small differences of numbers.',
  needsWorld: false,
  parameters: z.strictObject({
    value: z.unknown().optional().meta({ description: 'The expected outcome, read as JSON, when left out.' }),
    tolerance,
    subset: flag(false, 'Fields of objects that are not asked for may be there.'),
  }),
  example: { value: { total: 12.5, items: ['a', 'b'] }, tolerance: 0.01 },
  code: `import re

${sameCode}

def pruned(wanted, found):
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {name: pruned(wanted[name], found[name]) for name in found if name in wanted}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [pruned(a, b) for a, b in zip(wanted, found)]
    return found


def read(text):
    blocks = re.findall(r"\`\`\`(?:json)?[ \\t]*\\n(.*?)\`\`\`", text, re.DOTALL)
    return json.loads(blocks[0] if len(blocks) == 1 else text)


def handler(input, output, expected, metadata):
    wanted = PARAMETERS["value"] if "value" in PARAMETERS else expected
    if "value" not in PARAMETERS and isinstance(wanted, str):
        wanted = json.loads(wanted)
    try:
        found = read(output)
    except ValueError:
        return {"score": 0, "reason": "the answer is not JSON"}
    if PARAMETERS["subset"]:
        found = pruned(wanted, found)
    good = same(wanted, found, PARAMETERS["tolerance"])
    return {"score": 1 if good else 0, "reason": "equal" if good else f"found {json.dumps(found)[:1000]}"}
`,
}

const numberWithin: Builtin = {
  slug: 'number-within',
  name: 'Number within',
  description: 'A number in the answer lies within a tolerance of the right one.',
  needsWorld: false,
  parameters: z.strictObject({
    number: z
      .number()
      .nullable()
      .default(null)
      .meta({ description: 'The number in the expected outcome when left out.' }),
    tolerance: z.number().min(0).default(0),
    percent: flag(false, 'The tolerance is a percentage of the right number.'),
    which: z
      .enum(['only', 'first', 'last'])
      .default('last')
      .meta({ description: 'Which number of the answer counts; only: it must hold just one.' }),
  }),
  example: { number: 48_500, tolerance: 1, percent: true },
  code: `import re

NUMBER = re.compile(r"(?<![\\w.])[-+]?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?(?![\\w])")


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def handler(input, output, expected, metadata):
    wanted = PARAMETERS["number"]
    if wanted is None:
        right = [float(expected)] if isinstance(expected, (int, float)) else numbers(str(expected))
        if len(right) != 1:
            raise ValueError("The expected outcome does not hold exactly one number; give it as a parameter.")
        wanted = right[0]
    found = numbers(output)
    if not found or (PARAMETERS["which"] == "only" and len(found) != 1):
        return {"score": 0, "reason": f"the answer holds {len(found)} numbers"}
    chosen = found[0] if PARAMETERS["which"] == "first" else found[-1]
    room = PARAMETERS["tolerance"] * (abs(wanted) / 100 if PARAMETERS["percent"] else 1)
    good = abs(chosen - wanted) <= room + 1e-12 * max(1, abs(wanted))
    return {"score": 1 if good else 0, "reason": f"found {chosen:g}, wanted {wanted:g} within {room:g}"}
`,
}

export const valueBuiltins: readonly Builtin[] = [jsonEquals, numberWithin]
