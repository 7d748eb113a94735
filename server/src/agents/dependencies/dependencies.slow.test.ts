import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarOf } from '@diorama/sandbox/testing/test-image'
import { eventually } from '../../../../test/eventually.ts'
import { createSuite, pythonScorer, runToEnd } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'
import { openTestRegistry, type TestRegistry } from './testing-registry.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of several routes.
type Body = any

const nodeAgent = `
const { existsSync, writeFileSync } = require('fs')
const ran = existsSync('node_modules/greeting/ran.txt')
writeFileSync(process.env.WORK_DIR + '/output.txt', require('greeting') + (ran ? ' with scripts' : ''))
`
const pythonAgent = `
import greeting, os
open(os.environ["WORK_DIR"] + "/output.txt", "w").write(greeting.text)
`

describe('dependencies of agents', () => {
  let standIn: TestRegistry
  let service: TestService
  before(async () => {
    standIn = await openTestRegistry()
    service = await testService({
      packageRegistries: { npm: `${standIn.url}/npm`, pip: `${standIn.url}/pip` },
    })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await standIn[Symbol.asyncDispose]()
  })

  const register = (name: string, more: object, of: TestService = service) =>
    of.call('POST', '/v1/agents/register', { name, version: '1', ...more })
  const read = async (name: string): Promise<Body> =>
    (await service.call('GET', `/v1/agents/${name}/versions/1`)).body
  const installed = (name: string): Promise<Body> =>
    eventually(async () => {
      const { dependencies } = await read(name)
      return ['ready', 'failed'].includes(dependencies.status) && dependencies
    }, 'the installation did not end')
  const trialOf = async (reference: string): Promise<Body> => {
    const suiteId = await createSuite(service, { scorers: [pythonScorer('Any', 'return 1')] })
    const { job, trials } = await runToEnd(service, { task_suite_id: suiteId, agents: [reference] })
    return (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
  }
  const answerOf = async (reference: string): Promise<string | null> => {
    const { output, error } = await trialOf(reference)
    return output ?? error
  }

  it('are installed from a lock once, and are there in every trial', async () => {
    const npm = {
      files: { ...standIn.npmFiles, 'agent.cjs': nodeAgent },
      run: { command: 'node agent.cjs', dependencies: ['npm'] },
    }
    const made = await register('node-agent', npm)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.dependencies.status, 'queued')
    const ready = await installed('node-agent')
    assert.equal(ready.status, 'ready', `${ready.error}\n${ready.log}`)
    assert.ok(ready.size > 0)
    assert.equal(await answerOf('node-agent@1'), 'hello from npm')
    // Other code with the same lock: nothing is fetched again.
    const fetched = standIn.requests.length
    await register('same-lock', { ...npm, files: { ...npm.files, 'agent.cjs': `${nodeAgent}\n` } })
    assert.equal((await installed('same-lock')).lock_sha256, ready.lock_sha256)
    assert.equal(await answerOf('same-lock@1'), 'hello from npm')
    assert.equal(standIn.requests.length, fetched)
  })
  it('of Python are installed with their hashes, from a bundle too', async () => {
    const files = { ...standIn.pipFiles, 'agent.py': pythonAgent }
    const entries = Object.entries(files).map(([name, content]) => ({ name: `./${name}`, content }))
    const bundle = gzipSync(await tarOf(entries))
    const run = { command: 'python3 agent.py', dependencies: ['pip'] }
    assert.equal((await register('python-agent', { run })).status, 201)
    assert.equal((await read('python-agent')).dependencies, null)
    const uploaded = await upload(service, 'python-agent', bundle)
    assert.equal(uploaded.status, 201, await uploaded.text())
    const ready = await installed('python-agent')
    assert.equal(ready.status, 'ready', `${ready.error}\n${ready.log}`)
    assert.equal(await answerOf('python-agent@1'), 'hello from pip')
  })

  it('run programs while they are installed only where that is asked for', async () => {
    await register('scripts', {
      files: { ...standIn.npmFiles, 'agent.cjs': nodeAgent },
      run: { command: 'node agent.cjs', dependencies: ['npm'], install_scripts: true },
    })
    assert.equal((await installed('scripts')).status, 'ready')
    assert.equal(await answerOf('scripts@1'), 'hello from npm with scripts')
  })

  it('that cannot be installed are a readable failure of the version, which can be retried', async () => {
    const files = {
      ...standIn.npmFiles,
      'package-lock.json': (standIn.npmFiles['package-lock.json'] ?? '').replace(
        /"sha512-[^"]+"/,
        '"sha512-AAAA"',
      ),
    }
    const body = { files, run: { command: 'true', dependencies: ['npm'] } }
    await register('forged', body)
    const failed = await installed('forged')
    assert.equal(failed.status, 'failed')
    assert.match(failed.error, /exit code/)
    assert.match(failed.log, /EINTEGRITY/)
    const suiteId = await createSuite(service, { scorers: [pythonScorer('Any', 'return 1')] })
    const started = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['forged@1'],
    })
    assert.equal(started.status, 400, started.text)
    assert.match(started.text, /dependencies of forged@1 could not be installed/)
    const again = await register('forged', body)
    assert.equal(again.body.dependencies.status, 'queued')
    assert.equal((await installed('forged')).status, 'failed')
  })

  it('come from the registry alone: the sandbox of an installation reaches nothing else', async () => {
    const stray = 'https://example.com/greeting/-/greeting-1.0.0.tgz'
    const script = `node -e "fetch('https://example.com').then((r) => r.text()).then((t) => { console.error('GOT ' + t); process.exit(3) })"`
    const declared = { name: 'agent', version: '1.0.0', scripts: { install: script } }
    const lock = JSON.parse(standIn.npmFiles['package-lock.json'] ?? '')
    lock.packages[''] = { ...declared, dependencies: { greeting: '1.0.0' } }
    lock.packages['node_modules/greeting'].resolved = stray
    await register('stray', {
      files: {
        'package.json': JSON.stringify({ ...declared, dependencies: { greeting: '1.0.0' } }),
        'package-lock.json': JSON.stringify(lock),
      },
      run: { command: 'true', dependencies: ['npm'], install_scripts: true },
    })
    const failed = await installed('stray')
    assert.equal(failed.status, 'failed')
    assert.match(failed.log, /GOT .*host_not_allowed/)
    assert.match(failed.error, /example\.com is not part of/)
  })

  it('are not shared between organizations, and the least recently used make room', async () => {
    await using small = await testService({
      packageRegistries: { npm: `${standIn.url}/npm`, pip: `${standIn.url}/pip` },
      dependencyQuotaBytes: 100,
    })
    const statuses = async () =>
      (
        await small.storage.db
          .selectFrom('agent_dependencies')
          .select(['organization_id', 'lock_sha256', 'status'])
          .execute()
      ).map(({ status }) => status)
    const npm = { files: standIn.npmFiles, run: { command: 'true', dependencies: ['npm'] } }
    const { body } = await small.call('POST', '/v1/organizations', { name: 'Other' })
    await register('one', npm, small)
    await eventually(async () => (await statuses()).join() === 'ready', 'the first was not installed')
    const fetched = standIn.requests.length
    const theirs = { key: body.key.secret }
    const other = await small.call(
      'POST',
      '/v1/agents/register',
      { name: 'one', version: '1', ...npm },
      theirs,
    )
    assert.equal(other.status, 201, other.text)
    await eventually(async () => (await statuses()).join() === 'ready,ready', 'the second was not installed')
    assert.ok(standIn.requests.length > fetched, 'the other organization got what the first had installed')
    // Each installation alone is larger than the quota: the newest stays, and the one before goes.
    await register('two', { files: standIn.pipFiles, run: { command: 'true', dependencies: ['pip'] } }, small)
    await eventually(async () => {
      const { dependencies } = (await small.call('GET', '/v1/agents/two/versions/1')).body
      const first = (await small.call('GET', '/v1/agents/one/versions/1')).body
      return dependencies.status === 'ready' && first.dependencies === null
    }, 'nothing was evicted')
  })

  it('are refused in words where the deployment does not install packages', async () => {
    await using closed = await testService()
    const npm = { files: standIn.npmFiles, run: { command: 'true', dependencies: ['npm'] } }
    const refused = await register('one', npm, closed)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'not_configured')
    assert.match(refused.body.error, /DIORAMA_PACKAGE_REGISTRIES/)
    const without = await register(
      'two',
      { files: {}, run: { kind: 'http', url: 'http://a.example', dependencies: ['npm'] } },
      closed,
    )
    assert.match(without.text, /\/run\/dependencies cannot be used by an agent of the kind http/)
  })
})

const upload = ({ baseUrl, key }: TestService, name: string, body: Buffer): Promise<Response> =>
  fetch(`${baseUrl}/v1/agents/${name}/versions/1/bundle`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(body),
  })
