import type { Answer, Assertion } from '../../cli/bench/assertions.ts'

/** An operation of an oracle and the assertion from which its arguments are taken, such as `issueUpdate 0`. */
export type OracleStep = string

export interface OracleWorld {
  readonly answer: Answer
  /** The rows of the benchmark's own seed. */
  readonly seed: Readonly<Record<string, readonly Row[]>>
  readonly chat: (method: string, fields: Record<string, string>) => Promise<Row>
  readonly tracker: (document: string, variables: Record<string, unknown>) => Promise<Row>
}
// biome-ignore lint/suspicious/noExplicitAny: rows of every table, and replies of every operation.
type Row = Record<string, any>

/** What an assertion wants a field to be: the value, or a text that holds what it must contain. */
const wanted = (condition: unknown): unknown => {
  if (typeof condition !== 'object' || condition === null) return condition
  const { eq, contains, i_contains, in: among } = condition as Row
  return eq ?? contains ?? i_contains ?? among?.[0]
}

/** Does the steps of an oracle, in their order. */
export const operate = async (steps: readonly OracleStep[], world: OracleWorld): Promise<void> => {
  const context: Context = { ...world, opened: undefined, issues: [], labels: [] }
  for (const step of steps) {
    const [name = '', place = '0'] = step.split(' ')
    const assertion = world.answer.assertions[Number(place)]
    const operation = operations[name]
    if (!operation || !assertion) throw new Error(`there is no operation ${step}`)
    await operation(assertion, context)
  }
}

interface Context extends OracleWorld {
  /** The conversation that was opened last. */
  opened: string | undefined
  readonly issues: string[]
  readonly labels: string[]
}
type Operation = (assertion: Assertion, context: Context) => Promise<void>

const where = ({ where: conditions = {} }: Assertion, name: string): string | undefined => {
  const value = wanted(conditions[name])
  return value === undefined || value === null ? undefined : String(value)
}

const messageOf = (assertion: Assertion, { seed }: Context): Row => {
  const [id, channel, text] = ['message_id', 'channel_id', 'message_text'].map((name) =>
    where(assertion, name),
  )
  const found = (seed.messages ?? []).find(
    (row) =>
      (id === undefined || row.message_id === id) &&
      (channel === undefined || row.channel_id === channel) &&
      (text === undefined || row.message_text.toLowerCase().includes(text.toLowerCase())),
  )
  if (!found) throw new Error('the seed has no such message')
  return found
}

const changesOf = (assertion: Assertion): Row =>
  Object.fromEntries(
    Object.entries(assertion.expected_changes ?? {}).map(([name, { to }]) => [name, wanted(to)]),
  )

const issueOf = (assertion: Assertion, { seed }: Context): Row => {
  const [id, identifier] = ['id', 'identifier'].map((name) => where(assertion, name))
  const found = (seed.issues ?? []).find((row) => row.id === id || row.identifier === identifier)
  if (!found) throw new Error('the seed has no such issue')
  return found
}

const mutate = (context: Context, call: string, variables: Row, types: string): Promise<Row> =>
  context.tracker(`mutation(${types}) { ${call} }`, variables)

const teamIn = (context: Context): string => String(context.seed.teams?.[0]?.id)

