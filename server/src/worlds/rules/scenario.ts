import { ScorerDefinition, type WorldBlueprint } from '@diorama/contract'
import type { WorldTaskBlueprint, WorldTaskCheck } from '@diorama/contract/blueprint/scenario'
import { limitFaults } from '@diorama/contract/limits'
import { checkScorer } from '@diorama/contract/scorer-rules'
import { type Findings, quoted, unique } from '@diorama/twin-kit/kernel/findings'
import type { AnyManifest } from '@diorama/twin-kit/kernel/manifest'
import { installed } from '@diorama/twins/installed'

const at = '/scenario'

export const checkScenario = (blueprint: WorldBlueprint, findings: Findings): void => {
  const { scenario } = blueprint
  const keys = touchable(blueprint)
  scenario.threads.forEach(({ touchpoints }, n) =>
    touchpoints.forEach(({ service, key }, m) => {
      const pointer = `${at}/threads/${n}/touchpoints/${m}`
      const section = keys.get(service)
      if (!section)
        findings.error(`${pointer}/service`, `names ${service}, which this blueprint has no section for`)
      else if (!section.has(key))
        findings.error(`${pointer}/key`, `names no record of the ${service} section: ${quoted(key)}`)
    }),
  )
  if (scenario.tasks.length === 1)
    findings.error(`${at}/tasks`, 'must have at least 2 items, or none; it has 1')
  if (scenario.suggestedTasks.length === 1)
    findings.error(`${at}/suggestedTasks`, 'must have at least 2 items, or none; it has 1')
  if (scenario.suggestedTasks.length > 0)
    findings.warn(`${at}/suggestedTasks`, 'is legacy; write tasks instead')
  unique(
    findings,
    scenario.tasks.map(({ key }, n) => ({ name: key, pointer: `${at}/tasks/${n}/key` })),
    'task key',
  )
  scenario.tasks.forEach((task, n) => checkTask(task, `${at}/tasks/${n}`, keys, findings))
}

const checkTask = (task: WorldTaskBlueprint, pointer: string, keys: Keys, findings: Findings): void => {
  unique(
    findings,
    task.scorers.map(({ key }, n) => ({ name: key, pointer: `${pointer}/scorers/${n}/key` })),
    'scorer key',
  )
  unique(
    findings,
    task.checks.map(({ key }, n) => ({ name: key, pointer: `${pointer}/checks/${n}/key` })),
    'check key',
  )
  task.scorers.forEach(({ scorer, passThreshold }, n) => {
    const place = `${pointer}/scorers/${n}`
    findings.errors.push(...limitFaults(ScorerDefinition, scorer, `${place}/scorer`))
    for (const { pointer: field, message } of checkScorer(scorer))
      findings.error(`${place}/scorer${field}`, message)
    if (passThreshold !== null && (passThreshold < 0 || passThreshold > 1))
      findings.error(`${place}/passThreshold`, 'must be from 0 to 1')
  })
  task.checks.forEach((check, n) => checkLegacy(check, `${pointer}/checks/${n}`, keys, findings))
  if (task.checks.length > 0)
    findings.warn(`${pointer}/checks`, 'is legacy; it is graded by a world-state scorer made from it')
  const graded = task.scorers.length + task.checks.length
  if (graded === 0) findings.warn(`${pointer}/scorers`, 'is empty; nothing grades this task')
  else if (
    task.steps.length > 0 &&
    task.checks.length === 0 &&
    !task.scorers.some(({ scorer }) => readsWorld(scorer))
  )
    findings.warn(
      `${pointer}/scorers`,
      'has no code scorer that reads the world, so a required change may go unseen',
    )
}

const readsWorld = ({ kind, code }: ScorerDefinition): boolean =>
  kind === 'code' && /world[_-]state/.test(code ?? '')

const checkLegacy = (check: WorldTaskCheck, pointer: string, keys: Keys, findings: Findings): void => {
  const section = keys.get(check.service)
  if (!section)
    findings.error(`${pointer}/service`, `names ${check.service}, which this blueprint has no section for`)
  else if (!section.has(check.recordKey))
    findings.error(
      `${pointer}/recordKey`,
      `names no record of the ${check.service} section: ${quoted(check.recordKey)}`,
    )
  const resources = installed.find(({ kind }) => kind === check.service)?.legacyResources ?? []
  if (!resources.includes(check.resource))
    findings.error(
      `${pointer}/resource`,
      resources.length > 0
        ? `is not a resource of ${check.service}; use ${resources.join(' or ')}`
        : `is not a resource of ${check.service}, which has none; write a code scorer instead`,
    )
  if (check.operator === 'contains' && (typeof check.expected !== 'string' || check.expected === ''))
    findings.error(`${pointer}/expected`, 'must be a text that is not empty, for contains')
}

type Keys = ReadonlyMap<string, ReadonlySet<string>>

/** The keys that a touchpoint or a check can name, for each section there is. */
const touchable = ({ twins }: WorldBlueprint): Keys => {
  const manifests: readonly AnyManifest[] = installed
  const sections: Readonly<Record<string, unknown>> = twins
  return new Map(
    manifests.flatMap(({ kind, keys }) =>
      sections[kind] === null ? [] : [[kind, new Set(keys(sections[kind]))] as const],
    ),
  )
}
