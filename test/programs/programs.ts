import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { createSuite, pythonScorer, runToEnd } from '../../server/src/evaluations/testing-runs.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { company } from './world.ts'

const run = promisify(execFile)
const sources = join(import.meta.dirname, 'agents')

/** Programs of this size take long to unpack and to load on a busy machine. */
const patience = { looks: 60_000 }

interface Call {
  readonly call: string
  readonly right: boolean
  readonly got?: string
}

export interface Change {
  readonly service: string
  readonly collection: string
  readonly operation: string
}

export interface Outcome {
  readonly calls: readonly Call[]
  /** What the program left in the twins, as their ledgers have it. */
  readonly changes: readonly Change[]
  /** What it asked for and no twin has. */
  readonly notEmulated: readonly string[]
  readonly requests: number
}

interface Row extends Outcome {
  readonly program: string
  readonly language: string
}

export interface ProgramRunner extends AsyncDisposable {
  readonly folder: string
  /** A folder for the files of a program. */
  readonly place: (name: string) => Promise<string>
  /** Runs a program as the agent of a trial and reads back what it handed in and what it did. */
  readonly trial: (
    program: string,
    language: string,
    command: readonly string[],
    files: string,
  ) => Promise<Outcome>
  /** Runs an agent of ours with all that it imports in one file; `server` is a foreign program that it starts. */
  readonly script: (program: string, file: string, server?: string, language?: string) => Promise<Outcome>
  readonly table: () => string
}

/** A service with the world of the programs; each of them is the agent of a trial there. */
export const openPrograms = async (): Promise<ProgramRunner> => {
  const folder = await mkdtemp(join(tmpdir(), 'diorama-programs-'))
  const service = await testService()
  const suiteId = await suiteOf(service).catch(async (error) => {
    await service[Symbol.asyncDispose]()
    throw error
  })
  const rows: Row[] = []

  const register = async (name: string, command: readonly string[], files: string): Promise<string> => {
    const bundle = join(folder, `${name}.tar.gz`)
    await run('tar', ['-C', files, '--use-compress-program', 'gzip -1', '-cf', bundle, '.'])
    const settings = { command, network: 'world', timeout_seconds: 300 }
    const made = await service.call('POST', '/v1/agents/register', { name, version: '1', run: settings })
    assert.ok(made.status < 300, made.text)
    const put = await fetch(`${service.baseUrl}/v1/agents/${name}/versions/1/bundle`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/gzip' },
      body: await readFile(bundle),
    })
    assert.equal(put.status, 201, await put.text())
    return `${name}@1`
  }

  const trial = async (program: string, language: string, command: readonly string[], files: string) => {
    const name = program
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-/, '')
    const agent = await register(name, command, files)
    const order = { task_suite_id: suiteId, agents: [agent] }
    const { job, trials } = await runToEnd(service, order, patience)
    const { body } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)
    assert.equal(body.error, null, `${program}: ${body.error}`)
    const requests = body.steps.filter((step: { detail?: { twin_id?: string } }) => step.detail?.twin_id)
    const row: Row = {
      program,
      language,
      calls: JSON.parse(body.output ?? '[]'),
      changes: requests.flatMap(({ detail }: { detail: { service: string; mutations: Change[] } }) =>
        detail.mutations.map((change) => ({ ...change, service: detail.service })),
      ),
      notEmulated: requests.flatMap(
        ({ detail }: { detail: { not_emulated?: string[] } }) => detail.not_emulated ?? [],
      ),
      requests: requests.length,
    }
    rows.push(row)
    return row
  }

  const place = async (name: string): Promise<string> => {
    const files = join(folder, name.replaceAll(/[^\w]+/g, '-'))
    await mkdir(files, { recursive: true })
    return files
  }

  return {
    folder,
    place,
    trial,
    script: async (program, file, server, language = 'JavaScript') => {
      const files = await place(program)
      await bundled(join(sources, file), files, 'agent')
      if (server) await bundled(server, files, 'server')
      return trial(program, language, ['node', 'agent.mjs'], files)
    },
    table: () => tableOf(rows),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const suiteOf = async (service: TestService): Promise<string> => {
  const launched = await service.call('POST', '/v1/builder/worlds', { blueprint: company })
  assert.equal(launched.body.status, 'ready', launched.text)
  return createSuite(service, {
    scorers: [pythonScorer('ended', 'return 1 if output else 0')],
    environmentVersionId: launched.body.twins[0].environmentVersionId,
  })
}

const bundled = async (input: string, dir: string, name: string): Promise<void> => {
  const built = await rolldown({ input, platform: 'node', logLevel: 'silent' })
  await built.write({ dir, format: 'esm', entryFileNames: `${name}.mjs`, codeSplitting: false })
  await built.close()
}

const rightOf = (calls: readonly Call[]): number => calls.filter(({ right }) => right).length

const tableOf = (rows: readonly Row[]): string => {
  const lines = rows.map(({ program, language, calls, requests }) =>
    [program.padEnd(42), language.padEnd(11), calls.length, rightOf(calls), requests].join('\t'),
  )
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0)
  const total = [
    sum(({ calls }) => calls.length),
    sum(({ calls }) => rightOf(calls)),
    sum((row) => row.requests),
  ]
  return [
    ['program'.padEnd(42), 'language'.padEnd(11), 'calls', 'right', 'requests'].join('\t'),
    ...lines,
    [`${rows.length} programs`.padEnd(42), ''.padEnd(11), ...total].join('\t'),
  ].join('\n')
}

/** Every call was answered right, there were enough of them, and nothing that was asked for is missing. */
export const assertRight = (
  { calls, notEmulated }: Outcome,
  atLeast: number,
  unknown: readonly string[] = [],
): void => {
  assert.deepEqual(
    calls.filter(({ right }) => !right),
    [],
  )
  assert.deepEqual(notEmulated, unknown)
  assert.ok(calls.length >= atLeast, `${calls.length} calls, where ${atLeast} were planned`)
}

/** How many rows of a collection the program made, changed or deleted. */
export const changed = ({ changes }: Outcome, collection: string, operation: string): Change[] =>
  changes.filter((change) => change.collection.toLowerCase() === collection && change.operation === operation)
