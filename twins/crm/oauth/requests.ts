import type { Row, TableSpec, TableView, WritableTable } from '@diorama/twin-kit/kernel/table'
import { table } from '@diorama/twin-kit/kernel/table'
import { type Call, type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'

/** Authorizations that were given or asked for and whose tokens nobody has fetched yet. */
export const authorizationTable = '$authorization'
/** Connected apps: programs that the organization knows. */
export const appTable = '$connected app'

export interface AuthorizationRow extends Row {
  /** The SHA-256 of the code. */
  readonly id: string
  readonly kind: 'code' | 'device'
  /** What a person types to connect a device; empty for others. */
  readonly userCode: string
  readonly clientId: string
  readonly redirectUri: string
  /** The challenge of PKCE in its S256 form; empty where none was sent. */
  readonly challenge: string
  /** Whose token it leads to; empty until somebody has agreed. */
  readonly subject: string
  readonly expiresAt: number
}

export interface ConnectedApp extends Row {
  readonly clientId: string
  readonly clientSecret: string | null
  readonly redirectUris: readonly string[]
  /** With which assertions are signed, as PEM. */
  readonly certificate: string | null
  /** The user name that client credentials act as. */
  readonly runAs: string | null
}

const plain = { parse: (value: unknown) => value as Row }

export const oauthTables: Readonly<Record<string, TableSpec>> = {
  [authorizationTable]: table<Row>({
    key: 'id',
    row: plain,
    internal: true,
    sparse: true,
    indexes: { userCode: { by: (row: AuthorizationRow) => row.userCode || undefined } },
  }),
  [appTable]: table<Row>({ key: 'clientId', row: plain, internal: true, sparse: true }),
}

type Views = Readonly<Record<string, TableView>>
export const authorizationsIn = (views: Views): TableView<AuthorizationRow> =>
  views[authorizationTable] as TableView<AuthorizationRow>
export const appsIn = (views: Views): TableView<ConnectedApp> => views[appTable] as TableView<ConnectedApp>

const authorizations = (call: Call): WritableTable<AuthorizationRow> =>
  call.tables[authorizationTable] as unknown as WritableTable<AuthorizationRow>

const keep: Operation = operation({
  effect: 'write',
  run: (call: Call, row: AuthorizationRow) => {
    const rows = authorizations(call)
    for (const old of [...rows.all()]) if (old.expiresAt <= call.now) rows.delete(old.id)
    rows.insert(row)
  },
})
const agree: Operation = operation({
  effect: 'write',
  run: (call: Call, { id, subject }: { id: string; subject: string }) =>
    authorizations(call).update(id, { subject }),
})
const spend: Operation = operation({
  effect: 'write',
  run: (call: Call, { id }: { id: string }) => authorizations(call).delete(id),
})
/** A secret that follows from the twin's own token and how many were made before. */
const drawn: Operation = operation({ effect: 'write', run: (call: Call) => call.draw('authorization') })

export const oauthOperations: Readonly<Record<string, Operation>> = {
  'draw authorization': drawn,
  'keep authorization': keep,
  'agree to authorization': agree,
  'spend authorization': spend,
}

/** A connected app as the setup pages take it. */
export const ConnectedAppSetting = z.strictObject({
  clientId: z.string().min(1).max(256),
  clientSecret: z.string().min(1).max(256).nullable().default(null),
  redirectUris: z.array(z.url().max(2_000)).max(50).default([]),
  certificate: z.string().max(20_000).nullable().default(null),
  runAs: z.string().max(80).nullable().default(null),
})
