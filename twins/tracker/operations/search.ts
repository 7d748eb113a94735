import type { Row } from '@diorama/twin-kit/kernel/table'
import type { TrackerCall } from '../context.ts'
import { seek } from '../lists/lookup.ts'
import { everything, type Page } from '../lists/page.ts'
import type { EntityRow } from '../rows.ts'
import { branchName } from '../shapes/issue.ts'
import { fold } from '../values/text.ts'
import { type Operations, query } from './crud.ts'
import { rootPage } from './queries.ts'
import type { Input } from './records.ts'

/** Every word of the term must occur somewhere in the record. */
const matcher = (term: unknown, textOf: (row: EntityRow) => string): ((row: EntityRow) => boolean) => {
  const words = fold(String(term ?? ''))
    .split(/\s+/)
    .filter((word) => word !== '')
  return (row) => {
    const text = fold(textOf(row))
    return words.every((word) => text.includes(word))
  }
}

const issueText = (call: TrackerCall, includeComments: boolean) => (row: EntityRow) =>
  [
    row.identifier,
    row.title,
    row.description,
    ...(includeComments ? [...call.tables.Comment.find('issueId', row.id)].map(({ body }) => body) : []),
  ].join('\n')
const projectText = (row: EntityRow) => [row.name, row.description, row.content].join('\n')
const documentText = (row: EntityRow) => [row.title, row.content].join('\n')

/** What a search answers beside a page: how many there are, and that nothing came from the archive. */
const found = (page: Page, totalCount: number): Row => ({
  ...page,
  totalCount,
  archivePayload: { archive: '', databaseVersion: 0, includesDependencies: [], totalCount: 0 },
})

const search = (
  name: string,
  type: 'Issue' | 'Project' | 'Document',
  textOf: (call: TrackerCall, args: Input) => (row: EntityRow) => string,
): Operations =>
  query(name, (call, args) => {
    const matches = matcher(args.term, textOf(call, args))
    const team = args.teamId ? seek(call, 'Team', args.teamId)?.id : undefined
    const keep = (row: EntityRow) =>
      (team === undefined ||
        row.teamId === team ||
        (Array.isArray(row.teamIds) && row.teamIds.includes(team))) &&
      matches(row)
    const page = rootPage(call, name, args, everything(type), keep)
    const total = [...call.tables[type].all()].filter(
      (row) => (args.includeArchived === true || row.archivedAt === null) && keep(row),
    ).length
    return found(page, total)
  })

const maxResultCount = 100
const semantic = (call: TrackerCall, args: Input) => {
  const wanted = Array.isArray(args.types) ? args.types.map(String) : undefined
  const kinds = [
    ['issue', 'Issue', issueText(call, true)],
    ['project', 'Project', projectText],
    ['initiative', 'Initiative', projectText],
    ['document', 'Document', documentText],
  ] as const
  const limit = typeof args.maxResults === 'number' ? Math.min(args.maxResults, maxResultCount) : 25
  const results = kinds.flatMap(([type, table, textOf]) => {
    if (wanted && !wanted.includes(type)) return []
    const matches = matcher(args.query, textOf)
    const rows: EntityRow[] = [...call.tables[table].all()]
    return rows
      .filter((row) => (args.includeArchived === true || row.archivedAt === null) && matches(row))
      .map((row) => ({ id: row.id, type, [type]: row }))
  })
  return { enabled: true, results: results.slice(0, limit) }
}

export const searchOperations: Operations = {
  ...search('searchIssues', 'Issue', (call, args) => issueText(call, args.includeComments === true)),
  ...search('searchProjects', 'Project', () => projectText),
  ...search('searchDocuments', 'Document', () => documentText),
  ...query('semanticSearch', semantic),
  ...query('issueSearch', (call, args) => {
    const keep = matcher(args.query, issueText(call, false))
    return rootPage(call, 'issueSearch', args, everything('Issue'), args.query ? keep : undefined)
  }),
  ...query('issueVcsBranchSearch', (call, { branchName: asked }) => {
    const name = String(asked)
    const identifier = /(?:^|[/_-])([a-z][a-z0-9]*-\d+)(?:$|[-_/])/i.exec(name)?.[1]
    const issue = identifier ? seek(call, 'Issue', identifier) : undefined
    return issue ?? [...call.tables.Issue.all()].find((row) => branchName(row) === name) ?? null
  }),
}
