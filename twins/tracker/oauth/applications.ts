import { find, type TrackerCall } from '../context.ts'
import { mutation, type Operations, query } from '../operations/crud.ts'
import { addRecord, changeRecord, type Input, needText, plain, recordInput } from '../operations/records.ts'
import type { OAuthApplicationRow } from '../rows.ts'
import { isAdmin } from '../rules/access.ts'
import { forbidden, invalidArgument, notFound } from '../shapes/refusals.ts'
import { iso } from '../values/times.ts'
import { uuidFrom } from '../values/uuid.ts'
import { abilitiesOf, appUser, secretOf } from './installed.ts'

export const clientSecret = (call: Pick<TrackerCall, 'principals'>, app: OAuthApplicationRow): string =>
  secretOf(call.principals, 'client', { clientId: app.clientId, version: app.secretVersion })
export const webhookSecret = (call: Pick<TrackerCall, 'principals'>, app: OAuthApplicationRow): string =>
  secretOf(call.principals, 'webhook', { clientId: app.clientId, version: app.webhookSecretVersion })

const blank = {
  description: null,
  developerUrl: '',
  imageUrl: null,
  distribution: 'private',
  grantTypes: ['authorization_code'],
  webhookUrl: null,
  webhookResourceTypes: [],
  webhookEnabled: false,
  scopes: [],
  appUserId: null,
  managerId: null,
  secretVersion: 0,
  webhookSecretVersion: 0,
}

/** Gives an application its own account, and a webhook where it has an address for one. */
export const installApplication = (
  call: TrackerCall,
  app: OAuthApplicationRow,
  granted: readonly string[],
): OAuthApplicationRow => {
  const scopes = [...new Set([...app.scopes, ...granted])]
  const abilities = abilitiesOf(scopes)
  const user = find(call, 'User', app.appUserId)
  if (user) changeRecord(call, 'User', user, { ...abilities, active: true })
  const appUserId = user?.id ?? addRecord(call, 'User', { ...appUser(app), ...abilities }).id
  changeRecord(call, 'OAuthApplication', app, { scopes, appUserId })
  return needApplication(call, app.id)
}

const needApplication = (call: TrackerCall, id: unknown): OAuthApplicationRow => {
  const app = call.tables.OAuthApplication.get(String(id))
  if (!app || app.archivedAt) throw notFound('OAuthApplication')
  return app
}

/** Applications manage those that they made; an administrator's key does what the settings page is for. */
const managerOf = (call: TrackerCall): string | null => {
  const own = find(call, 'User', call.actor?.id)?.oauthClientId
  if (typeof own === 'string') return own
  if (isAdmin(call)) return null
  throw forbidden('Only OAuth applications and workspace administrators can manage OAuth applications.')
}
const needManaged = (call: TrackerCall, id: unknown): OAuthApplicationRow => {
  const manager = managerOf(call)
  const app = needApplication(call, id)
  if (manager !== null && app.managerId !== manager) throw notFound('OAuthApplication')
  return app
}

const needUrls = (input: Input, property: string, values: readonly unknown[]): string[] => {
  const fits = values.every((value) => typeof value === 'string' && URL.canParse(value))
  if (fits) return values.map(String)
  throw invalidArgument({
    target: { ...input },
    property,
    value: plain(input[property]),
    constraints: { isUrl: `${property} must be a URL address` },
  })
}

