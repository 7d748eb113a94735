import type { VariedAct } from '@diorama/twin-kit/variations/variations'
import type { EntityRow } from '../rows.ts'
import { act, memberships, otherIssues, type TrackerScene } from './scene-records.ts'

const maxOfEach = 2

/** Labels, workflow states and projects with other names, and issues that moved to another team. */
export const drift = (scene: TrackerScene): VariedAct[] => {
  const { views } = scene
  const memberOf = (team: unknown) => memberships(scene).find(({ teamId }) => teamId === team)?.as
  const some = (name: string, type: string, rows: Iterable<EntityRow>) =>
    scene
      .shuffled(name, rows)
      .filter((row) => row.archivedAt === null && !scene.isNamed(type, row))
      .slice(0, maxOfEach)
  const renamed = (row: EntityRow, as: string | undefined, mutation: string, what: string, name: string) =>
    as === undefined
      ? []
      : [act(as, mutation, { id: row.id, input: { name } }, `renames the ${what} ${nameOf(row)} to ${name}`)]
  return [
    ...some(
      'labels',
      'IssueLabel',
      [...views.IssueLabel.all()].filter(({ teamId }) => typeof teamId === 'string'),
    ).flatMap((row) =>
      renamed(row, memberOf(row.teamId), 'issueLabelUpdate', 'label', `${nameOf(row)} (old)`),
    ),
    ...some('states', 'WorkflowState', views.WorkflowState.all()).flatMap((row) =>
      renamed(row, memberOf(row.teamId), 'workflowStateUpdate', 'state', `${nameOf(row)} (new)`),
    ),
    ...some('projects', 'Project', views.Project.all()).flatMap((row) =>
      renamed(
        row,
        memberOf(Array.isArray(row.teamIds) ? row.teamIds[0] : undefined),
        'projectUpdate',
        'project',
        `${nameOf(row)}, phase 2`,
      ),
    ),
    ...scene
      .shuffled('moved', otherIssues(scene))
      .slice(0, maxOfEach)
      .flatMap((issue) => {
        const place = memberships(scene).find(({ teamId }) => teamId !== issue.teamId)
        return place
          ? [
              act(
                place.as,
                'issueUpdate',
                { id: issue.id, input: { teamId: place.teamId } },
                `moves ${issue.identifier} to another team`,
              ),
            ]
          : []
      }),
  ]
}

const nameOf = ({ name }: EntityRow): string => String(name)
