import { type Context, find, organizationOf } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { cutAtWord, slug } from '../values/text.ts'
import { text } from './field.ts'

/** Where the application shows a record. Links name the real site on purpose: they are what people paste and compare. */
const site = (context: Context): string => `https://linear.app/${organizationOf(context).urlKey}`

export const issueUrl = (row: EntityRow, context: Context): string =>
  `${site(context)}/issue/${text(row.identifier)}/${cutAtWord(slug(text(row.title)), 80)}`

const slugged = (kind: string, name: string) => (row: EntityRow, context: Context) =>
  `${site(context)}/${kind}/${slug(text(row[name]))}-${text(row.slugId)}`
export const projectUrl = slugged('project', 'name')
export const initiativeUrl = slugged('initiative', 'name')
export const documentUrl = slugged('document', 'title')
export const roadmapUrl = slugged('roadmap', 'name')
export const customerUrl = slugged('customer', 'name')

export const userUrl = (row: EntityRow, context: Context): string =>
  `${site(context)}/profiles/${text(row.displayName)}`

/** A comment is shown on the page of what it belongs to. */
export const commentUrl = (row: EntityRow, context: Context): string => {
  const anchor = `#comment-${row.id.slice(0, 8)}`
  const issue = find(context, 'Issue', row.issueId)
  if (issue) return `${issueUrl(issue, context)}${anchor}`
  const project =
    find(context, 'Project', row.projectId) ??
    find(context, 'Project', find(context, 'ProjectUpdate', row.projectUpdateId)?.projectId)
  if (project) return `${projectUrl(project, context)}${anchor}`
  const initiative =
    find(context, 'Initiative', row.initiativeId) ??
    find(context, 'Initiative', find(context, 'InitiativeUpdate', row.initiativeUpdateId)?.initiativeId)
  if (initiative) return `${initiativeUrl(initiative, context)}${anchor}`
  const document = context.tables.Document.first('documentContentId', text(row.documentContentId))
  return document ? `${documentUrl(document, context)}${anchor}` : `${site(context)}${anchor}`
}

export const projectUpdateUrl = (row: EntityRow, context: Context): string => {
  const project = find(context, 'Project', row.projectId)
  return `${project ? projectUrl(project, context) : site(context)}/updates#project-update-${row.id.slice(0, 8)}`
}
export const initiativeUpdateUrl = (row: EntityRow, context: Context): string => {
  const initiative = find(context, 'Initiative', row.initiativeId)
  const base = initiative ? initiativeUrl(initiative, context) : site(context)
  return `${base}/updates#initiative-update-${row.id.slice(0, 8)}`
}
export const inboxUrl = (context: Context): string => `${site(context)}/inbox`
export const cycleCalendarUrl = (row: EntityRow, context: Context): string =>
  `${site(context)}/team/${text(row.key)}/cycles.ics`
