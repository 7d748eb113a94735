import type { BuiltinScorer, BuiltinScorerUse, ScorerDefinition } from '@diorama/contract'
import { z } from 'zod'
import { ApiError, notFound } from '../../http/api-error.ts'
import { shapeDetails, summary } from '../../http/parse.ts'
import { type Builtin, definitionOf } from './builtin.ts'
import { temporalBuiltins } from './temporal.ts'
import { textBuiltins } from './text.ts'
import { valueBuiltins } from './values.ts'
import { worldBuiltins } from './world.ts'

/** The scorers that come with the service. */
export const builtins: readonly Builtin[] = [
  ...textBuiltins,
  ...valueBuiltins,
  ...worldBuiltins,
  ...temporalBuiltins,
]

export const shownBuiltins = (): BuiltinScorer[] =>
  builtins.map(({ slug, name, description, needsWorld, parameters, example }) => ({
    slug,
    name,
    description,
    language: 'python',
    needs_world: needsWorld,
    parameters: z.toJSONSchema(parameters, { io: 'input' }),
    example,
  }))

/** The definition that a built-in scorer becomes; every parameter that does not fit is named. */
export const builtinDefinition = (slug: string, use: BuiltinScorerUse): ScorerDefinition => {
  const builtin = builtins.find((one) => one.slug === slug)
  if (!builtin) throw notFound('built-in scorer')
  const parsed = builtin.parameters.safeParse(use.parameters)
  if (!parsed.success) {
    const details = shapeDetails(parsed.error, '/parameters')
    throw new ApiError('malformed', summary('The parameters do not fit', details), { details })
  }
  return definitionOf(builtin, parsed.data, {
    name: use.name ?? builtin.name,
    slug: use.slug,
    description: use.description ?? builtin.description,
    passThreshold: use.pass_threshold,
  })
}
