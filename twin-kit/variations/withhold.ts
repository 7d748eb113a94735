import { seriesTable } from '../kernel/seed.ts'
import type { TableView } from '../kernel/table.ts'
import type { Actor, AnyTwin, Control, WritableTables } from '../kernel/twin.ts'

type Tables = Readonly<Record<string, Pick<TableView, 'has'>>>

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
    sequence(withheldRow('', ''))
    for (const subject of subjects)
      for (const permission of ['', ...permissions]) sequence(withheldRow(subject, permission))
  },
}

/** Whether anything is withheld from anybody. */
export const withholdsAny = (tables: Tables): boolean =>
  tables[seriesTable]?.has(withheldRow('', '')) === true

export const isWithheld = (tables: Tables, subject: string, permission: string): boolean =>
  tables[seriesTable]?.has(withheldRow(subject, permission)) === true

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
  const subject = actor?.subject ?? ''
  if (!permissions || !isWithheld(tables, subject, '')) return
  for (const need of permissions.needs(name, input, tables)) {
    if (!isWithheld(tables, subject, need)) continue
    withheld.push(need)
    const refusal = permissions.refusal(need)
    if (refusal) throw refusal
  }
}