/** Columns that the input of a new or a changed application sets. */
const columnsOf = (input: Input): Record<string, unknown> => {
  const columns: Record<string, unknown> = {}
  for (const name of ['description', 'developer', 'developerUrl', 'imageUrl', 'webhookEnabled'])
    if (input[name] !== undefined) columns[name] = input[name]
  if (input.name !== undefined) columns.name = needText(input, 'name')
  if (Array.isArray(input.redirectUris))
    columns.redirectUris = needUrls(input, 'redirectUris', input.redirectUris)
  if (Array.isArray(input.webhookResourceTypes))
    columns.webhookResourceTypes = plain(input.webhookResourceTypes)
  if (typeof input.webhookUrl === 'string') {
    columns.webhookUrl = needUrls(input, 'webhookUrl', [input.webhookUrl])[0]
    columns.webhookEnabled ??= true
  } else if (input.webhookUrl === null) Object.assign(columns, { webhookUrl: null, webhookEnabled: false })
  if (Array.isArray(input.grantTypes)) {
    if (!input.grantTypes.includes('authorization_code'))
      throw invalidArgument({
        target: { ...input },
        property: 'grantTypes',
        value: plain(input.grantTypes),
        constraints: { arrayContains: 'grantTypes must contain authorization_code' },
      })
    columns.grantTypes = plain(input.grantTypes)
  }
  return columns
}

const create = (call: TrackerCall, input: Input) => {
  const managerId = managerOf(call)
  const { idempotencyKey } = input
  const same =
    typeof idempotencyKey === 'string'
      ? [...call.tables.OAuthApplication.all()].find(
          (app) => app.idempotencyKey === idempotencyKey && app.managerId === managerId && !app.archivedAt,
        )
      : undefined
  if (same) return { success: true, application: same, clientSecret: null, webhookSecret: null }
  const columns = {
    ...columnsOf(input),
    developer: needText(input, 'developer'),
    name: needText(input, 'name'),
  }
  const id = uuidFrom(call.draw('application'))
  const now = iso(call.now)
  const app = call.tables.OAuthApplication.insert({
    ...blank,
    redirectUris: [],
    ...columns,
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    id,
    clientId: call.draw('client id').slice(0, 32),
    managerId,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  } as OAuthApplicationRow)
  return {
    success: true,
    application: app,
    clientSecret: clientSecret(call, app),
    webhookSecret: app.webhookUrl ? webhookSecret(call, app) : null,
  }
}

/** Takes an application out of the workspace: its tokens end, and its account is suspended. */
export const uninstallApplication = (call: TrackerCall, app: OAuthApplicationRow): void => {
  for (const { id } of [...call.tables.oauthToken.find('clientId', app.clientId)])
    call.tables.oauthToken.delete(id)
  const user = find(call, 'User', app.appUserId)
  if (user) changeRecord(call, 'User', user, { active: false })
}

export const applicationOperations: Operations = {
  ...query('applicationInfo', (call, { clientId }) => {
    const app = call.tables.OAuthApplication.first('clientId', String(clientId))
    if (!app) throw notFound('OAuthApplication')
    return app
  }),
  ...query('oauthApplication', (call, { id }) => needManaged(call, id)),
  ...query('oauthApplications', (call) => {
    const manager = managerOf(call)
    return [...call.tables.OAuthApplication.all()].filter(
      (app) => !app.archivedAt && (manager === null || app.managerId === manager),
    )
  }),
  ...mutation('oauthApplicationCreate', (call, { input }) => create(call, recordInput(input))),
  ...mutation('oauthApplicationUpdate', (call, { id, input }) => {
    const app = needManaged(call, id)
    changeRecord(call, 'OAuthApplication', app, columnsOf(recordInput(input)))
    return { success: true, application: needApplication(call, id) }
  }),
  ...mutation('oauthApplicationArchive', (call, { id }) => {
    const app = needManaged(call, id)
    uninstallApplication(call, app)
    changeRecord(call, 'OAuthApplication', app, { archivedAt: iso(call.now) })
    return { success: true }
  }),
  ...mutation('oauthApplicationRotateSecret', (call, { id }) => {
    const app = needManaged(call, id)
    changeRecord(call, 'OAuthApplication', app, { secretVersion: app.secretVersion + 1 })
    return { success: true, clientSecret: clientSecret(call, needApplication(call, id)) }
  }),
  ...mutation('oauthApplicationRotateWebhookSecret', (call, { id }) => {
    const app = needManaged(call, id)
    changeRecord(call, 'OAuthApplication', app, { webhookSecretVersion: app.webhookSecretVersion + 1 })
    return { success: true, webhookSecret: webhookSecret(call, needApplication(call, id)) }
  }),
}
