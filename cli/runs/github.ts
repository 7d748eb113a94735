import { appendFile } from 'node:fs/promises'
import type { Reply, Verdict } from '@diorama/sdk/index.ts'
import type { Terminal } from '../terminal.ts'

export interface Annotation {
  readonly job: Reply<'readJob'>
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  /** The file that asked for the run, which a page of changes shows the reasons beside. */
  readonly file?: string | undefined
  /** The results as Markdown; read only where there is a page to put them on. */
  readonly markdown: () => Promise<string>
}

/** In a workflow: each reason beside the evaluation as an annotation, and the results on the page of the job. */
export const annotate = async ({ env, err }: Terminal, gate: Annotation): Promise<void> => {
  if (env.GITHUB_ACTIONS !== 'true') return
  const level = { pass: 'notice', fail: 'error', inconclusive: 'warning' }[gate.verdict]
  const title = `title=${property(`${gate.job.name}: ${gate.verdict}`)}`
  const place = gate.file === undefined ? title : `file=${property(gate.file)},${title}`
  for (const reason of gate.reasons.slice(0, 50)) err(`::${level} ${place}::${message(reason)}\n`)
  if (!env.GITHUB_STEP_SUMMARY) return
  await appendFile(env.GITHUB_STEP_SUMMARY, `${await gate.markdown()}\n`)
}

const message = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => message(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
