import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BuiltinScorerUse } from '@diorama/contract'
import { openSandbox } from '../sandbox/open.ts'
import { findInterpreters } from '../sandbox/stage/interpreters.ts'
import { openVerifier, type ScorerRun } from '../sandbox/verifier/scorer.ts'
import type { Change, WorldStateFile } from '../sandbox/verifier/world-state.ts'
import { builtinDefinition } from '../server/src/scoring/builtins/library.ts'

// What grading costs, in one run and by turns: a scorer in its sandbox against the bare interpreter, each ready-made
// scorer against the plainest one, 32 at once, and the world's helpers over a diff of 10,000 changes, timed where they
// run. Medians; a target that is missed makes the exit code 1.

const run = promisify(execFile)
const rounds = Number(process.argv[2] ?? 15)
const state = mkdtempSync(join(tmpdir(), 'bench-scoring-'))
const searchPath = process.env.PATH ?? ''
const opened = await openSandbox({ choice: 'bubblewrap', stateDir: state, searchPath })
if ('unavailable' in opened) throw new Error(opened.unavailable)
await using sandbox = opened.sandbox
const verifier = openVerifier(sandbox)
const interpreters = await findInterpreters(searchPath)
const python = interpreters.python?.executable ?? 'python3'
let missed = 0

const report = (title: string, value: number, most: number, detail: string): void => {
  const good = value <= most
  if (!good) missed++
  console.log(`${good ? 'ok    ' : 'MISSED'} ${title}: ${value.toFixed(2)} (at most ${most}); ${detail}`)
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Both by turns, after one round that does not count. */
const contest = async (
  bare: () => Promise<unknown>,
  ours: () => Promise<unknown>,
): Promise<[number, number]> => {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const pair = [await timed(bare), await timed(ours)] as const
    if (round === 0) continue
    times[0].push(pair[0])
    times[1].push(pair[1])
  }
  return [median(times[0]), median(times[1])]
}

const plainest: Record<ScorerRun['language'], string> = {
  python: 'def handler(input, output, expected, metadata): return 1',
  typescript: 'export function handler(input: string): number { return 1 }',
}

const score = async (language: ScorerRun['language'], code: string, world?: WorldStateFile) => {
  const verdict = await verifier.runScorer({
    language,
    code,
    input: '',
    output: '42',
    expected: '42',
    metadata: {},
    ...(world ? { world } : {}),
  })
  if (verdict.error !== null) throw new Error(verdict.error)
  return verdict
}

const benchStart = async (): Promise<void> => {
  for (const [language, bare] of [
    ['python', () => run(python, ['-c', 'pass'])],
    ['typescript', () => run(interpreters.node, ['-e', '0'])],
  ] as const) {
    const [before, ours] = await contest(bare, () => score(language, plainest[language]))
    const detail = `${ours.toFixed(1)} ms against ${before.toFixed(1)} ms for the bare interpreter`
    report(`A ${language} scorer, times the bare interpreter`, ours / before, 2, detail)
  }
  // Python scorers start without site packages, which the bare interpreter loads; with the same switches on both sides
  // the difference is the sandbox and the runner alone.
  const [alike, ours] = await contest(
    () => run(python, ['-I', '-S', '-B', '-c', 'pass']),
    () => score('python', plainest.python),
  )
  const ratio = (ours / alike).toFixed(2)
  console.log(`       With the same switches: ${ratio}; ${ours.toFixed(1)} ms against ${alike.toFixed(1)} ms`)
}

const benchBuiltins = async (): Promise<void> => {
  for (const [slug, parameters] of [
    ['exact', {}],
    ['regex', { pattern: '\\d+' }],
    ['json-equals', { value: 42 }],
  ] as const) {
    const code = builtinDefinition(slug, BuiltinScorerUse.parse({ parameters })).code ?? ''
    const [before, ours] = await contest(
      () => score('python', plainest.python),
      () => score('python', code),
    )
    const detail = `${ours.toFixed(1)} ms against ${before.toFixed(1)} ms`
    report(`The ready-made scorer ${slug}, times the plainest one`, ours / before, 2, detail)
  }
}

