import { type ChildProcess, fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { z } from 'zod'

/** Readers of the event stream on bare sockets, in their own process: what is measured is the service alone. */
export interface Audience {
  /** Opens this many more. */
  open(count: number): Promise<void>
  /** What they have heard since they were asked last. */
  heard(): Promise<Heard>
  close(): Promise<void>
}

const Heard = z.object({
  /** Of each event and each reader in the sample: when it was there, in milliseconds since 1970. */
  times: z.array(z.tuple([z.string(), z.number()])),
  /** How many bytes each reader has read in all. */
  bytes: z.array(z.number()),
})
export type Heard = z.infer<typeof Heard>

/** Every reader's bytes are counted; one in so many is read and timed. */
export const oneIn = 50

export const openAudience = (service: { readonly baseUrl: string; readonly key: string }): Audience => {
  const child = fork(new URL(import.meta.url), [service.baseUrl, service.key], { execArgv: [] })
  return {
    open: async (count) => {
      await ask(child, { open: count })
    },
    heard: async () => Heard.parse(await ask(child, { open: 0 })),
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.disconnect()
      }),
  }
}

const ask = (child: ChildProcess, message: { open: number }): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const failed = () => reject(new Error('the readers ended'))
    child.once('exit', failed)
    child.once('message', (reply) => {
      child.off('exit', failed)
      resolve(reply)
    })
    child.send(message)
  })

const openReader = (baseUrl: string, key: string, heard: (bytes: Buffer) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', () => resolve(socket))
    socket.on('data', heard)
    socket.write(`GET /v1/events/stream HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n\r\n`)
  })

const listen = (baseUrl: string, key: string) => {
  const bytesOf: number[] = []
  let times: [string, number][] = []
  const open = () => {
    const n = bytesOf.push(0) - 1
    let rest = ''
    return openReader(baseUrl, key, (bytes) => {
      bytesOf[n] = (bytesOf[n] ?? 0) + bytes.length
      if (n % oneIn > 0) return
      const at = performance.timeOrigin + performance.now()
      const text = rest + bytes.toString('latin1')
      const whole = text.lastIndexOf('\n\n') + 2
      rest = text.slice(whole)
      for (const match of text.slice(0, whole).matchAll(/"id":"(evt_\w+)","event_time/g))
        times.push([match[1] ?? '', at])
    })
  }
  process.on('message', async (message) => {
    const { open: count } = z.object({ open: z.number() }).parse(message)
    for (let at = 0; at < count; at += oneIn)
      await Promise.all(Array.from({ length: Math.min(oneIn, count - at) }, open))
    process.send?.({ times, bytes: bytesOf })
    times = []
  })
  process.on('disconnect', () => process.exit(0))
}

const [, file, baseUrl, key] = process.argv
if (process.send && file === new URL(import.meta.url).pathname && baseUrl && key) listen(baseUrl, key)
