import type { ScorerDefinition } from '@diorama/contract'
import { z } from 'zod'

/** A scorer that comes with the service: Python code that reads its parameters from one constant. */
export interface Builtin {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly needsWorld: boolean
  readonly parameters: z.ZodObject
  readonly example: Readonly<Record<string, unknown>>
  readonly code: string
}

/** The code with its parameters, which are in it as JSON inside a text, so that no value can be read as code. */
export const codeOf = ({ code }: Pick<Builtin, 'code'>, parameters: unknown): string =>
  `import json\n\nPARAMETERS = json.loads(${JSON.stringify(JSON.stringify(parameters))})\n\n${code}`

export interface BuiltinUse {
  readonly name: string
  readonly slug: string | null
  readonly description: string
  readonly passThreshold: number | null
}

/** The whole definition of a built-in scorer with parameters that fit it. */
export const definitionOf = (builtin: Builtin, parameters: unknown, use: BuiltinUse): ScorerDefinition => ({
  ...use,
  kind: 'code',
  language: 'python',
  code: codeOf(builtin, parameters),
  prompt: null,
  choiceScores: [],
  useCot: false,
  allowSkip: false,
  model: null,
})

export const flag = (fallback: boolean, description: string) =>
  z.boolean().default(fallback).meta({ description })

/** Equality of JSON values in which numbers may differ by a tolerance; true and 1 are not the same. */
export const sameCode = `def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(wanted, found, tolerance):
    if is_number(wanted) and is_number(found):
        return abs(wanted - found) <= tolerance
    if isinstance(wanted, dict) and isinstance(found, dict):
        return wanted.keys() == found.keys() and all(same(wanted[name], found[name], tolerance) for name in wanted)
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(same(a, b, tolerance) for a, b in zip(wanted, found))
    return type(wanted) is type(found) and wanted == found
`