const benchMany = async (): Promise<void> => {
  const languages = ['python', 'typescript'] as const
  const startedAt = performance.now()
  const ended = await Promise.allSettled(
    Array.from({ length: 32 }, (_, n) => {
      const language = languages[n % 2] ?? 'python'
      return score(language, plainest[language])
    }),
  )
  const failed = ended.filter(({ status }) => status === 'rejected').length
  report('Failures of 32 at once', failed, 0, `${(performance.now() - startedAt).toFixed(0)} ms in all`)
}

const changes = 10_000

const bigWorld = (): WorldStateFile => {
  const record = (n: number, status: string) => ({ Id: `500${n}`, Status: status, Subject: `Case ${n}` })
  const diff = Array.from(
    { length: changes },
    (_, n): Change => ({
      service: 'crm',
      collection: 'Case',
      operation: 'update',
      key: `case-${n}`,
      id: `500${n}`,
      before: record(n, 'New'),
      after: record(n, 'Closed'),
      changed: { Status: ['New', 'Closed'] },
    }),
  )
  const rows = diff.map(({ id, after }) => ({ id, record: after ?? {} }))
  const keys = diff.map(({ id, key, collection }) => ({ id, key: key ?? '', collection }))
  return {
    services: { crm: { collections: { Case: rows }, keys, id_field: { Case: 'Id' }, diff } },
    activity: [],
  }
}

/** Each helper is called after the world was read, and the slowest one is printed in milliseconds. */
const helpers: Record<ScorerRun['language'], string> = {
  python: `import time
from world_state import world

def handler(input, output, expected, metadata):
    world.diff()
    slowest = 0
    for call in (
        lambda: world.diff(), lambda: world.changes(service="crm", collection="Case", operation="update"),
        lambda: world.changes(key="case-9999"), lambda: world.record("crm", "case-9999"),
        lambda: world.records("crm", "Case", Status="Closed"), lambda: world.before("crm", "case-5000"),
        lambda: world.activity(), lambda: world.only_changed("case-1"),
    ):
        began = time.perf_counter()
        call()
        slowest = max(slowest, time.perf_counter() - began)
    return {"score": 1, "reason": str(slowest * 1000)}
`,
  typescript: `import { world } from 'world-state'

export const handler = () => {
  world.diff()
  let slowest = 0
  for (const call of [
    () => world.diff(), () => world.changes({ service: 'crm', collection: 'Case', operation: 'update' }),
    () => world.changes({ key: 'case-9999' }), () => world.record('crm', 'case-9999'),
    () => world.records('crm', 'Case', { Status: 'Closed' }), () => world.before('crm', 'case-5000'),
    () => world.activity(), () => world.only_changed('case-1'),
  ]) {
    const began = performance.now()
    call()
    slowest = Math.max(slowest, performance.now() - began)
  }
  return { score: 1, reason: String(slowest) }
}
`,
}

const benchHelpers = async (): Promise<void> => {
  const world = bigWorld()
  for (const language of ['python', 'typescript'] as const) {
    const slowest: number[] = []
    const whole: number[] = []
    for (let round = 0; round < 5; round++) {
      const { reason, durationMs } = await score(language, helpers[language], world)
      slowest.push(Number(reason))
      whole.push(durationMs)
    }
    const detail = `${changes} changes; ${median(whole).toFixed(0)} ms with the start and the reading of the world`
    report(`The slowest ${language} helper in ms`, median(slowest), 50, detail)
  }
}

await benchStart()
await benchBuiltins()
await benchMany()
await benchHelpers()
rmSync(state, { recursive: true })
process.exitCode = missed === 0 ? 0 : 1
