import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { hostLayer, savedImage, tarOf } from '../../../../sandbox/testing/test-image.ts'
import { registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'
import { archiveOf } from './archive.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of several routes are looked into.
type Body = any

const toml = `schema_version = "1.4"
artifacts = ["/app/report"]

[task]
name = "others/count-orders"
description = "Count the orders of each customer"

[metadata]
difficulty = "easy"

[agent]
timeout_sec = 120

[environment]
docker_image = "others/orders:1"
network_mode = "no-network"
workdir = "/app"
memory_mb = 1024

[environment.env]
REGION = "north"

[verifier]
environment_mode = "separate"
timeout_sec = 60

[verifier.env]
EXPECTED = "ada 2"
`

/** Runs from the working directory, sees the artifacts where they were, and the image as it was elsewhere. */
const testScript = `#!/bin/sh
set -u
grep -q ada orders.csv || exit 3
if [ -e /app/scratch.txt ] || [ -e /logs/artifacts/reward.txt ]; then echo leaked; fi
if [ -e /app/report/poison ]; then rm -rf /logs/verifier; exit 9; fi
echo "said: $(cat /logs/artifacts/note.txt 2>/dev/null) stale: $(ls /app/report | tr '\\n' ' ')"
if [ "$(cat /app/report/orders.txt 2>/dev/null)" = "$EXPECTED" ]; then reward=1; else reward=0; fi
echo "{\\"reward\\": $reward, \\"files\\": 1}" > /logs/verifier/reward.json
`

const task: Readonly<Record<string, string>> = {
  'task.toml': toml,
  'instruction.md': 'Write the orders of ada, as `ada <count>`, to `report/orders.txt`.\n',
  'environment/Dockerfile': 'FROM scratch\n',
  'tests/test.sh': testScript,
  'tests/data/unused.bin': 'x',
  'solution/solve.sh': 'echo "ada 2" > /app/report/orders.txt\n',
}

const agents = {
  solver: `set -eu
[ "$(pwd) $REGION" = "/app north" ]
[ ! -e /tests ] || [ -z "$(ls /tests)" ]
rm report/stale.txt
echo "ada $(grep -c ada orders.csv)" > report/orders.txt
echo scratch > scratch.txt; rm orders.csv
echo 1 > /logs/verifier/reward.txt
echo "counted 試" > /logs/artifacts/note.txt
. "$HOME/extra.sh"`,
  idler: 'true',
  liar: 'echo "{\\"reward\\": 1}" > /logs/verifier/reward.json; echo 1 > /logs/verifier/reward.txt',
  poisoner: 'echo x > report/poison; echo "ada 2" > report/orders.txt',
  caller:
    'curl -s -m 5 https://example.com && echo out > report/orders.txt || echo "ada 2" > report/orders.txt',
}

describe('a Harbor task made by others', () => {
  const images = mkdtempSync(join(tmpdir(), 'diorama-images-'))
  let service: TestService
  let unavailable: string | undefined

  before(async () => {
    const { layer, path } = hostLayer({ programs: ['sh', 'cat', 'ls', 'rm', 'tr', 'grep', 'curl'] })
    const files = await tarOf([
      { name: 'app', type: 'directory' },
      { name: 'app/orders.csv', content: 'ada,1\nben,2\nada,3\n', mode: 0o644 },
      { name: 'app/report', type: 'directory' },
      { name: 'app/report/stale.txt', content: 'old', mode: 0o644 },
    ])
    const image = await savedImage({
      layers: [layer, files],
      config: { Env: [`PATH=${path}`] },
      tags: ['others/orders:1'],
    })
    mkdirSync(join(images, 'others'))
    writeFileSync(join(images, 'others', 'orders.tar'), image)
    service = await testService({ imageFolder: images })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(images, { recursive: true, force: true })
  })

  const imported = async (folders: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
    const files = Object.entries(folders).flatMap(([folder, content]) =>
      Object.entries(content).map(([path, text]) => [`${folder}/${path}`, text] as const),
    )
    const reply = await fetch(`${service.baseUrl}/v1/task-suites/import?format=harbor`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/gzip' },
      body: Buffer.from(await archiveOf(new Map(files))),
    })
    return { status: reply.status, body: (await reply.json()) as Body }
  }

  it('runs in its image and is graded by its tests in another container, by what is declared alone', async (context) => {
    const { status, body } = await imported({
      good: task,
      shared: { ...task, 'task.toml': toml.replace('"separate"', '"shared"') },
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(
      body.refused.map(({ reason }: Body) => reason.slice(0, 41)),
      ['verifier.environment_mode is shared: the '],
    )
    for (const [name, command] of Object.entries(agents))
      await registerCommand(service, name, { command, network: 'world' }, { 'extra.sh': 'true' })
    const references = Object.keys(agents).map((name) => `${name}@1`)
    const { trials } = await runToEnd(service, { task_suite_id: body.suite.id, agents: references })
    unavailable = trials.find(({ error }: Body) => /Images cannot be run here/.test(error ?? ''))?.error
    if (unavailable !== undefined) return context.skip(unavailable)
    const told = JSON.stringify(trials, null, 1)
    const passed = new Map<string, Body>(trials.map((one: Body) => [one.agent.split('@')[0], one]))
    assert.deepEqual(
      Object.keys(agents).map((name) => [name, passed.get(name)?.passed]),
      [
        ['solver', true],
        ['idler', false],
        ['liar', false],
        ['poisoner', false],
        ['caller', true],
      ],
      told,
    )
    const { scores, isolation } = await trialOf(passed.get('solver'))
    assert.equal(isolation, 'container')
    assert.equal(scores[0].reason, 'said: counted 試 stale: orders.txt')
    const broken = await trialOf(passed.get('poisoner'))
    assert.match(broken.scores[0].reason, /What the agent left broke the tests/)
    const again = await service.call('POST', `/v1/backtests/jobs/${passed.get('solver')?.job_id}/rescore`, {})
    assert.ok(again.status < 300, again.text)
  })

  const trialOf = async ({ job_id, id }: Body): Promise<Body> =>
    (await service.call('GET', `/v1/backtests/jobs/${job_id}/trials/${id}`)).body

  it('reaches the hosts of its allowlist and no others', async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const listed = 'network_mode = "allowlist"\nallowed_hosts = ["api.openai.com"]'
    const open = toml
      .replace('network_mode = "no-network"', listed)
      .replace('[verifier]', '[verifier]\nnetwork_mode = "no-network"')
    const { status, body } = await imported({ open: { ...task, 'task.toml': open } })
    assert.equal(status, 201, JSON.stringify(body))
    const call = (url: string) =>
      `$(curl -s -m 60 -o /dev/null -w '%{http_code}' -H 'content-type: application/json' -d "$BODY" ${url})`
    const command = `BODY='{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}'
listed=${call('https://api.openai.com/v1/chat/completions')}
other=${call('https://api.anthropic.com/v1/messages')}
echo "$listed $other" > "$WORK_DIR/output.txt"
if [ "$listed" = 200 ] && [ "$other" != 200 ]; then echo "ada 2" > report/orders.txt; fi`
    await registerCommand(service, 'asker', { command, network: 'world' })
    const { trials } = await runToEnd(service, {
      task_suite_id: body.suite.id,
      agents: ['asker@1'],
      models: { mode: 'scripted', script: { rules: [{ reply: { text: 'hello' } }] } },
    })
    const { passed, output } = await trialOf(trials[0])
    assert.equal(passed, true, output)
  })

  it('is not run by an agent that cannot be in its container', async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const { body } = await imported({ good: task })
    const outside = { name: 'outside', version: '1', run: { kind: 'http', url: 'https://agent.example/run' } }
    const registered = await service.call('POST', '/v1/agents/register', outside)
    assert.ok(registered.status < 300, registered.text)
    const { trials } = await runToEnd(service, { task_suite_id: body.suite.id, agents: ['outside@1'] })
    assert.equal(trials[0].passed, false)
    assert.match(trials[0].error, /an agent of the kind http cannot work/)
  })

  it('is voided, and fails no agent, when its image is gone', async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const { body } = await imported({ good: task })
    rmSync(join(images, 'others'), { recursive: true })
    const { trials } = await runToEnd(service, { task_suite_id: body.suite.id, agents: ['idler@1'] })
    assert.deepEqual([trials[0].passed, trials[0].cause], [null, 'platform'])
    assert.match(trials[0].error, /no longer has the image others\/orders:1/)
  })
})
