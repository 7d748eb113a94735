import { appendFile } from 'node:fs/promises'
import type { Reply, Verdict } from '@diorama/sdk/index.ts'
import { painter, type Terminal } from '../terminal.ts'
import { resultsTable } from './results-text.ts'

/** In a workflow: each reason beside the run as an annotation, and the table on the page of the job. */
export const annotate = async (
  { env, err }: Terminal,
  job: Reply<'readJob'>,
  results: Reply<'readResults'>,
  gate: { readonly verdict: Verdict; readonly reasons: readonly string[] },
): Promise<void> => {
  if (env.GITHUB_ACTIONS !== 'true') return
  const level = { pass: 'notice', fail: 'error', inconclusive: 'warning' }[gate.verdict]
  const title = property(`${job.name}: ${gate.verdict}`)
  for (const reason of gate.reasons.slice(0, 50)) err(`::${level} title=${title}::${message(reason)}\n`)
  if (!env.GITHUB_STEP_SUMMARY) return
  const plainTable = resultsTable(results, painter(false)).replaceAll('```', "'''")
  const page = [
    `### ${job.name.replaceAll(/[<>\n]/g, ' ')}: ${gate.verdict}`,
    '',
    '```text',
    plainTable,
    '```',
    '',
  ]
  await appendFile(env.GITHUB_STEP_SUMMARY, page.join('\n'))
}

const message = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => message(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
