// Proves the library of companies: in each, an oracle that knows what to do passes every task, an agent that does
// nothing passes none, and neither does one that does the right thing and something else besides, nor the vandal of
// `suite check`. `node examples/prove.ts [company …]`; ends with 1 when that does not hold.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient, type Reply, type WorldBlueprintInput } from '../sdk/index.ts'
import { openService } from './service.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const idle = 'idle@1.0.0'

interface Company {
  readonly name: string
  readonly blueprint: WorldBlueprintInput
  /** The oracle's files by their paths in its bundle, and how it is started. */
  readonly files: Readonly<Record<string, string>>
  readonly command: string
  /** How it is started with its own change besides; the sample company leaves its agents more room. */
  readonly meddling: string | undefined
  /** Further agents that must pass nothing, by role: one that claims without doing, one that also does damage. */
  readonly adversaries: Readonly<Record<string, string>>
}

export interface Proof {
  readonly company: string
  readonly services: number
  readonly tasks: number
  readonly oraclePassed: number
  readonly idlePassed: number
  /** Undefined where no meddler was sent. */
  readonly meddlerPassed: number | undefined
  readonly seconds: number
  /** What is not as it should be, in words. */
  readonly faults: readonly string[]
}

export const companyNames = async (): Promise<string[]> => [
  'fernwright-instruments',
  ...(await readdir(here('blueprints')))
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort(),
]

/** What oracles of several companies use, by their names. */
const filesBeside = async (): Promise<Record<string, string>> => {
  const names = (await readdir(here('agents/oracles'))).filter((file) => file.endsWith('.mjs'))
  const files = names.map(async (file) => [file, await readFile(here(`agents/oracles/${file}`), 'utf8')])
  return Object.fromEntries(await Promise.all(files))
}

const readCompany = async (client: Client, name: string): Promise<Company> => {
  // The sample company is served by the service itself, and its oracle is the demo's careful agent.
  if (name === 'fernwright-instruments') {
    const files = { 'agent.mjs': await readFile(here('agents/careful/agent.mjs'), 'utf8') }
    const blueprint = (await client.worlds.sampleBlueprint()) as WorldBlueprintInput
    return { name, blueprint, files, command: 'node agent.mjs', meddling: undefined, adversaries: {} }
  }
  const blueprint: WorldBlueprintInput = JSON.parse(await readFile(here(`blueprints/${name}.json`), 'utf8'))
  const found = await readdir(here(`agents/oracles/${name}`))
  const [agent = ''] = found.filter((file) => /^agent\.(mjs|py)$/.test(file))
  const path = `${name}/${agent}`
  const own = await Promise.all(
    found.map(async (file) => [
      `${name}/${file}`,
      await readFile(here(`agents/oracles/${name}/${file}`), 'utf8'),
    ]),
  )
  const files = {
    ...Object.fromEntries(own),
    ...(await filesBeside()),
  }
  const command = `${agent.endsWith('.py') ? 'python3' : 'node'} ${path}`
  const adversaries = {
    ...(found.includes('cheat.mjs') ? { cheat: `node ${name}/cheat.mjs` } : {}),
    ...(found.includes('vandal.mjs') ? { vandal: `${command} && node ${name}/vandal.mjs` } : {}),
  }
  return { name, blueprint, files, command, meddling: `${command} && node meddle.mjs`, adversaries }
}

