import { type Findings, known, notAfter, quoted, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
import type { TrackerSection } from './section.ts'

export const standardLabels = ['Bug', 'Feature', 'Improvement'] as const

export const check = (section: TrackerSection, { findings, handles, clock }: CheckContext): void => {
  checkTeams(section, handles, findings)
  unique(
    findings,
    section.projects.map(({ key }, n) => ({ name: key, pointer: `/projects/${n}/key` })),
    'project key',
  )
  checkIssues(section, handles, clock, findings)
  checkApps(section, findings)
}

const checkApps = ({ apps = [] }: TrackerSection, findings: Findings) => {
  unique(
    findings,
    apps.map(({ key }, n) => ({ name: key, pointer: `/apps/${n}/key` })),
    'app key',
  )
  apps.forEach(({ key, redirectUris, webhookUrl }, n) => {
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(key))
      findings.error(`/apps/${n}/key`, 'must be 1 to 40 lowercase letters, digits and dashes')
    redirectUris.forEach((uri, m) => {
      if (!URL.canParse(uri)) findings.error(`/apps/${n}/redirectUris/${m}`, 'is no address')
    })
    if (webhookUrl !== null && !URL.canParse(webhookUrl))
      findings.error(`/apps/${n}/webhookUrl`, 'is no address')
  })
}

const checkTeams = ({ teams }: TrackerSection, handles: ReadonlySet<string>, findings: Findings) => {
  unique(
    findings,
    teams.map(({ key }, n) => ({ name: key, pointer: `/teams/${n}/key` })),
    'team key',
  )
  teams.forEach(({ members, labels }, n) => {
    members.forEach((name, m) =>
      known(findings, { name, pointer: `/teams/${n}/members/${m}` }, handles, 'identity'),
    )
    unique(
      findings,
      labels.map((name, m) => ({ name, pointer: `/teams/${n}/labels/${m}` })),
      'label',
    )
    labels.forEach((name, m) => {
      if (standardLabels.some((label) => label === name))
        findings.warn(`/teams/${n}/labels/${m}`, 'is a default label already')
    })
  })
}

const checkIssues = (
  { teams, projects, issues }: TrackerSection,
  handles: ReadonlySet<string>,
  clock: string,
  findings: Findings,
) => {
  const teamKeys = new Set(teams.map(({ key }) => key))
  const projectKeys = new Set(projects.map(({ key }) => key))
  unique(
    findings,
    issues.map(({ key }, n) => ({ name: key, pointer: `/issues/${n}/key` })),
    'issue key',
  )
  issues.forEach((issue, n) => {
    const pointer = `/issues/${n}`
    known(findings, { name: issue.team, pointer: `${pointer}/team` }, teamKeys, 'team')
    known(findings, { name: issue.project, pointer: `${pointer}/project` }, projectKeys, 'project')
    known(findings, { name: issue.assignee, pointer: `${pointer}/assignee` }, handles, 'identity')
    known(findings, { name: issue.creator, pointer: `${pointer}/creator` }, handles, 'identity')
    notAfter(findings, issue.createdAt, clock, `${pointer}/createdAt`)
    notAfter(findings, issue.updatedAt, clock, `${pointer}/updatedAt`)
    if (issue.updatedAt !== null && Date.parse(issue.updatedAt) < Date.parse(issue.createdAt))
      findings.warn(`${pointer}/updatedAt`, 'lies before createdAt')
    const team = teams.find(({ key }) => key === issue.team)
    if (!team) return
    const labels = new Set([...standardLabels, ...team.labels])
    issue.labels.forEach((name, m) =>
      known(findings, { name, pointer: `${pointer}/labels/${m}` }, labels, `label of the team ${issue.team}`),
    )
    if (issue.assignee !== null && handles.has(issue.assignee) && !team.members.includes(issue.assignee))
      findings.warn(`${pointer}/assignee`, `is not a member of the team ${quoted(issue.team)}`)
    issue.comments.forEach((comment, m) => {
      const place = `${pointer}/comments/${m}`
      known(findings, { name: comment.author, pointer: `${place}/author` }, handles, 'identity')
      notAfter(findings, comment.at, clock, `${place}/at`)
      if (Date.parse(comment.at) < Date.parse(issue.createdAt))
        findings.warn(`${place}/at`, 'lies before the issue was created')
    })
  })
}
