// What a trial of an image costs beside a trial of the same files as a command, after the first: `npm run bench images`.
// Both do the sample suite over the Model Context Protocol, in turns and one trial at a time, so that a machine with
// other work slows both alike. The bound is 1.5 times the command's trial.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { hostLayer, savedImage, tarOf } from '../../sandbox/testing/test-image.ts'
import { launchSample, runToEnd } from '../../server/src/evaluations/testing-runs.ts'
import { testService } from '../../server/src/testing.ts'
import { middle, report } from '../parts/load.ts'

const rounds = Number(process.argv[2] ?? 5)
const bound = 1.5

const source = (name: string): string =>
  readFileSync(new URL(`../../examples/agents/mcp-only/${name}`, import.meta.url), 'utf8')
const files = { 'agent.mjs': source('agent.mjs'), 'work.mjs': source('work.mjs') }

const agentImage = async (): Promise<Buffer> => {
  const { layer, path } = hostLayer({ programs: ['sh'], node: true })
  const own = await tarOf(Object.entries(files).map(([name, content]) => ({ name: `app/${name}`, content })))
  const config = { Env: [`PATH=${path}`], WorkingDir: '/app', Cmd: ['node', 'agent.mjs'] }
  return gzipSync(await savedImage({ layers: [layer, own], config }), { level: 1 })
}

await using service = await testService({ checkReplies: false, workerSlots: 1 })
const register = async (name: string, more: object) => {
  const { status, text } = await service.call('POST', '/v1/agents/register', { name, version: '1', ...more })
  if (status !== 201) throw new Error(text)
}
await register('command', { files, run: { command: ['node', 'agent.mjs'] } })
await register('image', { run: { kind: 'image' } })
const uploaded = await fetch(`${service.baseUrl}/v1/agents/image/versions/1/bundle`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/gzip' },
  body: new Uint8Array(await agentImage()),
})
if (!uploaded.ok) throw new Error(await uploaded.text())
const { suiteId } = await launchSample(service)

const times: Record<string, number[]> = { 'command@1': [], 'image@1': [] }
for (let round = 0; round <= rounds; round++) {
  const agents = Object.keys(times)
  const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents, mode: 'compare' })
  for (const trial of trials) {
    if (!trial.passed) throw new Error(`${trial.agent}: ${trial.error ?? 'a trial did not pass'}`)
    // The first round unpacks, compiles and fills caches.
    if (round > 0) times[trial.agent]?.push(trial.duration_ms)
  }
}

/** Of the fastest quarter, which other work on the machine has slowed least; the median is printed beside it. */
const fast = (values: readonly number[] = []): number =>
  middle(values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 4)))
const [command, image] = [times['command@1'] ?? [], times['image@1'] ?? []]
console.log(
  `fastest quarter: command ${fast(command)} ms, image ${fast(image)} ms; median: ${middle(command)} ms, ${middle(image)} ms; ${image.length} trials each`,
)
const ratio = fast(image) / fast(command)
const what = 'a trial of an image, beside the same files as a command'
report(what, `${ratio.toFixed(2)} ×`, `at most ${bound} ×`, ratio <= bound)
if (ratio > bound) process.exitCode = 1
