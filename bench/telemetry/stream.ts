import { type Audience, type Heard, oneIn, openAudience } from './readers.ts'
import { type BenchService, type Line, percentile } from './service.ts'
import { sample } from './write.ts'

const readers = 1_000
const fewReaders = 50
const perSecond = 200
const seconds = 8

const now = () => performance.timeOrigin + performance.now()

/** Sends events at an even pace and waits until the readers have them. Answers each event's delays in the sample. */
const rush = async (service: BenchService, audience: Audience, count: number) => {
  const acknowledged = new Map<string, number>()
  const sending: Promise<void>[] = []
  const start = performance.now()
  const total = perSecond * seconds
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1_000) / perSecond
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1))
    sending.push(
      service.call('POST', '/v1/events', JSON.stringify(sample())).then((text) => {
        acknowledged.set(JSON.parse(text).id, now())
      }),
    )
  }
  await Promise.all(sending)
  const expected = (total * count) / oneIn
  const times: Heard['times'] = []
  let bytes: number[] = []
  for (let turn = 0; turn < 100 && (times.length < expected || !isEven(bytes)); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const heard = await audience.heard()
    times.push(...heard.times)
    bytes = heard.bytes
  }
  return {
    delays: times.flatMap(([id, at]) => Math.max(0, at - (acknowledged.get(id) ?? Number.NaN))),
    share: times.length / expected,
    even: isEven(bytes) ? 1 : 0,
  }
}

/** All have read the same, but for what came first: a line with their place, and signs of life. */
const isEven = (bytes: readonly number[]): boolean => Math.max(...bytes) - Math.min(...bytes) < 2_048

/** What the process holds, garbage and all, at its least over some seconds. */
const held = async (service: BenchService): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 10; look++) {
    least = Math.min(least, await service.memory())
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return least
}

export const streaming = async (service: BenchService): Promise<Line[]> => {
  // The same rush to few readers first: what the events themselves cost is no reader's memory.
  const few = openAudience(service)
  await few.open(fewReaders)
  await rush(service, few, fewReaders)
  const before = await held(service)
  await few.close()
  const audience = openAudience(service)
  await audience.open(readers)
  const idle = ((await held(service)) - before) / (readers - fewReaders) / 1_024
  const { delays, share, even } = await rush(service, audience, readers)
  const busy = ((await held(service)) - before) / (readers - fewReaders) / 1_024
  await audience.close()
  const p99 = percentile(delays, 0.99)
  return [
    { what: 'events that the readers in the sample received', value: share, target: '= 1', met: share === 1 },
    { what: 'all readers received as many bytes', value: even, target: '= 1', met: even === 1 },
    {
      what: `from acknowledged to received, p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 in ms`,
      value: p99,
      target: '< 250',
      met: p99 < 250,
    },
    { what: 'memory a reader at rest, KiB', value: idle, target: '< 64', met: idle < 64 },
    { what: 'memory a reader after the rush, KiB', value: busy, target: '< 64', met: busy < 64 },
  ]
}
