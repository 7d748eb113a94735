import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { type Asked, openStandIn, type Scripted } from '../../../models/testing.ts'
import { type TestService, testService } from '../../../testing.ts'
import { createSuite, launchSample, runToEnd } from '../../testing-runs.ts'

const run = promisify(execFile)
/** Python packages of this size take long to unpack and to load on a busy machine. */
const patience = { looks: 30_000 }
const providers = ['openai', 'anthropic', 'gemini']
const sources = join(import.meta.dirname, 'agents')

/** Shows the ledger and the changes of the world as its reason, so that two trials can be held against each other. */
const ledger = {
  name: 'ledger',
  kind: 'code',
  language: 'python',
  passThreshold: 1,
  code: `import json
from world_state import world
def handler(input, output, expected, metadata):
    made = world.changes("crm", operation="create")
    world.account(made)
    names = [change["after"].get("Name") for change in made]
    requests = [[one.get("operation"), one.get("status"), one.get("actor")] for one in world.activity()]
    right = names == ["Blue Harbor"] and "Blue Harbor" in output
    return {"score": 1 if right else 0, "reason": json.dumps([output, names, requests])}
`,
}

/** A model that calls the tool once, and says afterwards what it did. */
const says = ({ body }: Asked, turn: number): Scripted => {
  const text = JSON.stringify(body)
  const done = /function_call_output|tool_result|"role":"tool"|functionResponse/.test(text)
  const usage = done ? { input: 1_000, output: 40 } : { input: 900, output: 20 }
  const calls = [{ id: `call_${turn}`, name: 'create_account', input: { name: 'Blue Harbor' } }]
  return done ? { text: 'Blue Harbor is an account now.', usage } : { toolCalls: calls, usage }
}

/** What must be the same in a trial and its replay. */
const essence = (trial: Record<string, unknown> & { usage: Record<string, unknown>; scores: object[] }) => {
  const { latency_ms: _, replayed_calls: __, ...usage } = trial.usage
  const scores = trial.scores.map((score) => ({ ...score, duration_ms: 0 }))
  const { status, passed, error, cause, attempt } = trial
  return { status, passed, error, cause, attempt, usage, scores }
}

describe('agents on foreign clients and frameworks', () => {
  let service: TestService
  let folder: string
  let suiteId: string

  const provider = (name: string, more: object) =>
    service.call('PUT', `/v1/model-providers/${name}`, {
      ...{ wire: name, api_key: `sk-real-${name}`, prices: { small: { input: 1, output: 10 } } },
      ...more,
    })

  const register = async (name: string, command: readonly string[], files: string): Promise<string> => {
    const bundle = join(folder, `${name}.tar.gz`)
    await run('tar', ['-C', files, '--use-compress-program', 'gzip -1', '-cf', bundle, '.'])
    const made = await service.call('POST', '/v1/agents/register', {
      ...{ name, version: '1', run: { command, network: 'world', timeout_seconds: 240 } },
    })
    assert.ok(made.status < 300, made.text)
    const put = await fetch(`${service.baseUrl}/v1/agents/${name}/versions/1/bundle`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/gzip' },
      body: await readFile(bundle),
    })
    assert.equal(put.status, 201, await put.text())
    return `${name}@1`
  }

  const registerScript = async (file: string): Promise<string> => {
    const name = file.replace('.mjs', '')
    const bundled = await rolldown({ input: join(sources, file), platform: 'node', logLevel: 'silent' })
    const files = join(folder, name)
    await bundled.write({ dir: files, format: 'esm', entryFileNames: 'agent.mjs', codeSplitting: false })
    await bundled.close()
    return register(name, ['node', 'agent.mjs'], files)
  }

  /** Where the packages cannot be had, the reason. */
  const installPython = async (files: string): Promise<string | undefined> => {
    await cp(join(sources, 'accounts.py'), join(files, 'accounts.py'))
    const args = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check']
    const what = ['--target', join(files, 'lib'), '--requirement', join(sources, 'requirements.txt')]
    return run('python3', [...args, ...what], { timeout: 400_000 }).then(
      () => undefined,
      (error: Error) => `the Python packages could not be installed: ${error.message.slice(-300)}`,
    )
  }

  /** Recorded against the stand-in, then replayed with it off and no provider left. */
  const recordAndReplay = async (agents: readonly string[], cassette: string) => {
    const standIn = await openStandIn(says)
    for (const name of providers) {
      const put = await provider(name, { base_url: standIn.baseUrl })
      assert.ok(put.status < 300, put.text)
    }
    const order = { task_suite_id: suiteId, agents, concurrency: 2 }
    const recorded = await runToEnd(service, { ...order, models: { mode: 'record', cassette } }, patience)
    await standIn[Symbol.asyncDispose]()
    for (const name of providers) await service.call('DELETE', `/v1/model-providers/${name}`)
    const replayed = await runToEnd(service, { ...order, models: { mode: 'replay', cassette } }, patience)
    assert.equal(recorded.trials.length, agents.length)
    for (const first of recorded.trials) {
      const second = replayed.trials.find(({ agent }) => agent === first.agent)
      assert.deepEqual([first.passed, first.error], [true, null], `${first.agent} ${JSON.stringify(first)}`)
      assert.deepEqual(essence(second), essence(first), first.agent)
      assert.equal(first.usage.model_calls, 2, first.agent)
      assert.deepEqual([first.usage.input_tokens, first.usage.output_tokens], [1_900, 60], first.agent)
      assert.deepEqual([first.usage.replayed_calls, second.usage.replayed_calls], [0, 2], first.agent)
    }
    return { recorded, replayed }
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diorama-frameworks-'))
    service = await testService({
      models: { providers: {}, prices: {}, timeoutMs: 10_000, privateHosts: ['127.0.0.1'] },
    })
    const { world } = await launchSample(service)
    const { environmentVersionId } = world.evaluation
    suiteId = await createSuite(service, { scorers: [ledger], environmentVersionId })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  it('in TypeScript replay with the provider off: same verdicts, ledgers and tokens', async () => {
    const names = ['ai-sdk.mjs', 'openai-client.mjs', 'anthropic-client.mjs', 'gemini-client.mjs']
    await recordAndReplay(await Promise.all(names.map(registerScript)), 'typescript')
  })

  it('in Python replay with the provider off: same verdicts, ledgers and tokens', {
    timeout: 1_500_000,
  }, async (t) => {
    const files = join(folder, 'python')
    await cp(sources, files, { recursive: true, filter: (from) => !from.endsWith('.mjs') })
    const missing = await installPython(files)
    if (missing !== undefined) return t.skip(missing)
    const agents: string[] = []
    for (const name of ['openai', 'anthropic', 'gemini', 'langgraph', 'agents'])
      agents.push(await register(`python-${name}`, ['python3', 'accounts.py', name], files))
    await recordAndReplay(agents, 'python')
  })
})
