import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, serveTwin, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { createEmulator } from 'emulate'
import { loadSchema, trackerSchema } from '../twins/tracker/graphql/engine.ts'
import { bareExecution, clientDocuments } from '../twins/tracker/testing/bare.ts'
import { tracker } from '../twins/tracker/twin.ts'
import { measure } from './parts/load.ts'

// The tracker twin beside a bare graphql-js execution of the same document over a constant, and beside emulate 0.12.2
// where that can answer at all; in one run, by turns. The machine may be busy: only the ratios mean something.

const wanted = { bare: 0.5, schemaMs: 300, schemaMiB: 80, filterMs: 30 }
const { issues: issuesText, updateIssue: updateText } = clientDocuments
const rounds = 7
const roundMs = 400

const section = (count: number) => ({
  teams: [{ key: 'ENG', name: 'Engineering', description: '', members: ['mira', 'dev'], labels: [] }],
  projects: [{ key: 'p', name: 'Project', description: '', state: 'started' }],
  issues: Array.from({ length: count }, (_, n) => ({
    key: `i${n}`,
    team: 'ENG',
    title: `Issue ${n} about ${n % 7 === 0 ? 'pumps' : 'valves'}`,
    description: `Some words about number ${n}.`,
    priority: n % 5,
    state: n % 3 === 0 ? 'todo' : 'in_progress',
    createdAt: new Date(testCompany.clock - (count - n) * 60_000).toISOString(),
    updatedAt: null,
    assignee: n % 2 === 0 ? 'dev' : null,
    creator: null,
    labels: n % 4 === 0 ? ['Bug'] : [],
    project: n % 10 === 0 ? 'p' : null,
    comments: [],
  })),
})

const requestFor = (token: string, query: string, variables: Record<string, unknown>): TwinRequest => ({
  method: 'POST',
  path: '/graphql',
  query: '',
  headers: { 'content-type': 'application/json', authorization: token },
  body: Buffer.from(JSON.stringify({ query, variables })),
  baseUrl: 'http://twin.example',
})

/** Runs each kind of work by turns and keeps the best round of each, which other load disturbs least. */
const compare = (works: Record<string, () => void>): Record<string, number> => {
  const best: Record<string, number> = {}
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of Object.entries(works)) {
      const end = performance.now() + roundMs
      const start = performance.now()
      let done = 0
      while (performance.now() < end) {
        work()
        done++
      }
      best[name] = Math.max(best[name] ?? 0, (done * 1000) / (performance.now() - start))
    }
  return best
}

const mebibytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const schemaCost = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-schema-'))
  const timed = (work: () => unknown) => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
  const before = mebibytes()
  const firstMs = timed(() => loadSchema({ cacheDir: folder }))
  const cachedMs = Math.min(...[1, 2, 3].map(() => timed(() => loadSchema({ cacheDir: folder }))))
  trackerSchema.useCache(folder)
  const live = trackerSchema.get()
  const heap = mebibytes() - before
  rmSync(folder, { recursive: true })
  console.log(
    `schema: first ${firstMs.toFixed(0)} ms, from the cache ${cachedMs.toFixed(0)} ms of processor (< ${wanted.schemaMs})`,
  )
  console.log(
    `schema: at most ${heap.toFixed(0)} MiB of heap (< ${wanted.schemaMiB}; exact with --expose-gc)`,
  )
  return live
}

const inProcess = () => {
  const { instance, token } = startInstance(seedFor(tracker, section(60)))
  const ask = (query: string, variables: Record<string, unknown>) => {
    const request = requestFor(token, query, variables)
    return () => instance.handle(request, testCompany.clock)
  }
  const constant = JSON.parse(Buffer.from(ask(issuesText, { first: 50 })().step.reply.body).toString()).data
  let flip = 0
  const speeds = compare({
    bare: bareExecution(issuesText, constant, { first: 50 }),
    twin: ask(issuesText, { first: 50 }),
    update: () => ask(updateText, { id: 'ENG-1', input: { priority: flip++ % 4 } })(),
  })
  const ratio = (speeds.twin ?? 0) / (speeds.bare ?? 1)
  console.log(
    `issues(first: 50) with the client's fragment: bare ${speeds.bare?.toFixed(0)}/s, twin ${speeds.twin?.toFixed(0)}/s`,
  )
  console.log(`  ratio ${ratio.toFixed(2)} (> ${wanted.bare})`)
  console.log(`issueUpdate: ${speeds.update?.toFixed(0)}/s in process`)
}

const filtering = () => {
  const { instance, token } = startInstance(seedFor(tracker, section(10_000)))
  const query = `query($filter: IssueFilter) { issues(filter: $filter, first: 50) { nodes { id title } } }`
  const filters = [
    { title: { containsIgnoreCase: 'nothing has this' } },
    { assignee: { displayName: { eq: 'nobody' } }, priority: { gte: 2 } },
    { labels: { name: { eq: 'None' } } },
    { or: [{ state: { name: { eq: 'Nowhere' } } }, { project: { name: { eq: 'Nothing' } } }] },
  ]
  for (const filter of filters) {
    const request = requestFor(token, query, { filter })
    const times: number[] = []
    let before = process.cpuUsage()
    for (let n = 0; n < 110; n++) {
      if (n === 10) before = process.cpuUsage()
      const start = performance.now()
      instance.handle(request, testCompany.clock)
      if (n >= 10) times.push(performance.now() - start)
    }
    const { user, system } = process.cpuUsage(before)
    times.sort((a, b) => a - b)
    console.log(
      `filter over 10,000 issues, nothing found: ${((user + system) / 1e5).toFixed(1)} ms of processor; p50 ${times[49]?.toFixed(1)} ms, p99 ${times[98]?.toFixed(1)} ms (< ${wanted.filterMs}) ${JSON.stringify(filter)}`,
    )
  }
}

const overHttp = async () => {
  await using host = await serveTwin(tracker, section(60))
  const emulator = await createEmulator({
    service: 'linear',
    port: 0,
    seed: {
      linear: {
        users: [{ email: 'a@example.com', name: 'A', admin: true }],
        teams: [{ key: 'ENG', name: 'Engineering' }],
        issues: section(60).issues.map(({ title, description }) => ({ team: 'ENG', title, description })),
        tokens: [{ token: 'lin_test_admin', user: 'a@example.com', scopes: ['read', 'write'] }],
      },
    },
  })
  const small = '{ issues(first: 50) { nodes { id identifier title description priority } } }'
  const load = (url: string, token: string, query: string) =>
    measure({
      url: `${url}/graphql`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify({ query }),
      concurrency: 16,
      seconds: 2,
    })
  const own = await load(host.baseUrl, host.token, small)
  const theirs = await load(emulator.url, 'lin_test_admin', small)
  const full = await load(host.baseUrl, host.token, issuesText)
  const refused = await load(emulator.url, 'lin_test_admin', issuesText)
  await emulator.close()
  console.log(
    `over HTTP, five fields: twin ${own.perSecond.toFixed(0)}/s, emulate ${theirs.perSecond.toFixed(0)}/s (${theirs.failed} refused), ratio ${(own.perSecond / theirs.perSecond).toFixed(2)}`,
  )
  console.log(
    `over HTTP, the client's own document: twin ${full.perSecond.toFixed(0)}/s (${full.failed} refused), emulate ${refused.perSecond.toFixed(0)}/s (${refused.failed} refused)`,
  )
}

schemaCost()
inProcess()
filtering()
await overHttp()
