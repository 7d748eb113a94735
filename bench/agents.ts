import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type AgentPart, openAgentPart } from '../server/src/agents/open.ts'
import { createModels } from '../server/src/models/models.ts'
import { liveSession } from '../server/src/models/testing.ts'
import { silentLog } from '../server/src/storage/log.ts'
import { createSealing } from '../server/src/storage/secrets/sealing.ts'
import { openStorage, type Storage } from '../server/src/storage/storage.ts'

// Two questions, each answered by turns within one run. Do registering, reading and listing cost the same with
// 10,000 agents of 100 versions as with 100? And what does a batch of 100 runs, with its statistics, cost beside
// the bare insert of the same rows?

const organizationId = 'org_bench'
const versionsEach = 100
const rounds = 7
const callsARound = 60
const flatTarget = 1.5
const runsTarget = 0.5

interface Place {
  readonly storage: Storage
  readonly agents: number
  readonly part: AgentPart
  [Symbol.asyncDispose](): Promise<void>
}

async function openPlace(agents: number): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-bench-'))
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now, random: randomBytes })
  await sql`insert into organizations (id, name, limits) values (${organizationId}, 'Bench', '{}')`.execute(
    storage.db,
  )
  await fill(storage, agents)
  const part = openAgentPart({
    storage,
    models: {
      of: async () =>
        createModels({
          providers: {},
          prices: { small: { input: 1, output: 4 } },
          timeoutMs: 1_000,
          jitter: () => 0,
          session: liveSession(),
          source: 'chat',
        }),
    },
    commands: async () => ({ unavailable: 'not here' }),
    worlds: { services: async () => undefined, call: async () => ({ status: 503, body: '' }) },
    recordTrace: async () => undefined,
    log: silentLog,
    now: Date.now,
    random: randomBytes,
    bundleLimitBytes: 1_048_576,
    installs: {
      sandbox: () => Promise.reject(new Error('not here')),
      authority: () => Promise.reject(new Error('not here')),
      ...{ registries: {}, searchPath: '', quotaBytes: 0 },
    },
    sealing: createSealing({ keys: [randomBytes(32)], random: randomBytes }),
  })
  return {
    storage,
    agents,
    part,
    async [Symbol.asyncDispose]() {
      part.close()
      await storage.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function fill({ db, pool }: Storage, agents: number): Promise<void> {
  await sql`insert into agents
    select ${organizationId}, 'agent-' || n, '', '{"owner": "ana"}', '1.0.99', ${versionsEach},
      now() - (${agents} - n) * interval '1 second', now()
    from generate_series(0, ${agents - 1}::int) n`.execute(db)
  const perTurn = 500
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    for (let from = 0; from < agents; from += perTurn)
      await client.query(
        `insert into agent_versions
         select $1, 'agent-' || n, '1.0.' || v, case when v = 99 then 'current' else 'stable' end, 'own',
           '{"provider": "openai", "id": "small"}', '[{"name": "lookup", "description": "Looks things up."}]',
           repeat('Help people with their orders. ', 20), null, '{}', null, null, md5(n || '.' || v),
           now() - (100 - v) * interval '1 minute'
         from generate_series($2::int, least($2 + ${perTurn}, $3) - 1) n, generate_series(0, ${versionsEach - 1}) v`,
        [organizationId, from, agents],
      )
    await client.query('analyze')
  } finally {
    client.release(true)
  }
}

type Work = (place: Place) => Promise<unknown>

/** Handlers as the edge calls them; what they do not read is left out. */
const ask = (place: Place, name: keyof Place['part']['handlers'], incoming: object) =>
  (place.part.handlers[name] as (given: object) => Promise<unknown>)({
    caller: { organizationId },
    params: {},
    query: {},
    ...incoming,
  })

let made = 0
const anyAgent = ({ agents }: Place) => `agent-${Math.floor(Math.random() * agents)}`

const works: Readonly<Record<string, Work>> = {
  'register a version': (place) =>
    place.part.agents.register(organizationId, {
      name: anyAgent(place),
      version: `2.${made++}`,
      framework: 'own',
      model: { provider: 'openai', id: 'small' },
      instructions: 'Help.',
      tools: [],
      status: 'current',
      metadata: {},
      run: null,
      files: {},
      bundle_sha256: null,
    }),
  'resolve the current one': (place) => place.part.agents.resolve(organizationId, anyAgent(place)),
  'read an agent': (place) => ask(place, 'readAgent', { params: { name: anyAgent(place) } }),
  'read a version': (place) =>
    ask(place, 'readAgentVersion', { params: { name: anyAgent(place), version: '1.0.50' } }),
  'list agents': (place) => ask(place, 'listAgents', { query: { limit: 50 } }),
}

async function timed(work: () => Promise<unknown>, calls: number): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < calls; n++) await work()
  return (performance.now() - start) / calls
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function compareSizes(small: Place, large: Place): Promise<boolean> {
  let flat = true
  for (const [name, work] of Object.entries(works)) {
    const times: { small: number[]; large: number[] } = { small: [], large: [] }
    for (let round = -1; round < rounds; round++) {
      const a = await timed(() => work(small), callsARound)
      const b = await timed(() => work(large), callsARound)
      if (round < 0) continue
      times.small.push(a)
      times.large.push(b)
    }
    const ratio = median(times.large) / median(times.small)
    flat &&= ratio < flatTarget
    print(
      name,
      `${median(times.small).toFixed(2)} ms → ${median(times.large).toFixed(2)} ms`,
      ratio,
      `< ${flatTarget}`,
    )
  }
  return flat
}

