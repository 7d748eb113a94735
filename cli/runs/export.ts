import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Client } from '@diorama/sdk/index.ts'
import { type Command, Option } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, type Invocation } from '../invocation.ts'
import { runNamed } from '../names.ts'

interface ExportOptions {
  readonly format: string
  readonly output?: string
  readonly agent?: string
  readonly trial?: string
}

type Content = string | Uint8Array | ArrayBuffer
type Reader = (client: Client, jobId: string, options: ExportOptions) => Promise<Content>

/** What an evaluation can be written as, by the word for it. */
const readers: Readonly<Record<string, Reader>> = {
  junit: (client, jobId) => client.evaluations.junit(jobId),
  markdown: (client, jobId) => client.evaluations.markdown(jobId),
  csv: (client, jobId) => client.evaluations.csv(jobId),
  jsonl: (client, jobId) => client.evaluations.jsonl(jobId),
  inspect: (client, jobId, { agent }) => client.evaluations.inspectLog(jobId, { agent }),
  eval: (client, jobId, { agent }) => client.evaluations.inspectEval(jobId, { agent }),
  trajectory: (client, jobId, { trial }) => {
    if (trial === undefined) throw new Complaint('Specify the trial of the trajectory with --trial.')
    return client.evaluations.trajectory(jobId, trial)
  },
}

/** `eval export`: results and trials as the files of other tools. */
export const addExport = (evaluation: Command, cli: Cli): void => {
  const formats = Object.keys(readers)
  bind<ExportOptions>(
    cli,
    evaluation
      .command('export')
      .argument('<evaluation>')
      .addOption(
        new Option('-f, --format <format>', formats.join(', ')).choices(formats).makeOptionMandatory(),
      )
      .option('-o, --output <file>', 'file to write (default: standard output)')
      .option('--agent <agent>', 'for inspect and eval: agent (name@version), if the evaluation has several')
      .option('--trial <trial>', 'for trajectory: id of the trial')
      .description('export an evaluation as JUnit, Markdown, CSV, JSON Lines, Inspect log or trajectory'),
    write,
  )
}

const write = async (run: Invocation<ExportOptions>): Promise<void> => {
  const { client, options, words, terminal, note } = run
  const jobId = await runNamed(run, words[0] ?? '')
  const content = await readers[options.format]?.(client, jobId, options)
  if (content === undefined) throw new Complaint(`There is no format ${options.format}.`)
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content))
  if (options.output === undefined) {
    if (options.format === 'eval')
      throw new Complaint('An .eval file is binary. Specify a file with --output.')
    terminal.out(bytes.toString('utf8'))
    return
  }
  const path = resolve(terminal.cwd, options.output)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes)
  note(`${path}: ${bytes.length} bytes`)
}
