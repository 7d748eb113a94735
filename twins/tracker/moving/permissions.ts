import type { Permissions } from '@diorama/twin-kit/variations/variations'
import type { TeamRow } from '../rows.ts'
import { membershipIn } from '../rules/access.ts'
import { forbidden } from '../shapes/refusals.ts'
import type { TrackerTables } from '../tables.ts'
import { openIssues, otherIssues, type TrackerScene } from './scene-records.ts'

export const permissions: Permissions<TrackerTables> = {
  withholdable: (scene) => [
    ...['admin', 'delete', 'customer:write', 'initiative:write', 'customer:read', 'initiative:read'].map(
      (permission) => ({ permission }),
    ),
    ...otherIssues(scene).map(({ id }) => ({ permission: `${writingTo}${id}` })),
    ...otherTeams(scene).map(({ id }) => ({ permission: membershipIn(id) })),
  ],
  needs: (operation, input, views) => {
    const [root = '', name = ''] = operation.split(' ')
    const { id, input: fields } = (input ?? {}) as { id?: unknown; input?: Record<string, unknown> }
    const issue = issueAt(views, /^Issue/.test(name) ? id : fields?.issueId)
    const team = views.Team.get(String(/^Team/.test(name) ? id : (fields?.teamId ?? issue?.teamId)))
    return [
      ...(root === 'mutation' ? writes(name, issue?.id) : reads(name)),
      ...(team ? [membershipIn(team.id)] : []),
    ]
  },
  refusal: (permission) =>
    permission.startsWith(membershipIn(''))
      ? undefined
      : permission.startsWith(writingTo)
        ? forbidden('You do not have permission to change this issue.')
        : forbidden(`This needs the permission ${permission}.`, `Invalid scope: \`${permission}\` required`),
}

/** Permission to change one issue, by its id. */
const writingTo = 'writing to '

const writes = (name: string, issue: string | undefined): string[] => [
  ...(/^(Webhook|Organization|UserSuspend|UserChangeRole)/.test(name) ? ['admin'] : []),
  ...(/(Delete|Archive)$/.test(name) ? ['delete'] : []),
  ...(/^Customer/.test(name) ? ['customer:write'] : []),
  ...(/^Initiative/.test(name) ? ['initiative:write'] : []),
  ...(issue !== undefined && /^(Issue|Comment|Attachment)/.test(name) ? [`${writingTo}${issue}`] : []),
]

const reads = (name: string): string[] => [
  ...(/^Customer/.test(name) ? ['customer:read'] : []),
  ...(/^Initiative/.test(name) ? ['initiative:read'] : []),
]

const issueAt = (views: TrackerScene['views'], named: unknown) =>
  typeof named === 'string' ? (views.Issue.get(named) ?? views.Issue.first('identifier', named)) : undefined

/** Teams that the task does not name, and none of whose issues it names; one at least is left. */
const otherTeams = (scene: TrackerScene): TeamRow[] => {
  const named = new Set(
    openIssues(scene)
      .filter((issue) => scene.isNamed('Issue', issue))
      .map(({ teamId }) => teamId),
  )
  const teams = scene.shuffled('teams', scene.views.Team.all())
  const others = teams.filter((team) => !named.has(team.id) && !scene.isNamed('Team', team))
  return others.slice(others.length === teams.length ? 1 : 0)
}
