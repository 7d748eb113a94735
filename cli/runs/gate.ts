import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { explainGate, type Finished } from '@diorama/sdk/index.ts'
import { Complaint, exitCodes } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { summaryOf } from './follow.ts'
import { annotate } from './github.ts'
import { verdictText } from './results-text.ts'

export interface GateOptions {
  readonly junit?: string
  readonly gateAgent?: string
  /** The file that asked for the run, as GitHub knows it: from the root of the checkout. */
  readonly annotate?: string
}

/** Prints the verdict with its reasons, writes what CI reads, and returns the exit status of the verdict. */
export const gate = async (run: Invocation<GateOptions>, finished: Finished): Promise<number> => {
  const { paint } = run
  const { job, results } = finished
  const decided = explainGate(results, { agent: await agentOf(run, finished) })
  await writeJunit(run, job.id)
  const markdown = () => run.client.evaluations.markdown(job.id)
  await annotate(run.terminal, { ...decided, job, markdown, file: run.options.annotate })
  const { text } = await summaryOf(run, finished)
  run.print({ ...decided, job, results }, () =>
    [text, '', verdictText(decided.verdict, decided.reasons, paint)].join('\n'),
  )
  return exitCodes[decided.verdict]
}

/** The agent that is held to the gate. An agent that the evaluation does not have is a wrong call, and no verdict. */
const agentOf = async (
  { client, options: { gateAgent } }: Invocation<GateOptions>,
  { results: { agents } }: Finished,
): Promise<string | undefined> => {
  if (gateAgent === undefined) return undefined
  const names = agents.map(({ agent }) => agent)
  if (names.includes(gateAgent)) return gateAgent
  const name = gateAgent.replace(/@current$/, '')
  const versions = names.filter((one) => one.slice(0, one.lastIndexOf('@')) === name)
  if (versions.length === 1) return versions[0]
  const current = versions.length > 1 && `${name}@${(await client.agents.get(name)).currentVersion}`
  if (current && names.includes(current)) return current
  throw new Complaint(
    `--gate-agent ${gateAgent} is not an agent of this evaluation, which has ${names.join(', ')}.`,
  )
}

export const writeJunit = async (run: Invocation<GateOptions>, jobId: string): Promise<void> => {
  if (run.options.junit === undefined) return
  const path = resolve(run.terminal.cwd, run.options.junit)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, await run.client.evaluations.junit(jobId))
  run.note(`JUnit XML is in ${path}`)
}
