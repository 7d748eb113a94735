import { connect, type Socket } from 'node:net'
import { type BenchService, type Line, percentile } from './service.ts'
import { sample } from './write.ts'

const readers = 1_000
const perSecond = 200
const seconds = 8

/** A reader on a bare socket, so that what is measured is the service and not a thousand clients. */
const openReader = (service: BenchService, heard: (bytes: Buffer) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', () => resolve(socket))
    socket.on('data', heard)
    socket.write(
      `GET /v1/events/stream HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${service.key}\r\n\r\n`,
    )
  })

export const streaming = async (service: BenchService): Promise<Line[]> => {
  await service.call('POST', '/v1/events', JSON.stringify(sample()))
  const before = await service.memory()
  const acknowledged = new Map<string, number>()
  const latencies: number[] = []
  const bytesOf = new Array<number>(readers).fill(0)
  const sockets: Socket[] = []
  const received = { timed: 0 }
  // Every reader's bytes are counted; one in fifty is read and timed.
  const open = (n: number) => {
    let rest = ''
    return openReader(service, (bytes) => {
      bytesOf[n] = (bytesOf[n] ?? 0) + bytes.length
      if (n % 50 > 0) return
      const text = rest + bytes.toString('latin1')
      const whole = text.lastIndexOf('\n\n') + 2
      rest = text.slice(whole)
      for (const match of text.slice(0, whole).matchAll(/"id":"(evt_\w+)","event_time/g)) {
        received.timed++
        const at = acknowledged.get(match[1] ?? '')
        if (at !== undefined) latencies.push(Math.max(0, performance.now() - at))
      }
    })
  }
  for (let n = 0; n < readers; n += 50)
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, (_, m) => open(n + m)))))
  const idle = ((await service.memory()) - before) / readers / 1_024
  const start = performance.now()
  const total = perSecond * seconds
  const sending: Promise<void>[] = []
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1_000) / perSecond
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 2))
    sending.push(
      service.call('POST', '/v1/events', JSON.stringify(sample())).then((text) => {
        acknowledged.set(JSON.parse(text).id, performance.now())
      }),
    )
  }
  await Promise.all(sending)
  const whole = () => {
    const most = Math.max(...bytesOf)
    return bytesOf.filter((bytes) => most - bytes < 2_048).length / readers
  }
  for (let n = 0; n < 200 && (received.timed < (total * readers) / 50 || whole() < 1); n++)
    await new Promise((resolve) => setTimeout(resolve, 50))
  const busy = ((await service.memory()) - before) / readers / 1_024
  for (const socket of sockets) socket.destroy()
  const p99 = percentile(latencies, 0.99)
  const share = received.timed / ((total * readers) / 50)
  return [
    { what: 'events that the readers in the sample received', value: share, target: '= 1', met: share === 1 },
    { what: 'readers that received as many bytes', value: whole(), target: '= 1', met: whole() === 1 },
    { what: 'p99 from acknowledged to received, ms', value: p99, target: '< 250', met: p99 < 250 },
    { what: 'memory a reader at rest, KiB', value: idle, target: '< 64', met: idle < 64 },
    {
      what: 'growth of the process by the rush, garbage too, KiB a reader',
      value: busy,
      target: 'told',
      met: true,
    },
  ]
}
