import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LinearDocument } from '@linear/sdk'
import { rootFields, trackerSchema } from './graphql/engine.ts'
import { operationName } from './graphql/resolvers.ts'
import { bareType } from './lists/filter.ts'
import { upperFirst } from './lists/relations.ts'
import { isEntityType } from './tables.ts'
import { documentsOf, invalid, type SdkDocument } from './testing/documents.ts'
import { documentFor, type Known, variablesFor } from './testing/variables.ts'
import { idOf, startAgents, startTracker } from './testing/world.ts'
import { tracker } from './twin.ts'

const newest = documentsOf(LinearDocument)
describe('documents of the vendor’s client', () => {
  it('all validate in the newest version', () => {
    assert.equal(newest.length, 674)
    assert.deepEqual(invalid(newest), [])
  })

  it('all run: what is emulated fills every field that may not be null, the rest is refused in the service’s words', () => {
    const world = startAgents()
    const { known, failed, made } = fill(world)
    const kept = world.instance.snapshot()
    const run = (document: SdkDocument) => {
      const copy = document.root === 'query' ? world : startAgents()
      if (copy !== world) copy.instance.restore(kept)
      const problem = runDocument(copy, document, known)
      if (problem) failed.push(`${document.name}: ${problem}`)
    }
    for (const document of newest) if (!made.has(document.field)) run(document)
    assert.deepEqual(failed, [])
  })
})

describe('a record', () => {
  it('answers every field that its type has, two levels deep, with nothing missing that may not be', () => {
    const world = startAgents()
    const { known } = fill(world)
    for (const field of rootFields('Query')) {
      const operation = operationName('query', field.name)
      const made = operation in tracker.operations ? documentFor(operation) : undefined
      const type = bareType(field.type)
      if (!made || !isEntityType(type)) continue
      const document = made.document.replace('{ __typename }', everyField(type, 2))
      const { status, body } = world.ask(document, variablesFor('query', field, known))
      assert.deepEqual([status, body.errors], [200, undefined], field.name)
    }
  })

  it('of a saved view lists what its filter lets through', () => {
    const { data } = startTracker()
    const { customViewCreate } = data(
      'mutation($input: CustomViewCreateInput!) { customViewCreate(input: $input) { customView { issues { nodes { identifier } } projects { nodes { id } } } } }',
      { input: { name: 'Urgent', filterData: { priority: { eq: 1 } } } },
    )
    assert.deepEqual(customViewCreate.customView, {
      issues: { nodes: [{ identifier: 'ENG-1' }] },
      projects: { nodes: [] },
    })
  })
})

/** A selection of all that a type has and that needs no argument. */
const everyField = (type: string, depth: number): string => {
  const { types } = trackerSchema.get()
  const fields = (types.get(type)?.fields ?? []).flatMap((field) => {
    const target = bareType(field.type)
    const kind = types.get(target)?.kind
    if ((field.args ?? []).some((arg) => arg.type.endsWith('!'))) return []
    if (kind !== 'object' && kind !== 'interface' && kind !== 'union') return [field.name]
    const paged = (field.args ?? []).some(({ name }) => name === 'first') ? '(first: 2)' : ''
    return depth > 0 ? [`${field.name}${paged} ${everyField(target, depth - 1)}`] : []
  })
  return `{ __typename ${fields.join(' ')} }`
}

type World = ReturnType<typeof startTracker>

/** Records of every type that a caller can make, so that no document runs over nothing. */
const fill = (world: World): { known: Known; failed: string[]; made: Set<string> } => {
  const made = new Set<string>()
  const known: Known = new Map()
  const [helper] = world.instance.tables.OAuthApplication?.all() ?? []
  const input = { delegateId: helper?.appUserId }
  world.data('mutation($input: IssueUpdateInput!) { issueUpdate(id: "ENG-2", input: $input) { success } }', {
    input,
  })
  known.set('Client', String(helper?.clientId))
  for (const [type, table] of Object.entries(world.instance.tables))
    for (const row of table.all()) if (isEntityType(type) && !known.has(type)) known.set(type, String(row.id))
  const mira = [...(world.instance.tables.User?.find('handle', 'mira') ?? [])][0]
  const own = [...(world.instance.tables.Notification?.find('userId', String(mira?.id)) ?? [])][0]
  known.set('User', String(mira?.id))
  known.set('Issue', idOf('leak'))
  known.set('OtherIssue', idOf('noise'))
  known.set('OtherProject', idOf('later'))
  known.set('Project', idOf('quiet'))
  known.set('OtherInitiative', initiative(world))
  known.set('SourceCustomer', customer(world))
  known.set('OtherUser', String([...(world.instance.tables.User?.find('handle', 'lucia') ?? [])][0]?.id))
  const team = [...(world.instance.tables.Team?.find('key', 'OPS') ?? [])][0]
  world.data(`mutation { teamUpdate(id: "${team?.id}", input: { key: "OPX" }) { success } }`)
  known.set('TeamKey', 'OPS')
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
  return { known, failed, made }
}

const customer = (world: World): string =>
  world.data('mutation { customerCreate(input: { name: "Other" }) { customer { id } } }').customerCreate
    .customer.id

const initiative = (world: World): string =>
  world.data('mutation { initiativeCreate(input: { name: "Other" }) { initiative { id } } }').initiativeCreate
    .initiative.id

/** Runs a document with made-up variables; says what is wrong with the answer, if anything is. */
const runDocument = (world: World, document: SdkDocument, known: Known): string | undefined => {
  const field = rootFields(document.root === 'mutation' ? 'Mutation' : 'Query').find(
    ({ name }) => name === document.field,
  )
  if (!field) return 'no such field'
  const isAgents = document.root === 'mutation' && /^agent(Session|Activity)/.test(document.field)
  const { status, body, step } = world.ask(
    document.text,
    variablesFor(document.root, field, known),
    isAgents ? world.tokens['app:helper'] : world.token,
  )
  if (status !== 200) return `${status} ${JSON.stringify(body)}`
  if (!body.errors) return undefined
  const { message, extensions } = body.errors[0]
  const emulated = operationName(document.root, document.field) in tracker.operations
  if (emulated) return `${message} | ${extensions.userPresentableMessage}`
  const counted = step.notEmulated.length === 1 && extensions.type === 'feature not accessible'
  return counted || /^Entity not found/.test(message) ? undefined : message
}
