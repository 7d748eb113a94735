import { type Latency, latencyOf, measure, median, type Round } from './ledger/measure.ts'
import { tableBytes } from './ledger/processes.ts'
import { type Line, writeReport } from './ledger/report.ts'
import { agent, type ChildSide, call, type Ours, type Side, startChild, startOurs } from './ledger/sides.ts'

// The running service beside emulate and beside the floor of durable requests, in one run, by turns: rate, latency,
// processor time of service and database apart, memory and disk. BENCH_MESSAGES sets how far a channel grows.

const rounds = 3
const roundMs = 2_000
const stormMs = 6_000
const clients = 32
const grown = Number(process.env.BENCH_MESSAGES ?? 20_000)

const lines: Line[] = []
const tell = (what: string, value: string, text?: string, holds = false): void => {
  lines.push(text === undefined ? { what, value } : { what, value, target: { text, holds } })
}

const post = (side: Side) => () =>
  call(side, 'chat.postMessage', { text: 'The order of pumps is late; see the invoice.' })
const history = (side: Side) => () => call(side, 'conversations.history', { limit: '100' })
const latency = ({ p50, p99, max }: Latency): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms`
const cost = ({ serviceMicros, databaseMicros }: Round): number => serviceMicros + databaseMicros
const costText = (round: Round): string =>
  `${round.serviceMicros.toFixed(0)} + ${round.databaseMicros.toFixed(0)} µs`

/** The same load on several sides by turns; of each side the round with the median cost. */
const contest = async (sides: readonly Side[], send: (side: Side) => () => Promise<unknown>) => {
  const results = sides.map((): Round[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [n, side] of sides.entries()) {
      const group = { label: 'all', clients, send: send(side) }
      const measured = await measure(side, [group], roundMs)
      if (round > 0) results[n]?.push(measured)
    }
  return results.map((all) => {
    const [first] = all
    const middle = all.find((one) => cost(one) === median(all.map(cost))) ?? first
    if (!middle) throw new Error('nothing was measured')
    return { ...middle, perSecond: median(all.map(({ groups }) => groups.all?.perSecond ?? 0)) }
  })
}

const writes = async (ours: Ours, rival: Side, floor: Side): Promise<void> => {
  const [mine, theirs, least] = await contest([ours, rival, floor], post)
  if (!mine || !theirs || !least) throw new Error('a side is missing')
  tell('a durable write, 32 clients: ours', `${mine.perSecond.toFixed(0)}/s, ${costText(mine)}`)
  tell('the same: emulate, in memory', `${theirs.perSecond.toFixed(0)}/s, ${costText(theirs)}`)
  tell('the same: the floor', `${least.perSecond.toFixed(0)}/s, ${costText(least)}`)
  const [ratio, times] = [mine.perSecond / theirs.perSecond, cost(mine) / cost(least)]
  tell('writes, rate beside emulate', ratio.toFixed(2), 'at least 1.2', ratio >= 1.2)
  tell('writes, processor time beside the floor', times.toFixed(2), 'at most 2.5', times <= 2.5)
}

const reads = async (ours: Ours, rival: Side): Promise<void> => {
  const before = tableBytes(ours.folder)
  let count = 0
  const [mine, theirs] = await contest([ours, rival], (side) => {
    const send = history(side)
    return () => {
      if (side === ours) count++
      return send()
    }
  })
  if (!mine || !theirs) throw new Error('a side is missing')
  const bytes = (tableBytes(ours.folder) - before) / count
  tell('history of 100 messages, 32 clients: ours', `${mine.perSecond.toFixed(0)}/s, ${costText(mine)}`)
  tell('the same: emulate', `${theirs.perSecond.toFixed(0)}/s, ${costText(theirs)}`)
  const ratio = mine.perSecond / theirs.perSecond
  tell('reads, rate beside emulate', ratio.toFixed(2), 'at least 2', ratio >= 2)
  tell('disk for a repeated read', `${bytes.toFixed(0)} bytes`, 'at most 600', bytes <= 600)
}

const lone = async (ours: Ours, floor: ChildSide): Promise<void> => {
  const { groups } = await measure(ours, [{ label: 'one', clients: 1, send: post(ours) }], roundMs)
  const times = await new Promise<number[]>((resolve) => {
    floor.process.once('message', (message) => resolve(message as number[]))
    floor.process.send('insert')
  })
  const [mine, bare] = [groups.one?.p50 ?? 0, latencyOf(times, 1).p50]
  const ratio = mine / bare
  tell(
    'a lone write beside a bare insert and commit, p50',
    `${mine.toFixed(2)} / ${bare.toFixed(2)} ms`,
    'at most 1.5 ×',
    ratio <= 1.5,
  )
}

/** Writers, and another organization's, alone and beside a storm of reads; the control plane is asked all the while. */
const storm = async (ours: Ours): Promise<void> => {
  const other = await ours.open('other')
  const writers = { label: 'writers', clients: 4, send: post(ours) }
  const others = { label: 'others', clients: 1, send: post(other) }
  const readers = { label: 'readers', clients: 28, send: history(ours) }
  const api = { label: 'api', clients: 1, send: () => ours.api('/v1/twins?limit=1') }
  const alone = (await measure(ours, [writers], roundMs)).groups.writers
  const otherAlone = (await measure(ours, [others], roundMs)).groups.others
  const mixed = await measure(ours, [writers, readers, others, api], stormMs)
  const { writers: wrote, readers: read, others: theirs, api: asked } = mixed.groups
  if (!alone || !otherAlone || !wrote || !read || !theirs || !asked) throw new Error('a group is missing')
  tell('4 writers alone', latency(alone))
  tell(
    '4 writers beside 28 readers',
    `${wrote.perSecond.toFixed(0)}/s, ${latency(wrote)}`,
    'p99 at most 3 × alone, max under 300 ms',
    wrote.p99 <= alone.p99 * 3 && wrote.max < 300,
  )
  tell(
    "another organization's writer beside it",
    `${latency(otherAlone)} → ${latency(theirs)}`,
    'p99 at most 3 × alone',
    theirs.p99 <= otherAlone.p99 * 3,
  )
  tell(
    'the readers',
    `${read.perSecond.toFixed(0)}/s, ${latency(read)}`,
    'none above 500 ms',
    read.max <= 500,
  )
  tell('the API meanwhile', latency(asked))
  tell('memory through it', `${mixed.maxRssMb.toFixed(0)} MB`, 'under 600', mixed.maxRssMb < 600)
}

const growth = async (ours: Ours): Promise<void> => {
  const small = await ours.open('same')
  const large = await ours.open('same')
  const until = async (side: Side, count: number) => {
    const send = post(side)
    for (let n = 0; n < count; n += 64) await Promise.all(Array.from({ length: 64 }, send))
  }
  await until(small, 2_000)
  await until(large, grown)
  const timed = async (side: Side) =>
    (await measure(side, [{ label: 'all', clients: 4, send: post(side) }], roundMs)).groups.all?.p99 ?? 0
  const [few, many] = [await timed(small), await timed(large)]
  tell(
    `a write's p99 at 2,000 and ${grown.toLocaleString('en')} messages`,
    `${few.toFixed(1)} → ${many.toFixed(1)} ms`,
    'at most 1.5 ×',
    many <= few * 1.5,
  )
}

const [ours, rival, floor] = [
  await startOurs(),
  await startChild('emulate', './rival.ts'),
  await startChild('floor', './floor.ts'),
]
try {
  await writes(ours, rival, floor)
  await reads(ours, rival)
  await lone(ours, floor)
  await storm(ours)
  await growth(ours)
} finally {
  for (const side of [ours, rival, floor]) await side.stop()
  agent.destroy()
}
writeReport(lines, new Date().toISOString())