const runColumns =
  'organization_id, run_id, agent, version, origin, status, started_at, finished_at, duration_ms, tool_calls, input_tokens, output_tokens, cost_usd, trace_id, error, metadata'

function makeRuns(place: Place) {
  const agent = anyAgent(place)
  const started = Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 1e9)
  return Array.from({ length: 100 }, (_, n) => ({
    run_id: place.storage.makeId('run'),
    agent: `${agent}@1.0.${n % 4}`,
    started_at: new Date(started + n).toISOString(),
    finished_at: new Date(started + n + 1_000 + n * 37).toISOString(),
    status: n % 9 === 0 ? ('failed' as const) : ('succeeded' as const),
    tool_calls: [{ name: 'lookup', status: 'succeeded' as const, duration_ms: 12 }],
    usage: { input_tokens: 1_000, output_tokens: 100 },
    trace_id: null,
    error: null,
    metadata: { environment: 'bench' },
  }))
}

async function insertBare(place: Place): Promise<void> {
  const rows = makeRuns(place).map((run) => [
    organizationId,
    run.run_id,
    run.agent.split('@')[0],
    run.agent.split('@')[1],
    'recorded',
    run.status,
    run.started_at,
    run.finished_at,
    1_000,
    JSON.stringify(run.tool_calls),
    1_000,
    100,
    0.0014,
    null,
    null,
    JSON.stringify(run.metadata),
  ])
  const tuple = (row: number) =>
    `(${Array.from({ length: 16 }, (_, column) => `$${row * 16 + column + 1}`).join(',')})`
  const values = rows.map((_, row) => tuple(row)).join(',')
  await place.storage.pool.query(`insert into agent_runs (${runColumns}) values ${values}`, rows.flat())
}

async function compareRuns(place: Place): Promise<boolean> {
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] }
  for (let round = -1; round < rounds; round++) {
    const bare = await timed(() => insertBare(place), 40)
    const ours = await timed(() => place.part.runs.record(organizationId, makeRuns(place), 'recorded'), 40)
    if (round < 0) continue
    times.bare.push(bare)
    times.ours.push(ours)
  }
  const ratio = median(times.bare) / median(times.ours)
  const rate = (ms: number) => `${Math.round(100_000 / ms)} runs/s`
  print(
    'a batch of 100 runs',
    `${rate(median(times.ours))} of ${rate(median(times.bare))}`,
    ratio,
    `≥ ${runsTarget}`,
  )
  return ratio >= runsTarget
}

function print(name: string, detail: string, ratio: number, target: string): void {
  process.stdout.write(
    `${name.padEnd(26)} ${detail.padEnd(36)} ratio ${ratio.toFixed(2)} (target ${target})\n`,
  )
}

const largest = Number(process.argv[2] ?? 10_000)
await using small = await openPlace(100)
await using large = await openPlace(largest)
process.stdout.write(`100 agents beside ${largest}, ${versionsEach} versions each\n`)
const flat = await compareSizes(small, large)
const quick = await compareRuns(large)
process.exitCode = flat && quick ? 0 : 1
