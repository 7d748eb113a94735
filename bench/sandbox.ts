import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mergedAuthorities, openAuthority } from '../sandbox/gateway/authority.ts'
import { openGateway } from '../sandbox/gateway/gateway.ts'
import { openSandbox } from '../sandbox/open.ts'
import { agentLimits, type SandboxNetwork } from '../sandbox/sandbox.ts'
import { findInterpreters } from '../sandbox/stage/interpreters.ts'
import { openVerifier, type ScorerRun } from '../sandbox/verifier/scorer.ts'

// What the sandbox costs beside the bare thing, in one run, by turns: a trial-like job against the same
// interpreter in bubblewrap by hand, a scorer against the bare interpreter, a request through the gateway against
// a direct one. Medians; a target that is missed makes the exit code 1.

const run = promisify(execFile)
const rounds = Number(process.argv[2] ?? 15)
const state = mkdtempSync(join(tmpdir(), 'bench-sandbox-'))
const searchPath = process.env.PATH ?? ''
const opened = await openSandbox({ choice: 'bubblewrap', stateDir: state, searchPath })
if ('unavailable' in opened) throw new Error(opened.unavailable)
await using sandbox = opened.sandbox
const verifier = openVerifier(sandbox)
const interpreters = await findInterpreters(searchPath)
const python = interpreters.python?.executable ?? 'python3'
const node = interpreters.node
const authority = await openAuthority({ stateDir: state })
await using gateway = await openGateway({
  authority,
  route: () => ({ kind: 'twin', service: 'any' }),
  onRequest: async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
  }),
})
const network: SandboxNetwork = {
  gatewaySocket: gateway.socketPath,
  hosts: ['twin.example'],
  authorities: await mergedAuthorities(authority),
}
let missed = 0

function report(
  title: string,
  parts: { ratio: number; target: number; more: boolean; detail: string },
): void {
  const good = parts.more ? parts.ratio >= parts.target : parts.ratio <= parts.target
  if (!good) missed++
  const bound = `${parts.more ? 'at least' : 'at most'} ${parts.target}`
  console.log(`${good ? 'ok    ' : 'MISSED'} ${title}: ${parts.ratio.toFixed(2)} (${bound}); ${parts.detail}`)
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Both by turns, after one round that does not count. */
async function contest(
  bare: () => Promise<unknown>,
  ours: () => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const pair = [await timed(bare), await timed(ours)] as const
    if (round === 0) continue
    times[0].push(pair[0])
    times[1].push(pair[1])
  }
  return [median(times[0]), median(times[1])]
}

function byHand(...command: string[]): Promise<unknown> {
  const args = [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--',
    ...command,
  ]
  return run('bwrap', args)
}

const scorers: Record<ScorerRun['language'], string> = {
  python: 'def handler(input, output, expected, metadata): return 1',
  typescript: 'export function handler(input: string): number { return 1 }',
}

function score(language: ScorerRun['language']) {
  return verifier.runScorer({
    language,
    code: scorers[language],
    input: '',
    output: '',
    expected: null,
    metadata: {},
  })
}

async function benchTrial(): Promise<void> {
  const [bare, ours] = await contest(
    async () => {
      await byHand(node, '-e', '0')
      await byHand(python, '-c', 'pass')
    },
    async () => {
      const command = 'node -e 0 && echo done > $WORK_DIR/output.txt'
      const collect = { maxFiles: 100, maxBytes: 10_000_000 }
      const outcome = await sandbox.run({ command, limits: agentLimits, network, collect })
      if (outcome.collected.files.length !== 1) throw new Error(`the trial failed: ${outcome.stderr.text}`)
      await score('python')
    },
  )
  const detail = `${ours.toFixed(0)} ms against ${bare.toFixed(0)} ms for both interpreters in bwrap by hand`
  report('No-op agent with gateway and one scorer', { ratio: ours / bare, target: 3, more: false, detail })
}

