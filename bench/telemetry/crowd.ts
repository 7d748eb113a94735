import { fork } from 'node:child_process'
import { connect } from 'node:net'

/** Clients that each send one request after the other, in a process of their own and on bare sockets. */
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

/** Whether a reply is there whole; its body is as long as it says. */
const isWhole = (text: string): boolean => {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return false
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  return text.length >= head + 4 + length
}

const client = (crowd: Crowd, requests: readonly Buffer[], first: number, until: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(crowd.baseUrl)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let next = first
    let answered = 0
    let text = ''
    const send = () => socket.write(requests[next++ % requests.length] ?? '')
    socket.on('error', reject)
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!isWhole(text)) return
      if (!/^HTTP\/1.1 2/.test(text)) return reject(new Error(text.slice(0, 400)))
      text = ''
      answered++
      if (performance.now() < until) return send()
      socket.destroy()
      resolve(answered)
    })
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
