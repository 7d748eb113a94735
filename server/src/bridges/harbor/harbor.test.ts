import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { launchSample, registerCommand } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'
import { archiveOf } from './archive.ts'
import { checkTaskFolder, unpacked } from './testing-folder.ts'

const run = promisify(execFile)

// biome-ignore lint/suspicious/noExplicitAny: replies of several routes are looked into.
type Body = any

describe('a suite as Harbor tasks', () => {
  let service: TestService
  let suiteId: string
  let world: Body
  let folders: Map<string, Map<string, string>>
  let archive: Buffer
  let imageFolder: string

  const send = async (body: Uint8Array | string, query: string, type = 'application/gzip') => {
    const reply = await fetch(`${service.baseUrl}/v1/task-suites/import?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': type },
      body: Buffer.from(body),
    })
    return { status: reply.status, body: (await reply.json()) as Body }
  }
  const packed = (files: ReadonlyMap<string, string>, folder = 'task') =>
    archiveOf(new Map([...files].map(([path, text]) => [`${folder}/${path}`, text])))

  before(async () => {
    imageFolder = mkdtempSync(join(tmpdir(), 'diorama-images-'))
    writeFileSync(join(imageFolder, 'installed.tar'), '')
    service = await testService({ imageFolder })
    ;({ suiteId, world } = await launchSample(service))
    await registerCommand(
      service,
      'oracle',
      { command: 'node agent.mjs', network: 'world' },
      { 'agent.mjs': '//' },
    )
    const path = `/v1/task-suites/${suiteId}/harbor.tar.gz?oracle=oracle@1`
    const reply = await fetch(`${service.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    assert.equal(reply.status, 200)
    archive = Buffer.from(await reply.arrayBuffer())
    folders = await unpacked(archive)
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(imageFolder, { recursive: true, force: true })
  })

  it('gives each task a folder that fits the published schema', () => {
    assert.equal(folders.size, 4)
    for (const files of folders.values()) checkTaskFolder(files)
  })

  it('shows the agent no task, no scorer and no expected outcome of the world', () => {
    const [files] = folders.values()
    assert.ok(files)
    const { scenario } = JSON.parse(files.get('environment/diorama/world.json') ?? '')
    assert.ok(scenario.title)
    assert.equal(scenario.tasks, undefined)
  })

  it('puts the oracle into the solution, with the instruction as the suite has it', () => {
    for (const files of folders.values()) {
      assert.match(files.get('solution/solve.sh') ?? '', /^node agent\.mjs$/m)
      assert.equal(files.get('solution/agent/agent.mjs'), '//')
      assert.ok(
        files.get('instruction.md')?.startsWith(files.get('solution/instruction.txt')?.trimEnd() ?? '?'),
      )
    }
  })

  it('has a verifier that grades a world as the service does, and needs nothing but Node and Python', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diorama-harbor-'))
    try {
      const [files] = folders.values()
      for (const [path, text] of files ?? []) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      const state = await service.call('GET', `/v1/builder/worlds/${world.world.id}/state.json`)
      mkdirSync(join(folder, 'world'))
      for (const name of ['world.json', 'untouched.json'])
        writeFileSync(join(folder, 'world', name), state.text)
      const entry = /node \/tests\/(\S+)/.exec(files?.get('tests/test.sh') ?? '')?.[1] ?? ''
      await run(process.execPath, [
        join(folder, 'tests', entry),
        ...['--task', join(folder, 'tests/diorama/task.json')],
        ...['--scripts', join(folder, 'tests/diorama/scripts')],
        ...['--world', join(folder, 'world'), '--output', join(folder, 'none.txt')],
        ...['--rewards', join(folder, 'rewards')],
      ])
      const rewards = JSON.parse(readFileSync(join(folder, 'rewards', 'reward.json'), 'utf8'))
      assert.equal(rewards.reward, 0)
      assert.ok(Object.values(rewards).every((value) => Number.isFinite(value)))
      const report = JSON.parse(readFileSync(join(folder, 'rewards', 'diorama.json'), 'utf8'))
      assert.ok(
        report.scores.every(({ error }: Body) => error === null),
        JSON.stringify(report),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is the same suite again when it is imported: tasks, scorers, thresholds and the seed of the world', async () => {
    const { status, body } = await send(archive, 'format=harbor&name=Again')
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(body.refused, [])
    assert.equal(body.suite.name, 'Again')
    const tasksOf = async (id: string) => {
      const version = (await service.call('POST', `/v1/task-suites/${id}/versions`, {})).body
      return (await service.call('GET', `/v1/task-suites/${id}/versions/${version.id}`)).body.tasks
    }
    const [was, is] = [await tasksOf(suiteId), await tasksOf(body.suite.id)]
    const plain = ({ title, instruction, key, unasked_changes, expected_outcome, scorers }: Body) => ({
      ...{ title, instruction, key, unasked_changes, expected_outcome },
      scorers: scorers.map(({ weight, pass_threshold, definition }: Body) => ({
        ...{ weight, pass_threshold },
        definition: { ...definition, slug: null },
      })),
    })
    const byTitle = (a: Body, b: Body) => (a.title < b.title ? -1 : 1)
    assert.deepEqual(is.map(plain).sort(byTitle), was.map(plain).sort(byTitle))
    const twins = (await service.call('GET', '/v1/twins?limit=200')).body.items
    const stopped = twins.filter((twin: Body) => twin.environmentVersionId === is[0].environment_version_id)
    assert.ok(stopped.length > 0 && stopped.every((twin: Body) => twin.status === 'stopped'))
    const worlds = (await service.call('GET', '/v1/builder/worlds?limit=10')).body.items
    const seeds = await Promise.all(
      worlds.map(async ({ id }: Body) =>
        (await service.call('GET', `/v1/builder/worlds/${id}`)).body.world.twins.map(
          (one: Body) => one.seedSha256,
        ),
      ),
    )
    assert.equal(seeds.length, 2)
    assert.deepEqual(seeds[0], seeds[1])
  })

  it('refuses an exported task whose verifier or environment was changed, by the name of the file', async () => {
    const [files] = folders.values()
    for (const [path, text] of [
      ['tests/test.sh', '#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n'],
      ['tests/diorama/lib/server/src/scoring/score.mjs', '//'],
      ['environment/docker-compose.yaml', '{}'],
      ['task.toml', `${files?.get('task.toml')}\n`],
      ['environment/more.txt', 'x'],
    ] as const) {
      const { status, body } = await send(
        await packed(new Map([...(files ?? []), [path, text]])),
        'format=harbor',
      )
      assert.equal(status, 400)
      assert.match(body.error, new RegExp(`${path.replaceAll(/[.\\/]/g, '.')} is not what this version`))
    }
  })

  it('refuses tasks of others that cannot be run here as they were meant, each with its reason', async () => {
    const separate = '[verifier]\nenvironment_mode = "separate"\n'
    const closed = '[environment]\nnetwork_mode = "no-network"\n'
    const image = `${closed}docker_image = "installed:1"\n`
    const cases: [toml: string, extra: Record<string, string>, reason: RegExp][] = [
      ['schema_version = "1.9"\n', {}, /schema_version 1\.9 is newer/],
      ['[[steps]]\nname = "one"\n', {}, /several steps/],
      ['[environment]\nos = "Windows"\n', {}, /environment\.os/],
      ['[environment]\ngpus = 2\n', {}, /environment\.gpus: it needs 2/],
      ['[environment]\ntpu = { type = "v6e", topology = "2x4" }\n', {}, /environment\.tpu/],
      ['', { 'environment/docker-compose.yaml': 'services: {}' }, /docker-compose\.yaml/],
      ['[[verifier.collect]]\ncommand = "x"\nservice = "db"\n', {}, /no service db/],
      ['artifacts = [{ source = "/a", service = "db" }]\n', {}, /no service db to take \/a from/],
      [separate, {}, /network_mode of the agent is public/],
      [
        '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.example"]\n',
        {},
        /allowed_hosts of the agent names a\.example, which trials cannot reach/,
      ],
      [`${closed}[verifier]\nnetwork_mode = "public"\n`, {}, /network_mode of the verifier is public/],
      [closed, {}, /environment_mode is shared/],
      [`${closed}${separate}`, {}, /environment\/Dockerfile: images are not built/],
      [
        `${closed}docker_image = "python:3"\n${separate}`,
        {},
        /environment\.docker_image python:3: images are not pulled here, and the operator has not installed it/,
      ],
      [
        `${image}memory_mb = 4096\n${separate}`,
        {},
        /environment\.memory_mb: it needs 4096, and a trial has 2048/,
      ],
      [`${image}skills_dir = "/skills"\n${separate}`, {}, /environment\.skills_dir/],
      [
        `${image}env = { KEY = "\${KEY}" }\n${separate}`,
        {},
        /environment\.env\.KEY: variables of this machine/,
      ],
      [`${image}healthcheck = { command = "true" }\n${separate}`, {}, /environment\.healthcheck/],
      [
        `${image}workdir = "/usr/bin"\n${separate}`,
        {},
        /environment\.workdir \/usr\/bin is in a folder of the system/,
      ],
      [
        `${image}workdir = "/tests/unit"\n${separate}`,
        {},
        /environment\.workdir \/tests\/unit is in \/tests, which the verifier relies on/,
      ],
      [`artifacts = ["/srv/x"]\n${image}workdir = "/app"\n${separate}`, {}, /artifacts: \/srv\/x is neither/],
      [`${image}${separate}user = "agent"\n`, {}, /verifier\.user: a container has one user/],
      [`${image}${separate}timeout_sec = 9000\n`, {}, /verifier\.timeout_sec: it needs 9000/],
      [`${image}${separate}[[verifier.collect]]\ncommand = "x"\n`, {}, /verifier\.collect: the container/],
      [`${image}${separate}`, { 'environment/data.csv': '1' }, /environment\/data\.csv: files are not laid/],
      [`${image}${separate}`, { 'tests/Dockerfile': 'FROM x' }, /tests\/Dockerfile: images are not built/],
      [`${image}${separate}`, { 'tests/.harborignore': 'x' }, /\.harborignore/],
      ['[environment]\nallowed_hosts = ["a.example"]\n', {}, /environment\.allowed_hosts: is only for/],
      ['[environment\n', {}, /task\.toml cannot be read: line 1 needs \]/],
    ]
    const files = new Map<string, string>()
    for (const [n, [toml, extra]] of cases.entries()) {
      const folder = `task-${String(n).padStart(2, '0')}`
      const content = { 'task.toml': toml, 'instruction.md': 'Do it', 'tests/test.sh': '', ...extra }
      for (const [path, text] of Object.entries(content)) files.set(`${folder}/${path}`, text)
    }
    const { status, body } = await send(await archiveOf(files), 'format=harbor')
    assert.equal(status, 400)
    for (const [n, [, , reason]] of cases.entries()) {
      assert.match(body.details[n].pointer, new RegExp(`task-${String(n).padStart(2, '0')}$`))
      assert.match(body.details[n].message, reason)
    }
  })

  it('refuses to export what Harbor has no form for, and leaves it out when asked to', async () => {
    const suite = (await service.call('POST', '/v1/task-suites', { name: 'Ünïcode 試験' })).body
    const judge = (await service.call('POST', '/v1/scorers', { name: 'Kind', prompt: 'Is it kind?' })).body
    const code = {
      name: 'Yes',
      kind: 'code',
      language: 'python',
      code: 'def handler(i, o, e, m):\n  return 1',
    }
    const plain = (await service.call('POST', '/v1/scorers', { ...code, passThreshold: 1 })).body
    for (const [title, scorer_id] of [
      ['Judged', judge.id],
      ['試験', plain.id],
    ])
      await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
        ...{ title, instruction: 'Say "yes"\n', scorers: [{ scorer_id }] },
        metadata: { from: 'a test' },
      })
    const refused = await service.call('GET', `/v1/task-suites/${suite.id}/harbor.tar.gz`)
    assert.equal(refused.status, 409)
    assert.match(refused.body.error, /Judged: its scorer Kind is a judge/)
    const reply = await fetch(`${service.baseUrl}/v1/task-suites/${suite.id}/harbor.tar.gz?skip=true`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const rest = await unpacked(Buffer.from(await reply.arrayBuffer()))
    assert.deepEqual([...rest.keys()], ['task-2'])
    const files = rest.get('task-2') ?? new Map()
    checkTaskFolder(files)
    assert.equal(files.has('environment/docker-compose.yaml'), false)
    assert.match(files.get('task.toml') ?? '', /network_mode = "no-network"/)
    const again = await send(await packed(files), 'format=harbor')
    assert.equal(again.status, 201, JSON.stringify(again.body))
    const task = (await service.call('GET', `/v1/task-suites/${again.body.suite.id}/tasks`)).body.items[0]
    assert.equal(task.title, '試験')
    assert.equal(task.instruction, 'Say "yes"\n')
    assert.deepEqual(task.metadata, { from: 'a test' })
  })
})
