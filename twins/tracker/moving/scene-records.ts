import type { Scene, VariedAct } from '@diorama/twin-kit/variations/variations'
import type { IssueRow } from '../rows.ts'
import type { TrackerTables } from '../tables.ts'

export type TrackerScene = Scene<TrackerTables>

export const act = (as: string, operation: string, input: VariedAct['input'], what: string): VariedAct => ({
  as,
  operation,
  input,
  what,
})

export const memberships = ({ views, people }: TrackerScene): { teamId: string; as: string }[] =>
  [...views.TeamMembership.all()].flatMap(({ teamId, userId }) => {
    const as = views.User.get(String(userId))?.handle
    return as !== undefined && people.includes(as) ? [{ teamId: String(teamId), as }] : []
  })

export const openIssues = ({ views }: TrackerScene): IssueRow[] =>
  [...views.Issue.all()].filter(({ archivedAt }) => archivedAt === null)

/** Issues that the task does not name. */
export const otherIssues = (scene: TrackerScene): IssueRow[] =>
  openIssues(scene).filter((issue) => !scene.isNamed('Issue', issue))
