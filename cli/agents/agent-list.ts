import type { Reply } from '@diorama/sdk/index.ts'
import { localTime } from '../local-time.ts'
import { rateText } from '../runs/results-text.ts'
import { cut, table } from '../table.ts'
import type { Paint } from '../terminal.ts'

type Agent = Reply<'listAgents'>['items'][number]
type Result = Reply<'listAgentResults'>['items'][number]

const colours = { pass: 'green', fail: 'red', inconclusive: 'yellow' } as const
const names = ['AGENT', 'PASS RATE', 'SUITE', 'VERSION', 'EVALUATED', 'CURRENT', 'DESCRIPTION']

/** A line for each suite and version that an agent was evaluated with, with its newest pass rate. */
export const agentTable = (agents: readonly Agent[], results: readonly Result[], paint: Paint): string => {
  const byAgent = Map.groupBy(results, ({ agentName }) => agentName)
  const lines = agents.flatMap(({ name, currentVersion, description }) => {
    const about = [currentVersion ?? '', cut(description, 50)]
    const its = byAgent.get(name)
    if (!its) return [[name, paint('dim', 'not evaluated'), '', '', '', ...about]]
    return its.map((one) => [
      name,
      paint(colours[one.verdict], rateText(one)),
      cut(one.taskSuiteName ?? one.taskSuiteId, 40),
      one.agentVersion,
      localTime(one.finishedAt),
      ...about,
    ])
  })
  return table(names, lines, paint)
}
