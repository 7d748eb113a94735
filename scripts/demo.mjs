// `npm run demo`: a company, two scripted agents and the comparison of both, in a minute, offline, without a model's
// key. Starts the service if it is not up, and keeps it up to look around until it is interrupted (`--once` ends it).
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { environment, fail, findNode, install, root, run, say } from './setup.mjs'

install('product')
const node = findNode()
const env = environment(node)
const once = process.argv.includes('--once') || !process.stdin.isTTY
/** `--moving`: companies that live while agents work in them, instead of the sample company. */
const moving = process.argv.includes('--moving')
const startWithinMs = 120_000

/** Runs a command of the command line; its notes and its bar go straight to the terminal. */
const diorama = (baseUrl, words) => {
  const ran = spawnSync(node, [join(root, 'cli', 'main.ts'), '--url', baseUrl, ...words], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', words.includes('--json') ? 'pipe' : 'inherit'],
    maxBuffer: 64 * 1_048_576,
  })
  return { ok: ran.status === 0, out: ran.stdout ?? '', err: ran.stderr ?? '' }
}
const ask = (baseUrl, ...words) => {
  const { ok, out, err } = diorama(baseUrl, [...words, '--json'])
  return ok ? JSON.parse(out) : { failed: err.trim().startsWith('{') ? JSON.parse(err) : { error: err } }
}
const must = (baseUrl, ...words) => {
  const answer = ask(baseUrl, ...words)
  if (answer.failed) throw new Error(`diorama ${words.join(' ')}: ${answer.failed.error}`)
  return answer
}

/** Starts the service and waits for the line that says where it is. */
const start = (more = {}) =>
  new Promise((resolve, reject) => {
    const service = spawn(node, [join(root, 'server', 'src', 'main.ts')], {
      cwd: root,
      env: { DIORAMA_LOG: 'warnings', ...env, ...more },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    const timer = setTimeout(() => {
      service.kill('SIGTERM')
      reject(new Error('The service did not start in time.'))
    }, startWithinMs)
    service.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-10_000)
      const [, baseUrl] = /ready at (\S+)/.exec(said) ?? []
      if (baseUrl === undefined) return
      clearTimeout(timer)
      resolve({ service, baseUrl })
    })
    service.on('exit', () => {
      clearTimeout(timer)
      reject(new Error(`The service did not start: ${said.trim()}`))
    })
  })

const stop = ({ service }) =>
  new Promise((resolve) => {
    if (service.exitCode !== null || service.signalCode !== null) return resolve()
    service.on('exit', resolve)
    service.kill('SIGTERM')
  })

const isUp = async (baseUrl) => {
  try {
    return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

const prepare = () => {
  run(node, [join(root, 'sandbox', 'install.mjs')], { env })
  const pages = join(root, 'console', 'build.mjs')
  if (existsSync(pages) && spawnSync(node, [pages], { cwd: root, env }).status !== 0)
    say('the console could not be built (`npm start` says why); all else works')
}

/** Launches the company, registers both agents and starts the run; gives back why not where it cannot. */
const compare = (baseUrl) => {
  say('launching the sample company')
  const { world } = must(baseUrl, 'world', 'launch', '--sample')
  say(`${world.name} is ready: ${baseUrl}/worlds/${world.id}`)
  const agents = ['careless', 'careful'].map((name) => {
    const folder = join(root, 'examples', 'agents', name)
    return must(baseUrl, 'agent', 'register', folder, '--run', 'node agent.mjs').reference
  })
  say(`registered ${agents.join(' and ')}`)
  const named = agents.flatMap((agent) => ['--agent', agent])
  return ask(baseUrl, 'eval', 'run', '--world', world.id, ...named, '--mode', 'compare', '--name', 'Demo')
}

const movingCompanies = ['larkfield-pumps', 'thornbury-estates']

/** The same with a company that moves while agents work in it: one agent waits for people, the other does not. */
const compareMoving = (baseUrl, company) => {
  say(`launching ${company}`)
  const file = join(root, 'examples', 'blueprints', `${company}.json`)
  const { world } = must(baseUrl, 'world', 'launch', file)
  say(`${world.name} is ready: ${baseUrl}/worlds/${world.id}`)
  const folder = join(root, 'examples', 'agents', 'oracles')
  const programs = { careless: 'cheat.mjs', patient: 'agent.mjs' }
  const agents = Object.entries(programs).map(([name, program]) => {
    const words = ['--name', `${name}-${company}`, '--run', `node ${company}/${program}`]
    return must(baseUrl, 'agent', 'register', folder, ...words).reference
  })
  const named = agents.flatMap((agent) => ['--agent', agent])
  return ask(baseUrl, 'eval', 'run', '--world', world.id, ...named, '--mode', 'compare', '--name', world.name)
}

const waitForInterrupt = () =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })

const follow = (baseUrl, job) => {
  if (job.failed) throw new Error(job.failed.error)
  say('each agent does each task in a fresh copy of the company')
  const { ok, out } = diorama(baseUrl, ['eval', 'show', job.id, '--watch'])
  process.stdout.write(`\n${out}\n`)
  if (!ok) throw new Error('The comparison could not be followed.')
}

const wanted = (env.DIORAMA_BASE_URL ?? `http://127.0.0.1:${env.PORT || '4400'}`).replace(/\/+$/, '')
let own
try {
  const started = performance.now()
  if (await isUp(wanted)) say(`using the service at ${wanted}`)
  else {
    say('starting the service')
    prepare()
    own = await start()
    say(`the service is ready at ${own.baseUrl}`)
  }
  let baseUrl = own?.baseUrl ?? wanted
  const runs = moving ? movingCompanies.map((company) => (at) => compareMoving(at, company)) : [compare]
  let job = runs[0](baseUrl)
  if (job.failed?.code === 'sandbox_unavailable' && own && !env.DIORAMA_SANDBOX) {
    say(`no sandbox works here: ${job.failed.error}`)
    say(
      'falling back to DIORAMA_SANDBOX=process, which is weaker: fit for these two agents, not for strangers',
    )
    await stop(own)
    own = await start({ DIORAMA_SANDBOX: 'process' })
    baseUrl = own.baseUrl
    job = runs[0](baseUrl)
  }
  for (const [n, run] of runs.entries()) {
    if (n > 0) job = run(baseUrl)
    follow(baseUrl, job)
  }
  say(`done in ${Math.round((performance.now() - started) / 1_000)} s`)
  const later = own && once ? ' (after `npm start`; the demo stops what it started)' : ''
  say(`results: ${baseUrl}/evaluations/${job.id}${later}`)
  if (own && !once) {
    say('the service stays up; Ctrl-C stops it')
    await waitForInterrupt()
  }
  if (own) await stop(own)
} catch (error) {
  if (own) await stop(own)
  fail(error instanceof Error ? error.message : String(error))
}
