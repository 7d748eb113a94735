/** One change of a world, as scorers see it. */
export interface WorldChange {
  readonly service: string
  readonly collection: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** Rows of one table that a benchmark compares. */
export interface TableChanges {
  added: Record<string, unknown>[]
  removed: Record<string, unknown>[]
  changed: { before: Record<string, unknown>; after: Record<string, unknown> }[]
}
export type Projected = Record<string, TableChanges>

/**
 * Our changes as changes of the tables that the benchmark's own replicas have. The function is sent to the service as
 * the text of a scorer, so that it is self-contained: it names nothing outside itself.
 */
export const project = (changes: readonly WorldChange[]): Projected => {
  type Fields = Record<string, unknown>
  const tables: Projected = {}
  const of = (name: string) => {
    tables[name] ??= { added: [], removed: [], changed: [] }
    return tables[name]
  }
  const put = (name: string, before: Fields | null, after: Fields | null) => {
    const table = of(name)
    if (before && after) {
      if (JSON.stringify(before) !== JSON.stringify(after)) table.changed.push({ before, after })
    } else if (after) table.added.push(after)
    else if (before) table.removed.push(before)
  }
  const each = (row: Fields | null, read: (row: Fields) => Fields | null) => (row ? read(row) : null)
  const pick = (names: readonly string[]) => (row: Fields) =>
    Object.fromEntries(names.map((name) => [name, row[name] ?? null]))

  /** Blocks that the service makes of a text on its own are no part of what was sent. */
  const sentBlocks = (blocks: unknown): string | null => {
    const text = JSON.stringify(blocks ?? null)
    const kinds = [...text.matchAll(/"type":"([a-z_]+)"/g)].map(([, kind]) => kind)
    const plain = ['rich_text', 'rich_text_section', 'text', 'link', 'user', 'channel', 'emoji', 'usergroup']
    return blocks && kinds.some((kind) => !plain.includes(kind ?? '')) ? text : null
  }
  const message = (row: Fields): Fields | null =>
    row.subtype
      ? null
      : {
          message_id: row.ts,
          channel_id: row.channel,
          user_id: row.user,
          message_text: row.text,
          parent_id: row.thread_ts && row.thread_ts !== row.ts ? row.thread_ts : null,
          blocks: sentBlocks(row.blocks),
        }
  const channel = (row: Fields): Fields => ({
    channel_id: row.id,
    channel_name: row.name,
    is_private: row.is_private === true && row.is_im !== true && row.is_mpim !== true,
    is_dm: row.is_im === true,
    is_gc: row.is_mpim === true,
    is_archived: row.is_archived === true,
    topic_text: (row.topic as Fields | undefined)?.value ?? null,
    purpose_text: (row.purpose as Fields | undefined)?.value ?? null,
  })
  const reactions = (row: Fields | null): Fields[] =>
    ((row?.reactions ?? []) as { name: string; users: string[] }[]).flatMap(({ name, users }) =>
      users.map((user) => ({
        message_id: row?.ts,
        user_id: user,
        reaction_type: { '+1': 'thumbsup', '-1': 'thumbsdown' }[name] ?? name,
      })),
    )
  const apart = (name: string, before: readonly Fields[], after: readonly Fields[]) => {
    const key = (row: Fields) => JSON.stringify(row)
    const [had, has] = [new Set(before.map(key)), new Set(after.map(key))]
    of(name).added.push(...after.filter((row) => !had.has(key(row))))
    of(name).removed.push(...before.filter((row) => !has.has(key(row))))
  }
  const labels = (row: Fields | null): Fields[] =>
    ((row?.labelIds ?? []) as string[]).map((label) => ({ issue_id: row?.id, issue_label_id: label }))
  const priorityWords = ['No priority', 'Urgent', 'High', 'Medium', 'Low']
  /** Columns that a caller can write; what the service derives from them is not a separate change. */
  const issueFields = [
    ...['id', 'identifier', 'title', 'description', 'teamId', 'stateId', 'assigneeId', 'priority', 'dueDate'],
    ...['parentId', 'projectId', 'cycleId', 'estimate', 'archivedAt'],
  ]
  const issue = (row: Fields): Fields => ({
    ...pick(issueFields)(row),
    priorityLabel: priorityWords[Number(row.priority)] ?? null,
  })
  /** An issue keeps its number in the replica when its team changes. */
  const moved = (before: Fields | null, after: Fields | null): Fields | null =>
    before && after ? { ...issue(after), identifier: before.identifier } : after && issue(after)
  /** Where the service deletes, the replica marks a row as archived. */
  const archived = (name: string, fields: readonly string[], before: Fields | null, after: Fields | null) => {
    const read = pick([...fields, 'archivedAt'])
    const gone = before && !after ? { ...read(before), archivedAt: 'deleted' } : each(after, read)
    put(name, each(before, read), gone)
  }

  for (const { collection, before, after } of changes) {
    if (collection === 'message') {
      put('messages', each(before, message), each(after, message))
      apart('message_reactions', reactions(before), reactions(after))
    } else if (collection === 'channel') put('channels', each(before, channel), each(after, channel))
    else if (collection === 'channel_member') {
      const member = (row: Fields) => ({ channel_id: row.channel, user_id: row.user })
      put('channel_members', each(before, member), each(after, member))
    } else if (collection === 'Issue') {
      put('issues', each(before, issue), moved(before, after))
      apart('issue_label_issue_association', labels(before), labels(after))
    } else if (collection === 'Comment')
      archived('comments', ['id', 'issueId', 'userId', 'body', 'parentId'], before, after)
    else if (collection === 'IssueRelation')
      archived('issue_relations', ['id', 'issueId', 'relatedIssueId', 'type'], before, after)
    else if (collection === 'WorkflowState')
      archived('workflow_states', ['id', 'name', 'type', 'teamId', 'color', 'description'], before, after)
    else if (collection === 'TeamMembership') {
      const read = pick(['id', 'teamId', 'userId'])
      put('team_memberships', each(before, read), each(after, read))
    } else if (collection === 'Team') {
      const read = pick(['id', 'name', 'key', 'description'])
      put('teams', each(before, read), each(after, read))
    } else if (collection === 'IssueLabel') {
      const read = pick(['id', 'name', 'color', 'description', 'teamId', 'parentId', 'isGroup'])
      put('issue_labels', each(before, read), each(after, read))
    }
  }
  return tables
}
