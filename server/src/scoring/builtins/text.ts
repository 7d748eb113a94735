import { z } from 'zod'
import { type Builtin, flag } from './builtin.ts'

const text = z.string().max(100_000)
const ignoreCase = flag(false, 'Take upper and lower case as the same.')

/** The expected outcome as one text, for parameters that were left out. */
const expectedText = `def wanted_text(expected):
    if not isinstance(expected, str):
        raise ValueError("The expected outcome is not a text; give the text as a parameter.")
    return expected
`

const exact: Builtin = {
  slug: 'exact',
  name: 'Exact text',
  description: 'The answer is exactly this text; without one, exactly the expected outcome.',
  needsWorld: false,
  parameters: z.strictObject({
    text: text.nullable().default(null).meta({ description: 'The expected outcome when left out.' }),
    ignore_case: ignoreCase,
    trim: flag(true, 'Take no notice of white space at the ends.'),
  }),
  example: { text: '42' },
  code: `${expectedText}

def plain(text):
    if PARAMETERS["trim"]:
        text = text.strip()
    return text.casefold() if PARAMETERS["ignore_case"] else text


def handler(input, output, expected, metadata):
    wanted = PARAMETERS["text"] if PARAMETERS["text"] is not None else wanted_text(expected)
    same = plain(output) == plain(wanted)
    return {"score": 1 if same else 0, "reason": "the same text" if same else "another text"}
`,
}

const contains: Builtin = {
  slug: 'contains',
  name: 'Contains text',
  description: 'The answer contains these texts; without any, it contains the expected outcome.',
  needsWorld: false,
  parameters: z.strictObject({
    texts: z.array(text.min(1)).min(1).max(100).nullable().default(null),
    any: flag(false, 'One of the texts is enough; otherwise the score is the share of them that is there.'),
    ignore_case: flag(true, 'Take upper and lower case as the same.'),
  }),
  example: { texts: ['00001001', 'escalated'] },
  code: `${expectedText}

def plain(text):
    return text.casefold() if PARAMETERS["ignore_case"] else text


def handler(input, output, expected, metadata):
    texts = PARAMETERS["texts"] or [wanted_text(expected).strip()]
    if not all(texts):
        raise ValueError("The expected outcome is empty; give the texts as a parameter.")
    missing = [text for text in texts if plain(text) not in plain(output)]
    found = len(texts) - len(missing)
    score = (1 if found else 0) if PARAMETERS["any"] else found / len(texts)
    return {"score": score, "reason": "missing: " + "; ".join(missing)[:2000] if missing else "every text is there"}
`,
}

const regex: Builtin = {
  slug: 'regex',
  name: 'Matches a pattern',
  description: 'A regular expression (in the syntax of Python) matches somewhere in the answer.',
  needsWorld: false,
  parameters: z.strictObject({
    pattern: z.string().min(1).max(10_000),
    whole: flag(false, 'It must match the whole answer, without white space at the ends.'),
    absent: flag(false, 'Turns it round: the pattern must match nowhere.'),
    ignore_case: ignoreCase,
  }),
  example: { pattern: '\\b[A-Z]{2,5}-\\d+\\b' },
  code: `import re


def handler(input, output, expected, metadata):
    flags = re.MULTILINE | (re.IGNORECASE if PARAMETERS["ignore_case"] else 0)
    pattern = re.compile(PARAMETERS["pattern"], flags)
    found = pattern.fullmatch(output.strip()) if PARAMETERS["whole"] else pattern.search(output)
    good = (found is None) == PARAMETERS["absent"]
    return {"score": 1 if good else 0, "reason": f"matched {found.group(0)[:200]!r}" if found else "no match"}
`,
}

export const textBuiltins: readonly Builtin[] = [exact, contains, regex]
