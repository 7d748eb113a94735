import { type Acting, type NativeReply, type StateItem, text } from '@diorama/console/view-kit'

/** The service answers errors beside its data, whatever the status. */
const accepted = ({ status, body }: NativeReply): void => {
  const errors: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'errors') : undefined
  if (status === 200 && errors === undefined) return
  const [first] = Array.isArray(errors) ? errors : []
  throw new Error(`The service refused it: ${first?.message ?? status}.`)
}

const mutate = async ({ send }: Acting, query: string, variables: object): Promise<void> =>
  accepted(await send({ method: 'POST', path: '/graphql', body: { query, variables } }))

export const updateIssue = (acting: Acting, id: string, input: object): Promise<void> =>
  mutate(
    acting,
    'mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
    { id, input },
  )

export const writeComment = (acting: Acting, issueId: string, body: string): Promise<void> =>
  mutate(
    acting,
    'mutation WriteComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }',
    { input: { issueId, body } },
  )

/** The states of an issue's team, in the order of its board. */
export const statesFor = (issue: StateItem, workflow: readonly StateItem[]): readonly StateItem[] =>
  workflow
    .filter(({ record }) => text(record, 'teamId') === text(issue.record, 'teamId'))
    .toSorted((a, b) => Number(a.record['position']) - Number(b.record['position']))

/** `In Review` is the column `in_review`, whose issues have that state. */
const columnOf = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '_')

export const moveIssue = (
  acting: Acting,
  issue: StateItem,
  column: string,
  workflow: readonly StateItem[],
): Promise<void> => {
  const state = statesFor(issue, workflow).find(({ record }) => columnOf(text(record, 'name')) === column)
  if (!state) throw new Error(`The team ${text(issue.record, 'team')} has no such state.`)
  return updateIssue(acting, issue.id, { stateId: state.id })
}