const operations: Readonly<Record<string, Operation>> = {
  'chat.postMessage': async (assertion, context) => {
    const channel =
      where(assertion, 'channel_id') ?? context.opened ?? String(context.seed.channels?.[0]?.channel_id)
    const parent = where(assertion, 'parent_id')
    const text = where(assertion, 'message_text') ?? 'Done'
    await context.chat('chat.postMessage', { channel, text, ...(parent && { thread_ts: parent }) })
  },
  'chat.update': async (assertion, context) => {
    const row = messageOf(assertion, context)
    const same = context.answer.assertions.filter(
      (one) =>
        one.diff_type === 'changed' &&
        one.entity === 'messages' &&
        where(one, 'message_id') === where(assertion, 'message_id'),
    )
    const text = same.map((one) => String(changesOf(one).message_text)).join(', ')
    await context.chat('chat.update', { channel: row.channel_id, ts: row.message_id, text })
  },
  'chat.delete': async (assertion, context) => {
    const row = messageOf(assertion, context)
    await context.chat('chat.delete', { channel: row.channel_id, ts: row.message_id })
  },
  'reactions.add': async (assertion, context) => {
    const row = messageOf(assertion, context)
    const name = where(assertion, 'reaction_type') ?? 'eyes'
    await context.chat('reactions.add', { channel: row.channel_id, timestamp: row.message_id, name })
  },
  'reactions.remove': async (assertion, context) => {
    const row = messageOf(assertion, context)
    const name = where(assertion, 'reaction_type') ?? 'eyes'
    await context.chat('reactions.remove', { channel: row.channel_id, timestamp: row.message_id, name })
  },
  'conversations.setTopic': async (assertion, context) => {
    const channel = where(assertion, 'channel_id') ?? ''
    await context.chat('conversations.setTopic', { channel, topic: String(changesOf(assertion).topic_text) })
  },
  'conversations.rename': async (assertion, context) => {
    const channel = where(assertion, 'channel_id') ?? ''
    await context.chat('conversations.rename', { channel, name: String(changesOf(assertion).channel_name) })
  },
  'conversations.archive': async (assertion, { chat }) => {
    await chat('conversations.archive', { channel: where(assertion, 'channel_id') ?? '' })
  },
  'conversations.unarchive': async (assertion, { chat }) => {
    await chat('conversations.unarchive', { channel: where(assertion, 'channel_id') ?? '' })
  },
  'conversations.create': async (assertion, context) => {
    const name = where(assertion, 'channel_name') ?? 'made-by-oracle'
    const isPrivate = where(assertion, 'is_private') === 'true'
    const made = await context.chat('conversations.create', { name, is_private: String(isPrivate) })
    context.opened = made.channel.id
    const topic = where(assertion, 'topic_text')
    if (topic) await context.chat('conversations.setTopic', { channel: made.channel.id, topic })
  },
  'conversations.open': async (assertion, context) => {
    const named = context.answer.assertions.find(
      (one) => one.entity === 'channel_members' && one.diff_type === 'added' && one.expected_count !== 0,
    )
    const user = where(assertion, 'user_id') ?? (named && where(named, 'user_id')) ?? 'U06HUBERT23'
    const made = await context.chat('conversations.open', { users: user })
    context.opened = made.channel.id
  },
  'conversations.invite': async (assertion, context) => {
    const channel = where(assertion, 'channel_id') ?? context.opened ?? ''
    const among = (assertion.where?.user_id as Row | undefined)?.in
    const users = Array.isArray(among) ? among.join(',') : (where(assertion, 'user_id') ?? '')
    await context.chat('conversations.invite', { channel, users })
  },
  'conversations.join': async (assertion, { chat }) => {
    await chat('conversations.join', { channel: where(assertion, 'channel_id') ?? '' })
  },
  'conversations.kick': async (assertion, { chat }) => {
    await chat('conversations.kick', {
      channel: where(assertion, 'channel_id') ?? '',
      user: where(assertion, 'user_id') ?? '',
    })
  },
  issueCreate: async (assertion, context) => {
    const fields = [
      'teamId',
      'title',
      'assigneeId',
      'stateId',
      'priority',
      'description',
      'parentId',
      'dueDate',
    ]
    const input: Row = { teamId: teamIn(context), title: 'Made by an oracle' }
    for (const name of fields) {
      const value = wanted(assertion.where?.[name])
      if (value !== undefined) input[name] = value
    }
    const parent = (context.seed.issues ?? []).find(({ id }) => id === input.parentId)
    if (parent && assertion.where?.teamId === undefined) input.teamId = parent.teamId
    const state = (context.seed.workflow_states ?? []).find(({ id }) => id === input.stateId)
    if (state && assertion.where?.teamId === undefined) input.teamId = state.teamId
    const count = typeof assertion.expected_count === 'number' ? assertion.expected_count : 1
    for (let n = 0; n < count; n++) {
      const call = 'issueCreate(input: $input) { issue { id } }'
      const made = await mutate(context, call, { input }, '$input: IssueCreateInput!')
      context.issues.push(made.issueCreate.issue.id)
    }
  },
  issueUpdate: async (assertion, context) => {
    const { id } = issueOf(assertion, context)
    const call = 'issueUpdate(id: $id, input: $input) { success }'
    await mutate(
      context,
      call,
      { id, input: changesOf(assertion) },
      '$id: String!, $input: IssueUpdateInput!',
    )
  },
  commentCreate: async (assertion, context) => {
    const issueId = where(assertion, 'issueId') ?? context.issues[0] ?? String(context.seed.issues?.[0]?.id)
    const input = { issueId, body: where(assertion, 'body') ?? 'Done' }
    await mutate(
      context,
      'commentCreate(input: $input) { success }',
      { input },
      '$input: CommentCreateInput!',
    )
  },
  commentDelete: async (assertion, context) => {
    await mutate(
      context,
      'commentDelete(id: $id) { success }',
      { id: where(assertion, 'id') },
      '$id: String!',
    )
  },
  commentUpdate: async (assertion, context) => {
    const call = 'commentUpdate(id: $id, input: $input) { success }'
    const variables = { id: where(assertion, 'id'), input: changesOf(assertion) }
    await mutate(context, call, variables, '$id: String!, $input: CommentUpdateInput!')
  },
  issueRelationDelete: async (assertion, context) => {
    const id = where(assertion, 'id')
    await mutate(context, 'issueRelationDelete(id: $id) { success }', { id }, '$id: String!')
  },
  issueRelationCreate: async (assertion, context) => {
    const count = typeof assertion.expected_count === 'number' ? assertion.expected_count : 1
    const all = [...context.issues, ...(context.seed.issues ?? []).map(({ id }) => String(id))]
    const type = where(assertion, 'type') ?? 'blocks'
    for (let n = 0; n < count; n++) {
      const input = { issueId: all[n], relatedIssueId: all.at(-1 - n), type }
      await mutate(
        context,
        'issueRelationCreate(input: $input) { success }',
        { input },
        '$input: IssueRelationCreateInput!',
      )
    }
  },
  issueAddLabel: async (assertion, context) => {
    const expected = assertion.expected_count
    const count = typeof expected === 'number' ? expected : (expected?.min ?? 1)
    const issue = (context.seed.issues ?? []).find(({ id }) => id === where(assertion, 'issue_id'))
    const has = new Set<string>(issue?.labelIds ?? [])
    const free = (context.seed.issue_labels ?? []).filter(
      ({ id, teamId }) => !has.has(id) && (!issue || teamId === null || teamId === issue.teamId),
    )
    const named = where(assertion, 'issue_label_id')
    const labels = named ? [named] : [...context.labels, ...free.map(({ id }) => String(id))]
    const targets = issue ? [String(issue.id)] : context.issues
    let given = 0
    for (const labelId of labels)
      for (const id of targets) {
        if (given === count) return
        const call = 'issueAddLabel(id: $id, labelId: $labelId) { success }'
        await mutate(context, call, { id, labelId }, '$id: String!, $labelId: String!')
        given++
      }
  },
  issueLabelCreate: async (assertion, context) => {
    const input = { name: where(assertion, 'name') ?? 'oracle' }
    const call = 'issueLabelCreate(input: $input) { issueLabel { id } }'
    const made = await mutate(context, call, { input }, '$input: IssueLabelCreateInput!')
    context.labels.push(made.issueLabelCreate.issueLabel.id)
  },
  issueLabelUpdate: async (assertion, context) => {
    const call = 'issueLabelUpdate(id: $id, input: $input) { success }'
    const variables = { id: where(assertion, 'id'), input: changesOf(assertion) }
    await mutate(context, call, variables, '$id: String!, $input: IssueLabelUpdateInput!')
  },
  teamCreate: async (assertion, context) => {
    const input = { name: where(assertion, 'name') ?? 'Oracles' }
    await mutate(context, 'teamCreate(input: $input) { success }', { input }, '$input: TeamCreateInput!')
  },
  teamMembershipCreate: async (assertion, context) => {
    const input = { teamId: where(assertion, 'teamId'), userId: where(assertion, 'userId') }
    const call = 'teamMembershipCreate(input: $input) { success }'
    await mutate(context, call, { input }, '$input: TeamMembershipCreateInput!')
  },
  workflowStateCreate: async (assertion, context) => {
    const name = where(assertion, 'name') ?? 'Done'
    const input = {
      name,
      type: 'completed',
      color: '#5e6ad2',
      teamId: where(assertion, 'teamId') ?? teamIn(context),
    }
    await mutate(
      context,
      'workflowStateCreate(input: $input) { success }',
      { input },
      '$input: WorkflowStateCreateInput!',
    )
  },
  workflowStateArchive: async (assertion, context) => {
    await mutate(
      context,
      'workflowStateArchive(id: $id) { success }',
      { id: where(assertion, 'id') },
      '$id: String!',
    )
  },
}