async function benchScorers(): Promise<void> {
  for (const [language, bare] of [
    ['python', () => run(python, ['-c', 'pass'])],
    ['typescript', () => run(node, ['-e', '0'])],
  ] as const) {
    const [before, ours] = await contest(bare, () => score(language))
    const detail = `${ours.toFixed(1)} ms against ${before.toFixed(1)} ms for the bare interpreter`
    report(`A ${language} scorer`, { ratio: ours / before, target: 2, more: false, detail })
  }
  const startedAt = performance.now()
  const languages = ['python', 'typescript'] as const
  const verdicts = await Promise.all(
    Array.from({ length: 32 }, (_, n) => score(languages[n % 2] ?? 'python')),
  )
  const good = verdicts.filter((verdict) => verdict.score === 1).length
  const detail = `${(performance.now() - startedAt).toFixed(0)} ms in all`
  report('Scorers of 32 at once that gave their score', { ratio: good / 32, target: 1, more: true, detail })
}

/** Requests a second over keep-alive connections, sixteen at a time. */
const LOAD = `
import http from 'node:http'; import https from 'node:https'
const [url, total] = [process.argv[2], Number(process.argv[3])]
const client = url.startsWith('https') ? https : http
const agent = new client.Agent({ keepAlive: true, maxSockets: 16 })
const one = () => new Promise((ok, no) => client.get(url, { agent }, (r) => r.resume().on('end', ok)).on('error', no))
const many = async (n) => { for (let i = 0; i < n; i++) await one() }
await Promise.all(Array.from({ length: 16 }, () => many(20)))
const startedAt = performance.now()
await Promise.all(Array.from({ length: 16 }, () => many(total / 16)))
const rate = total / ((performance.now() - startedAt) / 1000)
const first = []
for (let i = 0; i < 200; i++) { const t = performance.now(); await one(); first.push(performance.now() - t) }
console.log(JSON.stringify({ rate, p50: first.sort((a, b) => a - b)[100] }))
process.exit(0)`

interface Load {
  readonly rate: number
  readonly p50: number
}

async function benchGateway(): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const total = '4800'
  const direct: Load[] = []
  const through: Load[] = []
  for (let round = 0; round < 3; round++) {
    const args = ['--input-type=module', '-', `http://127.0.0.1:${port}/x`, total]
    const child = run(node, args)
    child.child.stdin?.end(LOAD)
    direct.push(JSON.parse((await child).stdout))
    const outcome = await sandbox.run({
      command: ['node', 'load.mjs', 'https://twin.example/x', total],
      files: { 'load.mjs': LOAD },
      limits: agentLimits,
      network,
      env: () => ({ NODE_USE_ENV_PROXY: '0', HTTPS_PROXY: '', https_proxy: '' }),
    })
    through.push(JSON.parse(outcome.stdout.text))
  }
  server.close()
  const rates = [median(direct.map(({ rate }) => rate)), median(through.map(({ rate }) => rate))] as const
  const detail = `${rates[1].toFixed(0)} requests/s with TLS and relay against ${rates[0].toFixed(0)} plain and direct`
  report('Rate through the gateway', { ratio: rates[1] / rates[0], target: 0.3, more: true, detail })
  const overhead = median(through.map(({ p50 }) => p50)) - median(direct.map(({ p50 }) => p50))
  report('First byte overhead, p50 in ms', {
    ratio: overhead,
    target: 5,
    more: false,
    detail: 'one at a time',
  })
}

/** The gateway alone, without the relay and TLS, to see where the time goes. */
async function benchSocket(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const one = () =>
    new Promise((resolve, reject) => {
      const options = { socketPath: gateway.socketPath, agent, path: '/x', headers: { host: 'twin.example' } }
      request(options, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
  const many = async (count: number) => {
    for (let n = 0; n < count; n++) await one()
  }
  const elapsedMs = await timed(() => Promise.all(Array.from({ length: 16 }, () => many(200))))
  agent.destroy()
  console.log(
    `       The gateway alone, client in the same process: ${(3200 / (elapsedMs / 1000)).toFixed(0)} requests/s`,
  )
}

await benchTrial()
await benchScorers()
await benchGateway()
await benchSocket()
rmSync(state, { recursive: true })
process.exitCode = missed === 0 ? 0 : 1
