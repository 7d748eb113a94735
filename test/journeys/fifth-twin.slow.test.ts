import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../console/install-browser.mjs'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { root } from '../sources.ts'

const run = promisify(execFile)
const key = `dk_${'5'.repeat(40)}`

/** A separate checkout in which the notes twin is installed, by a change of the list alone. */
const checkoutWithNotes = (): string => {
  const checkout = mkdtempSync(join(tmpdir(), 'diorama-fifth-'))
  const parts = [
    'contract',
    'twin-kit',
    'twins',
    'sandbox',
    'server',
    'sdk',
    'console',
    'test',
    'docs',
    'examples/agents',
    'package.json',
    'tsconfig.json',
  ]
  for (const part of parts)
    cpSync(join(root, part), join(checkout, part), {
      recursive: true,
      filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
    })
  const packages = join(checkout, 'node_modules')
  mkdirSync(join(packages, '@diorama'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@diorama' && name !== '.cache')
      symlinkSync(join(root, 'node_modules', name), join(packages, name))
  for (const name of readdirSync(join(root, 'node_modules', '@diorama')))
    symlinkSync(
      join(checkout, relative(root, realpathSync(join(root, 'node_modules', '@diorama', name)))),
      join(packages, '@diorama', name),
    )
  // What npm could not hoist is beside the workspace that needs it.
  for (const part of ['twins', 'cli'])
    if (readdirSync(join(root, part)).includes('node_modules') && parts.includes(part))
      symlinkSync(join(root, part, 'node_modules'), join(checkout, part, 'node_modules'))
  const list = join(checkout, 'twins', 'installed.ts')
  const text = readFileSync(list, 'utf8').replace(
    /^export const installed = \[(.*)\] as const$/m,
    "import { notes } from './notes/manifest.ts'\nexport const installed = [$1, notes] as const",
  )
  assert.match(text, /, notes\]/)
  writeFileSync(list, text)
  return checkout
}

interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the test holds replies against what it expects of them.
  readonly body: any
}

interface Service {
  readonly baseUrl: string
  readonly log: () => string
  readonly stop: () => Promise<void>
}

const startService = (checkout: string): Promise<Service> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(checkout, 'server', 'src', 'main.ts')], {
      env: {
        ...process.env,
        PORT: '0',
        DIORAMA_DATA_DIR: join(checkout, 'data'),
        DIORAMA_API_KEY: key,
        DIORAMA_LOG: 'all',
        DIORAMA_EMBEDDINGS: 'off',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => {
      err += chunk
      const baseUrl = /ready at (\S+)/.exec(err)?.[1]
      if (baseUrl)
        resolve({
          baseUrl,
          log: () => out,
          stop: () =>
            new Promise((stopped) => {
              child.once('exit', () => stopped())
              child.kill('SIGTERM')
            }),
        })
    })
    child.once('exit', () => reject(new Error(`the service ended: ${err}`)))
  })

const blueprint = (section: unknown) => ({
  ...sampleCompany,
  scenario: {
    title: 'A pad',
    narrative: 'Somebody has to buy pumps.',
    threads: [
      {
        title: 'Pumps',
        summary: 'A note about pumps.',
        touchpoints: [{ service: 'pad', key: 'pumps', role: 'Says what to buy.' }],
      },
    ],
    tasks: ['first', 'second'].map((name) => ({
      key: `${name}-task`,
      title: `Change the note, ${name} try`,
      instruction: 'Make the note about pumps say "Buy valves".',
      expectedOutcome: 'The note says "Buy valves".',
      steps: ['Edit the note.'],
      scorers: [
        {
          key: 'edited',
          scorer: {
            name: `Note is edited (${name})`,
            kind: 'code',
            language: 'python',
            passThreshold: 1,
            code: 'from world_state import world\n\ndef handler(input, output, expected, metadata):\n    return world.record("notes", "pumps")["text"] == "Buy valves" and world.only_changed("pumps")\n',
          },
        },
      ],
    })),
  },
  twins: { notes: section },
})
const section = { notes: [{ key: 'pumps', text: 'Buy pumps' }] }

const agent = `
const call = (name, body) =>
  fetch('http://notes.example/' + name, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.NOTES_TOKEN },
    body: JSON.stringify(body),
  }).then((reply) => reply.json())
const [note] = await call('list', {})
await call('edit', { id: note.id, text: 'Buy valves' })
const { writeFileSync } = await import('node:fs')
writeFileSync(process.env.WORK_DIR + '/output.txt', 'Done.')
`