export const proveCompany = async (client: Client, name: string): Promise<Proof> => {
  const started = performance.now()
  const company = await readCompany(client, name)
  const world = await client.worlds.launchAndWait({ blueprint: company.blueprint, ttlHours: 1 })
  const suiteId = world.evaluation?.taskSuiteId
  if (!suiteId) throw new Error(`${name} has no task suite: ${world.evaluation?.error ?? 'no tasks'}`)
  // A version never changes once it is registered, so that an oracle that was edited is another version.
  const version = createHash('sha256').update(JSON.stringify(company.files)).digest('hex').slice(0, 12)
  const register = async (role: string, command: string) => {
    const run = { command }
    await client.agents.register({ name: `${role}-${name}`, version, files: company.files, run })
    return `${role}-${name}@${version}`
  }
  const oracle = await register('oracle', company.command)
  const meddler = company.meddling === undefined ? undefined : await register('meddler', company.meddling)
  const adversaries: string[] = []
  for (const [role, command] of Object.entries(company.adversaries))
    adversaries.push(await register(role, command))
  await client.agents.register({
    name: 'idle',
    version: '1.0.0',
    run: { command: 'echo "Nothing done." > "$WORK_DIR/output.txt"', timeoutSeconds: 30 },
  })
  const { job, results } = await client.evaluations.runAndWait({
    taskSuiteId: suiteId,
    agents: [oracle, idle, ...(meddler === undefined ? [] : [meddler]), ...adversaries],
    mode: 'compare',
  })
  await client.worlds.stop(world.world.id)
  const faults = job.status === 'succeeded' ? [] : [`the evaluation is ${job.status}`]
  for await (const trial of client.evaluations.listTrials(job.id)) faults.push(...faultOf(trial))
  faults.push(...(await vandalFaults(client, suiteId)))
  const passed = (agent: string) => results.agents.find((one) => one.agent === agent)?.passedTrials ?? 0
  return {
    company: name,
    services: world.twins.length,
    tasks: results.taskResults.length,
    oraclePassed: passed(oracle),
    idlePassed: passed(idle),
    meddlerPassed: meddler === undefined ? undefined : passed(meddler),
    seconds: (performance.now() - started) / 1_000,
    faults,
  }
}

/** What the vandal of the service's own check passes: it damages what the oracle left. */
const vandalFaults = async (client: Client, suiteId: string): Promise<string[]> => {
  const { tasks } = await client.suites.check(suiteId)
  return tasks.flatMap(({ title, vandalFails, vandalOn, problems }) =>
    vandalFails && vandalOn === 'passing trial' ? [] : [`${title}: ${vandalOn}: ${problems.join(' ')}`],
  )
}

type Trial = Reply<'listTrials'>['items'][number]

const faultOf = ({ agent, taskTitle, status, passed, error, scores, unaskedChanges }: Trial): string[] => {
  // An agent that broke down fails every task, and proves nothing about the scorers.
  if (status !== 'succeeded') return [`${taskTitle}: ${agent} ended as ${status}: ${error}`]
  if (agent === idle) return passed ? [`${taskTitle}: passes when nothing is done`] : []
  if (agent.startsWith('meddler-') || agent.startsWith('vandal-'))
    return passed ? [`${taskTitle}: passes when something else is changed`] : []
  if (agent.startsWith('cheat-')) return passed ? [`${taskTitle}: passes when it is only claimed`] : []
  if (passed) return []
  const reasons = scores
    .filter((score) => !score.passed)
    .map((score) => `${score.name}: ${score.reason ?? score.error}`)
  const unasked = (unaskedChanges?.items ?? []).map(
    ({ operation, service, collection, id }) =>
      `no scorer accounts for ${operation} ${service} ${collection} ${id}`,
  )
  return [`${taskTitle}: the oracle fails: ${[...reasons, ...unasked].join('; ')}`]
}

export const proofTable = (proofs: readonly Proof[]): string => {
  const head = ['company', 'services', 'tasks', 'oracle', 'idle', 'meddler', 'seconds']
  const rows = proofs.map((proof) => [
    proof.company,
    String(proof.services),
    String(proof.tasks),
    `${proof.oraclePassed}/${proof.tasks}`,
    `${proof.idlePassed}/${proof.tasks}`,
    proof.meddlerPassed === undefined ? '-' : `${proof.meddlerPassed}/${proof.tasks}`,
    proof.seconds.toFixed(1),
  ])
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => row[n]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd()
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}

const main = async (wanted: readonly string[]) => {
  await using service = await openService()
  const client = createClient(service)
  const names = (await companyNames()).filter((name) => wanted.length === 0 || wanted.includes(name))
  const proofs: Proof[] = []
  for (const name of names) {
    console.error(`proving ${name}`)
    proofs.push(await proveCompany(client, name))
  }
  console.log(proofTable(proofs))
  const faults = proofs.flatMap(({ company, faults }) => faults.map((fault) => `${company}: ${fault}`))
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 || proofs.length === 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
