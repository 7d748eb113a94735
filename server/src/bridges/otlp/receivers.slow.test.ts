import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../../../../test/eventually.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

const run = promisify(execFile)
const installMs = 1_800_000
/** The newest release of the collector whose modules are all to be had from every mirror that was tried. */
const collectorRelease = 'v0.120.0'
const providerRelease = 'v1.26.0'
/** Looks that are 20 ms apart: enough for a receiver that makes its database first, on a busy machine. */
const maxLooks = 15_000

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Running {
  readonly process: ChildProcess
  /** What it has printed so far. */
  readonly said: () => string
}

const started = (command: string, words: readonly string[], env: Record<string, string> = {}): Running => {
  const child = spawn(command, [...words], { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  return { process: child, said: () => said }
}

const ended = async ({ process: child }: Running): Promise<void> => {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

describe('trials sent by OTLP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-receivers-'))
  let service: TestService
  let suiteId: string

  before(async () => {
    service = await testService({ deliveryAllow: ['127.0.0.0/8'] })
    suiteId = await createSuite(service, {
      scorers: [pythonScorer('Says yes', 'return {"score": 1, "reason": "it does — 試験"}')],
    })
    await registerCommand(service, 'sayer', { command: 'echo yes > output.txt' })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const exportState = async () => (await service.call('GET', '/v1/trace-export')).body
  const sentTo = async (endpoint: string): Promise<string> => {
    const set = await service.call('PUT', '/v1/trace-export', { endpoint, headers: {} })
    assert.equal(set.status, 200, set.text)
    const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents: ['sayer@1'] })
    await eventually(async () => assert.equal((await exportState()).waiting, 0), undefined, maxLooks)
    return trials[0].id
  }

  it('arrive in the OpenTelemetry Collector: the trace, and a result whose parent is its span', async (context) => {
    const program = await builtCollector(join(folder, 'collector'))
    if ('unavailable' in program) return context.skip(program.unavailable)
    const port = await freePort()
    const config = join(folder, 'collector.yaml')
    writeFileSync(config, collectorConfig(port))
    const collector = started(program.path, ['--config', config])
    try {
      await eventually(() => collector.said().includes('Everything is ready'), collector.said(), maxLooks)
      const trialId = await sentTo(`http://127.0.0.1:${port}`)
      assert.deepEqual([(await exportState()).dropped, (await exportState()).last_error], [0, null])
      const said = await eventually(
        () => collector.said().includes('gen_ai.evaluation.result') && collector.said(),
        collector.said(),
        maxLooks,
      )
      const [spans = '', logs = ''] = said.split('ResourceLog #0')
      assert.match(spans, /Name\s+: invoke_agent sayer/)
      assert.ok(spans.includes(`diorama.trial.id: Str(${trialId})`), spans)
      const root = /Trace ID\s+: (\w{32})\s+Parent ID\s+:\s+ID\s+: (\w{16})/.exec(spans)
      assert.ok(root, spans)
      assert.match(logs, new RegExp(`Trace ID: ${root[1]}\\s+Span ID: ${root[2]}`))
      assert.match(logs, /event\.name: Str\(gen_ai\.evaluation\.result\)/)
      assert.match(logs, /gen_ai\.evaluation\.name: Str\(Says yes\)/)
      assert.match(logs, /gen_ai\.evaluation\.score\.value: Double\(1\)/)
      assert.match(logs, /gen_ai\.evaluation\.score\.label: Str\(pass\)/)
      assert.match(logs, /gen_ai\.evaluation\.explanation: Str\(it does — 試験\)/)
    } finally {
      await ended(collector)
    }
  })

  it('wait while a receiver is away, and arrive in Phoenix, where its interface shows them', async (context) => {
    const python = await installedPhoenix(join(folder, 'venv'))
    if ('unavailable' in python) return context.skip(python.unavailable)
    const [port, grpcPort] = [await freePort(), await freePort()]
    const base = `http://127.0.0.1:${port}`
    await service.call('PUT', '/v1/trace-export', { endpoint: base, headers: {} })
    const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents: ['sayer@1'] })
    await eventually(async () =>
      assert.match((await exportState()).last_error ?? '', /refused|reset|closed/i),
    )
    const phoenix = started(python.path, ['-m', 'phoenix.server.main', 'serve'], {
      PHOENIX_WORKING_DIR: join(folder, 'phoenix'),
      PHOENIX_HOST: '127.0.0.1',
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(grpcPort),
      PHOENIX_TELEMETRY_ENABLED: 'false',
    })
    try {
      await eventually(async () => (await fetch(`${base}/healthz`)).ok, phoenix.said(), maxLooks)
      const trialId = await sentTo(base)
      const wanted = [trials[0].id, trialId].sort()
      const shown = await eventually(
        async () => {
          const reply = await fetch(`${base}/v1/projects/default/spans/otlpv1?limit=100`)
          const { data } = (await reply.json()) as { data: ShownSpan[] }
          const roots = data.filter(({ name }) => name === 'invoke_agent sayer')
          return roots.length === 2 && roots
        },
        phoenix.said(),
        maxLooks,
      )
      assert.deepEqual(shown.map((span) => attribute(span, 'diorama.trial.id')).sort(), wanted)
      assert.equal((await exportState()).dropped, 0)
    } finally {
      await ended(phoenix)
    }
  })
})

interface ShownSpan {
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

const attribute = ({ attributes }: ShownSpan, name: string): unknown => {
  const { value = {} } = attributes.find(({ key }) => key === name) ?? {}
  return value.stringValue ?? value.string_value
}

const collectorConfig = (port: number) => `
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    traces: { receivers: [otlp], exporters: [debug] }
    logs: { receivers: [otlp], exporters: [debug] }
`

type Found = { readonly path: string } | { readonly unavailable: string }

const installedPhoenix = async (folder: string): Promise<Found> => {
  const path = join(folder, 'bin', 'python')
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(path, ['-m', 'pip', '-q', 'install', 'arize-phoenix'], { timeout: installMs })
    return { path }
  } catch (error) {
    return { unavailable: `arize-phoenix could not be installed: ${String(error).slice(0, 300)}` }
  }
}

/** The collector's own modules with nothing of ours but the list of what is in it, as its builder makes it. */
const builtCollector = async (folder: string): Promise<Found> => {
  const modules = ['otelcol', 'receiver/otlpreceiver', 'exporter/debugexporter'].map(
    (name) => `go.opentelemetry.io/collector/${name}@${collectorRelease}`,
  )
  const provider = `go.opentelemetry.io/collector/confmap/provider/fileprovider@${providerRelease}`
  const go = (...words: string[]) => run('go', words, { cwd: folder, timeout: installMs })
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'main.go'), collectorMain)
    await go('mod', 'init', 'example.com/collector')
    await go('get', ...modules, provider)
    await go('mod', 'tidy')
    await go('build', '-o', 'collector', '.')
    return { path: join(folder, 'collector') }
  } catch (error) {
    return { unavailable: `the collector could not be built: ${String(error).slice(0, 300)}` }
  }
}

const collectorMain = `package main

import (
	"log"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](debugexporter.NewFactory())
	return otelcol.Factories{Receivers: receivers, Exporters: exporters}, err
}

func main() {
	resolver := confmap.ResolverSettings{
		ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
		DefaultScheme:     "file",
	}
	settings := otelcol.CollectorSettings{
		BuildInfo:              component.BuildInfo{Command: "collector", Version: "0"},
		Factories:              factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: resolver},
	}
	if err := otelcol.NewCommand(settings).Execute(); err != nil {
		log.Fatal(err)
	}
}
`
