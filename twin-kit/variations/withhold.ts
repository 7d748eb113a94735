import { seriesTable } from '../kernel/seed.ts'
import type { Actor, AnyTwin, Control, WritableTables } from '../kernel/twin.ts'

/** The control by which permissions are withheld from subjects; every twin that has permissions has it. */
export const withholdControl = 'withhold'

/** The row by which a permission is withheld; without a permission, that any is. */
const withheldRow = (subject: string, permission: string): string => `withheld ${subject} ${permission}`

interface WithholdInput {
  readonly subjects: readonly string[]
  readonly permissions: readonly string[]
}

/** Kept beside the series, which are no part of a difference and are restored with the rest. */
export const withhold: Control = {
  effect: 'write',
  run: ({ sequence }, { subjects, permissions }: WithholdInput) => {
    for (const subject of subjects)
      for (const permission of ['', ...permissions]) sequence(withheldRow(subject, permission))
  },
}

interface PermittedCall {
  readonly name: string
  readonly input: unknown
  readonly actor: Actor | undefined
  /** What was asked for and is withheld. */
  readonly withheld: string[]
}

/** Refuses a call that needs a permission which was withheld from its caller. */
export const requirePermission = (
  { twin, tables }: { readonly twin: AnyTwin; readonly tables: WritableTables },
  { name, input, actor, withheld }: PermittedCall,
): void => {
  const { permissions } = twin.variations ?? {}
  const series = tables[seriesTable]
  const subject = actor?.subject ?? ''
  if (!permissions || !series?.has(withheldRow(subject, ''))) return
  const missing = permissions
    .needs(name, input, tables)
    .find((need: string) => series.has(withheldRow(subject, need)))
  if (missing === undefined) return
  withheld.push(missing)
  throw permissions.refusal(missing)
}
