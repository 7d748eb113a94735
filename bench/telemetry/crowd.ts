import { fork } from 'node:child_process'
import { connect } from 'node:net'

/** Clients that each send one request after the other, in their own process and on bare sockets. */
export interface Crowd {
  readonly baseUrl: string
  readonly key: string
  readonly path: string
  readonly bodies: readonly string[]
  readonly clients: number
  readonly ms: number
}

/** How many requests a second they got answered. */
export const crowdRate = (crowd: Crowd): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), [], { execArgv: [] })
    child.once('message', (rate) => resolve(Number(rate)))
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? undefined : reject(new Error(`the crowd ended with ${code}`))))
    child.send(crowd)
  })

const requestsOf = ({ key, path, bodies }: Crowd): Buffer[] =>
  bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )

const headEnd = '\r\n\r\n'
const lengthField = 'content-length: '

/** How many bytes of a reply still lack; it is as long as it says. */
const lacking = (text: string): number => {
  const head = text.indexOf(headEnd)
  if (head < 0) return 1
  const field = text.indexOf(lengthField)
  const length = field < 0 ? 0 : Number.parseInt(text.slice(field + lengthField.length, head), 10)
  return head + headEnd.length + length - text.length
}

/**
 * What a client costs falls on the processors that the service is measured on, whether it is one or many. So requests
 * are bytes made beforehand, replies are read into one place, and of them the status and the length are looked at.
 */
const client = (crowd: Crowd, requests: readonly Buffer[], first: number, until: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(crowd.baseUrl)
    let next = first
    let answered = 0
    let text = ''
    const send = () => socket.write(requests[next++ % requests.length] ?? '')
    const inbox = Buffer.alloc(65_536)
    const read = (bytes: number) => {
      text += inbox.toString('latin1', 0, bytes)
      if (lacking(text) > 0) return true
      if (!text.startsWith('HTTP/1.1 2')) reject(new Error(text.slice(0, 400)))
      text = ''
      answered++
      if (performance.now() < until) send()
      else {
        socket.destroy()
        resolve(answered)
      }
      return true
    }
    const onread = { buffer: inbox, callback: read }
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    socket.on('error', reject)
    socket.on('connect', send)
  })

const run = async (crowd: Crowd): Promise<number> => {
  const requests = requestsOf(crowd)
  const start = performance.now()
  const counts = await Promise.all(
    Array.from({ length: crowd.clients }, (_, n) => client(crowd, requests, n * 7, start + crowd.ms)),
  )
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - start)
}

if (process.send && process.argv[1] === new URL(import.meta.url).pathname)
  process.once('message', (crowd) => {
    run(crowd as Crowd).then(
      (rate) => process.send?.(rate, () => process.exit(0)),
      (error) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      },
    )
  })
