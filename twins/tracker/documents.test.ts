import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { LinearDocument } from '@linear/sdk'
import { type DocumentNode, Kind, parse, print, validate } from 'graphql'
import { rootFields, trackerSchema } from './engine.ts'
import { upperFirst } from './relations.ts'
import { operationName } from './resolvers.ts'
import { isEntityType } from './tables.ts'
import { type Known, variablesFor } from './testing/variables.ts'
import { idOf, startTracker } from './testing/world.ts'
import { tracker } from './twin.ts'

interface SdkDocument {
  readonly name: string
  readonly text: string
  readonly root: 'query' | 'mutation'
  readonly field: string
}

/** Every document that a version of the client can send. */
const documentsOf = (exported: object): SdkDocument[] =>
  Object.entries(exported)
    .filter(([name]) => name.endsWith('Document'))
    .map(([name, value]: [string, unknown]) => {
      const text =
        typeof value === 'object' && value !== null && 'kind' in value
          ? print(value as DocumentNode)
          : String(value)
      const operation = parse(text).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
      const first = operation?.selectionSet.selections[0]
      const field = first?.kind === Kind.FIELD ? first.name.value : ''
      return { name, text, root: operation?.operation === 'mutation' ? 'mutation' : 'query', field }
    })

const newest = documentsOf(LinearDocument)
const invalid = (documents: readonly SdkDocument[]): string[] =>
  documents
    .filter(({ text }) => validate(trackerSchema.get().schema, parse(text)).length > 0)
    .map(({ name }) => name.replace(/Document$/, ''))

const older = (name: string): SdkDocument[] => {
  const load = createRequire(import.meta.url)
  return documentsOf(load(name).LinearDocument)
}

describe('documents of the vendor’s client', () => {
  it('all validate in the newest version', () => {
    assert.equal(newest.length, 674)
    assert.deepEqual(invalid(newest), [])
  })

  it('validate in older versions, except what the service has since taken away', () => {
    assert.deepEqual(invalid(older('linear-sdk-75')), [
      'AsksWebSetting',
      'AsksWebSetting_IdentityProvider',
      'CreateAsksWebSettings',
      'InitiativeRelation',
      'IntegrationSalesforce',
      'UpdateAsksWebSettings',
      'UpdateInitiativeRelation',
    ])
    assert.deepEqual(invalid(older('linear-sdk-39')), [
      'ApiKeys',
      'ApplicationWithAuthorization',
      'InitiativeRelation',
      'VerifyGitHubEnterpriseServerInstallation',
      'UpdateCustomerNeed',
      'UpdateInitiativeRelation',
      'IntegrationGitHubEnterpriseServerConnect',
      'UserDemoteAdmin',
      'UserDemoteMember',
      'UserPromoteAdmin',
      'UserPromoteMember',
    ])
  })

  it('all run: what is emulated fills every field that may not be null, the rest is refused in the service’s words', () => {
    const world = startTracker()
    const { known, failed } = fill(world)
    const kept = world.instance.snapshot()
    const run = (document: SdkDocument) => {
      const copy = document.root === 'query' ? world : startTracker()
      if (copy !== world) copy.instance.restore(kept)
      const problem = runDocument(copy, document, known)
      if (problem) failed.push(`${document.name}: ${problem}`)
    }
    for (const document of newest) if (!made.has(document.field)) run(document)
    assert.deepEqual(failed, [])
  })
})

type World = ReturnType<typeof startTracker>

/** Records of every type that a caller can make, so that no document runs over nothing. */
const made = new Set<string>()
const fill = (world: World): { known: Known; failed: string[] } => {
  const known: Known = new Map()
  for (const [type, table] of Object.entries(world.instance.tables))
    for (const row of table.all()) if (isEntityType(type) && !known.has(type)) known.set(type, String(row.id))
  const mira = [...(world.instance.tables.User?.find('handle', 'mira') ?? [])][0]
  const own = [...(world.instance.tables.Notification?.find('userId', String(mira?.id)) ?? [])][0]
  known.set('User', String(mira?.id))
  known.set('Issue', idOf('leak'))
  known.set('OtherIssue', idOf('noise'))
  known.set('OtherUser', String([...(world.instance.tables.User?.find('handle', 'lucia') ?? [])][0]?.id))
  if (own) known.set('Notification', String(own.id))
  const failed: string[] = []
  const creates = newest.filter(
    ({ field }) => /Create$/.test(field) && isEntityType(upperFirst(field).slice(0, -6)),
  )
  for (let round = 0; round < 3; round++)
    for (const document of creates) {
      const type = upperFirst(document.field).slice(0, -'Create'.length)
      if (made.has(document.field)) continue
      const before = world.instance.tables[type]?.size() ?? 0
      const problem = runDocument(world, document, known)
      const rows = [...(world.instance.tables[type]?.all() ?? [])]
      if (!problem && rows.length === before + 1) {
        made.add(document.field)
        if (!['Issue', 'Team', 'Comment', 'Project', 'IssueLabel'].includes(type))
          known.set(type, String(rows.at(-1)?.id))
      } else if (round === 2) failed.push(`${document.name}: ${problem ?? 'made nothing'}`)
    }
  return { known, failed }
}

/** Runs a document with made-up variables; says what is wrong with the answer, if anything is. */
const runDocument = (world: World, document: SdkDocument, known: Known): string | undefined => {
  const field = rootFields(document.root === 'mutation' ? 'Mutation' : 'Query').find(
    ({ name }) => name === document.field,
  )
  if (!field) return 'no such field'
  const { status, body, step } = world.ask(document.text, variablesFor(document.root, field, known))
  if (status !== 200) return `${status} ${JSON.stringify(body)}`
  if (!body.errors) return undefined
  const { message, extensions } = body.errors[0]
  const emulated = operationName(document.root, document.field) in tracker.operations
  if (emulated) return `${message} | ${extensions.userPresentableMessage}`
  const counted = step.notEmulated.length === 1 && extensions.type === 'feature not accessible'
  return counted || /^Entity not found/.test(message) ? undefined : message
}
