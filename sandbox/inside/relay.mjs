/**
 * The only way out of a sandbox: carries connections to loopback over to the trial's gateway, byte for byte. It
 * decides nothing; what may be reached is decided by the gateway outside.
 */
import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'

const CONNECTIONS = 256

/** Listens on the given ports for as long as the process lives. */
export async function startRelay({ socket, ports }) {
  let open = 0
  const carry = (near) => {
    if (open >= CONNECTIONS) return near.destroy()
    open++
    const far = connect({ path: socket, allowHalfOpen: true })
    near.setNoDelay(true)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => {
      open--
      far.destroy()
    })
    far.on('close', () => near.destroy())
    near.pipe(far)
    far.pipe(near)
  }
  await Promise.all([...ports.map((port) => listen(port, carry)), answerNames()])
}

function listen(port, carry) {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, carry)
    server.on('error', reject)
    server.listen({ port, host: '127.0.0.1', backlog: 128 }, resolve)
  })
}

/**
 * Every name is on loopback, so that a client that ignores proxies still reaches the gateway, which then answers or
 * refuses in words. Nothing is asked outside: a name that carries a secret goes nowhere.
 */
function answerNames() {
  return new Promise((resolve, reject) => {
    const server = createSocket('udp4')
    server.on('error', reject)
    server.on('message', (question, from) => {
      const answer = nameAnswer(question)
      if (answer) server.send(answer, from.port, from.address, () => undefined)
    })
    server.bind(53, '127.0.0.1', resolve)
  })
}

function nameAnswer(question) {
  if (question.length < 17 || question.length > 512 || question.readUInt16BE(4) !== 1) return undefined
  let end = 12
  while (end < question.length && question[end] !== 0) end += question[end] + 1
  if (end + 5 > question.length) return undefined
  const isAddress = question.readUInt16BE(end + 1) === 1
  const head = Buffer.from(question.subarray(0, end + 5))
  head.writeUInt16BE(0x8580, 2)
  head.writeUInt16BE(isAddress ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  if (!isAddress) return head
  return Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])])
}
