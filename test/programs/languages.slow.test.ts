import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildGo, installPython } from './install.ts'
import { assertRight, changed, type Outcome, openPrograms, type ProgramRunner } from './programs.ts'

const sources = join(import.meta.dirname, 'agents')

/** Each on its own, so that a trial unpacks no more than it needs. */
const python = [
  {
    name: 'slack_sdk',
    file: 'chat_sdk.py',
    packages: ['slack_sdk==3.46.0'],
    calls: 41,
    made: ['message', 5],
  },
  {
    name: 'slack_sdk async',
    file: 'chat_async.py',
    packages: ['slack_sdk==3.46.0', 'aiohttp==3.14.5'],
    calls: 15,
    made: ['message', 2],
  },
  {
    name: 'gql',
    file: 'tracker_gql.py',
    packages: ['gql[requests]==4.4.0'],
    calls: 16,
    made: ['issue', 1],
  },
  {
    name: 'linear-api',
    file: 'tracker_api.py',
    packages: ['linear-api==0.2.0'],
    calls: 16,
    made: ['issue', 1],
  },
] as const

const go = [
  { name: 'slack-go/slack', program: 'chat', calls: 30, made: ['message', 8] },
  { name: 'shurcooL/graphql', program: 'tracker', calls: 12, made: ['issue', 1] },
] as const

/** The twin itself recorded at least as many rows as the program believes it made. */
const assertMade = (outcome: Outcome, [collection, atLeast]: readonly [string, number]): void => {
  const { length } = changed(outcome, collection, 'create')
  assert.ok(length >= atLeast, `${length} rows of ${collection}, where ${atLeast} were made`)
}

describe('foreign programs in Python and Go, as agents of trials', () => {
  let programs: ProgramRunner
  before(async () => {
    programs = await openPrograms()
  })
  after(async () => {
    console.log(programs.table())
    await programs[Symbol.asyncDispose]()
  })

  for (const { name, file, packages, calls, made } of python)
    it(`${name} in Python`, async (context) => {
      const files = await programs.place(name)
      const missing = await installPython(join(files, 'lib'), packages)
      if (missing) return context.skip(missing)
      for (const one of ['recorder.py', file]) await copyFile(join(sources, 'python', one), join(files, one))
      const command = ['env', 'PYTHONPATH=lib', 'python3', file]
      const outcome = await programs.trial(name, 'Python', command, files)
      assertRight(outcome, calls)
      assertMade(outcome, made)
    })

  for (const { name, program, calls, made } of go)
    it(`${name} in Go`, async (context) => {
      const files = await programs.place(name)
      const missing = await buildGo(join(sources, 'go'), `${files}/`)
      if (missing) return context.skip(missing)
      const outcome = await programs.trial(name, 'Go', [`./${program}`], files)
      assertRight(outcome, calls)
      assertMade(outcome, made)
    })
})