describe('a fifth twin, installed by its place in one list', () => {
  let checkout: string
  let service: Service
  let world: { id: string; twin: { id: string; baseUrl: string; token: string }; suite: string }

  const call = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const reply = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: reply.status, body: await reply.json() }
  }
  const native = async (name: string, body: unknown): Promise<Reply> => {
    const reply = await fetch(`${world.twin.baseUrl}/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.twin.token}` },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: await reply.json() }
  }

  before(async () => {
    checkout = checkoutWithNotes()
    await run(process.execPath, [join(checkout, 'console', 'build.mjs'), '--required'])
    service = await startService(checkout)
    const launched = await call('POST', '/v1/builder/worlds', { blueprint: blueprint(section) })
    assert.equal(launched.status, 201, JSON.stringify(launched.body))
    const [twin] = launched.body.twins
    world = { id: launched.body.world.id, twin, suite: launched.body.evaluation.taskSuiteId }
  })
  after(async () => {
    await service?.stop()
    rmSync(checkout, { recursive: true, force: true })
  })

  it('is described by the blueprint schema and the list of services', async () => {
    const schema = await call('GET', '/v1/builder/blueprint.schema.json')
    assert.match(JSON.stringify(schema.body), /NotesSection/)
    const models = await call('GET', '/v1/twins/models')
    assert.ok(models.body.items.some((model: { id: string }) => model.id === 'notes'))
  })

  it('has its section checked, with pointers into the blueprint', async () => {
    const twice = { notes: [...section.notes, { key: 'pumps', text: 'Again', author: 'nobody-here' }] }
    const checked = await call('POST', '/v1/builder/worlds/validate', { blueprint: blueprint(twice) })
    assert.deepEqual(checked.body.errors.map((error: { pointer: string }) => error.pointer).sort(), [
      '/twins/notes/notes/1/author',
      '/twins/notes/notes/1/key',
    ])
  })

  it('is seeded, called in its own native form, recorded and diffed', async () => {
    const listed = await native('list', {})
    assert.equal(listed.body[0].text, 'Buy pumps')
    assert.equal((await native('edit', { id: listed.body[0].id, text: 'Buy hoses' })).status, 200)
    const diff = await call('GET', `/v1/builder/worlds/${world.id}/diff`)
    assert.deepEqual(
      diff.body.items.map((item: Record<string, unknown>) => [item.service, item.key, item.changed]),
      [['notes', 'pumps', { text: ['Buy pumps', 'Buy hoses'] }]],
    )
  })

  it('is found by a search of the ledger, and on the timeline of its record', async () => {
    const found = await call('GET', `/v1/builder/worlds/${world.id}/activity?q=edit&service=notes`)
    assert.deepEqual(
      found.body.items.map((item: { operation: string }) => item.operation),
      ['edit'],
    )
    const [note] = (await native('list', {})).body
    const timeline = await call('GET', `/v1/timeline/note/${note.id}`)
    assert.equal(timeline.body.items.length, 1, JSON.stringify(timeline.body))
  })

  it('starts alone, with the sample data that it brings', async () => {
    const twin = await call('POST', '/v1/twins', { service: 'pad' })
    assert.equal(twin.status, 201, JSON.stringify(twin.body))
    assert.equal(twin.body.service, 'notes')
    const state = await call('GET', `/v1/twins/${twin.body.id}/state?collection=note`)
    assert.deepEqual(
      state.body.items.map((item: { key: string }) => item.key),
      ['welcome'],
    )
  })

  it('is redacted in logs by the pattern that it brings', async () => {
    const file = pathToFileURL(join(checkout, 'server', 'src', 'http', 'log.ts')).href
    const script = `import { redact } from '${file}'; console.log(redact(process.argv[1]))`
    const told = await run(process.execPath, [
      '--input-type=module',
      '-e',
      script,
      `failed with ${world.twin.token}`,
    ])
    assert.equal(told.stdout, 'failed with [redacted]\n')
    assert.doesNotMatch(service.log(), new RegExp(world.twin.token))
  })

  it('is intercepted in a trial at its real host name, and scored', async () => {
    const registered = await call('POST', '/v1/agents/register', {
      name: 'writer',
      version: '1',
      files: { 'agent.mjs': agent },
      run: { command: 'node agent.mjs' },
    })
    assert.equal(registered.status, 201, JSON.stringify(registered.body))
    const started = await call('POST', '/v1/backtests/jobs', {
      task_suite_id: world.suite,
      agents: ['writer@1'],
    })
    assert.equal(started.status, 201, JSON.stringify(started.body))
    const stream = await fetch(`${service.baseUrl}/v1/backtests/jobs/${started.body.id}/stream`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await stream.text()
    const trials = await call('GET', `/v1/backtests/jobs/${started.body.id}/trials`)
    const results = await call('GET', `/v1/backtests/jobs/${started.body.id}/results`)
    assert.equal(results.body.pass_rate, 1, JSON.stringify(trials.body, null, 1))
  })

  it('is shown in the console, record by record', {
    skip: !findBrowser() && 'there is no Chromium',
  }, async () => {
    const executablePath = findBrowser()
    assert.ok(executablePath)
    await using browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    const page = await browser.newPage()
    await page.goto(service.baseUrl)
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Worlds', level: 1 }).waitFor()
    await page.goto(`${service.baseUrl}/worlds/${world.id}/notes`)
    await page.getByRole('button', { name: 'Buy hoses' }).click()
    await page.getByRole('heading', { name: 'pumps' }).waitFor()
    await page.goto(`${service.baseUrl}/worlds/${world.id}/connect`)
    await page.getByText("/list'").waitFor()
  })

  it('is documented on the page of what the twins cover', async () => {
    await run(process.execPath, [join(checkout, 'test', 'coverage-page.ts')])
    assert.match(readFileSync(join(checkout, 'docs', 'twins.md'), 'utf8'), /^## notes$/m)
  })
})
