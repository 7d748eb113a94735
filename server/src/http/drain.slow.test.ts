import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../../test/eventually.ts'
import { testDatabase } from '../storage/testing.ts'
import { testService } from '../testing.ts'
import { openSocket } from './testing.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const replyIn = (heard: string) => ({
  status: Number(heard.slice(9, 12)),
  body: JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4) || 'null'),
})

describe('draining', () => {
  it('answers 503 with Retry-After to who asks whether it is ready', async () => {
    const service = await testService()
    const socket = openSocket(service.baseUrl)
    await socket.connected
    await socket.say('GET /readyz HTTP/1.1\r\nhost: x\r\n')
    // The server has to see the half request before it drains, or it takes the connection for an idle one.
    await service.call('GET', '/healthz')
    const drained = service[Symbol.asyncDispose]()
    await socket.say('connection: close\r\n\r\n')
    const heard = await socket.ended
    assert.equal(replyIn(heard).status, 503)
    assert.equal(replyIn(heard).body.code, 'unavailable')
    assert.match(heard, /\r\nretry-after: \d+\r\n/i)
    await drained
  })

  it('goes on answering for the delay that was asked for, and only says that it is not ready', async () => {
    // Until its end the service answers, however long that takes; the test ends it by the delay.
    const service = await testService({ drainDelayMs: 3_000 })
    const drained = service[Symbol.asyncDispose]()
    assert.equal((await service.call('GET', '/readyz')).status, 503)
    assert.equal((await service.call('GET', '/v1/twins')).status, 200)
    await drained
    await refusesConnections(service.baseUrl)
  })

  it('ends by SIGTERM with 0 after the running request was answered, and takes no other', async () => {
    await using database = await testDatabase()
    await using service = await startProcess(database.url)
    const body = JSON.stringify({ name: 'in flight' })
    const socket = openSocket(service.baseUrl)
    await socket.connected
    const head = [`POST /v1/api-keys HTTP/1.1`, 'host: x', `authorization: Bearer ${service.key}`]
    const more = [
      'content-type: application/json',
      `content-length: ${body.length}`,
      'connection: close',
      '',
      '',
    ]
    await socket.say([...head, ...more].join('\r\n') + body.slice(0, 5))
    assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200)
    service.child.kill('SIGTERM')
    await refusesConnections(service.baseUrl)
    await socket.say(body.slice(5))
    const reply = replyIn(await socket.ended)
    assert.equal(reply.status, 201)
    assert.equal(reply.body.name, 'in flight')
    assert.deepEqual(await service.exit, [0, null])
    assert.doesNotMatch(service.said(), /did not stop cleanly|Error/)
  })

  it('ends by SIGINT, and is not hurried by a second signal', async () => {
    await using database = await testDatabase()
    await using service = await startProcess(database.url)
    service.child.kill('SIGINT')
    service.child.kill('SIGINT')
    assert.deepEqual(await service.exit, [0, null])
  })
})

describe('a start with a wrong configuration', () => {
  it('ends with 1 and names the variable', async () => {
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env.PATH, PORT: 'many', DIORAMA_DATA_DIR: join(tmpdir(), 'never-made') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    assert.deepEqual(await once(child, 'close'), [1, null])
    assert.match(said, /PORT/)
  })
})

/** The real program on a database of the test's own. */
const startProcess = async (databaseUrl: string) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'diorama-drain-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DIORAMA_DATA_DIR: dataDir,
      DIORAMA_API_KEY: key,
      DIORAMA_EMBEDDINGS: 'off',
      DIORAMA_LOG: 'warnings',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  const baseUrl = await announced(child, () => said)
  return {
    child,
    key,
    baseUrl,
    exit,
    said: () => said,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exit
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const announced = async (child: ChildProcess, said: () => string): Promise<string> => {
  for (;;) {
    const url = /ready at (\S+)/.exec(said())?.[1]
    if (url) return url
    if (child.exitCode !== null) throw new Error(`the service ended: ${said()}`)
    await Promise.race([once(child.stderr ?? child, 'data'), once(child, 'exit')])
  }
}

const refusesConnections = (baseUrl: string): Promise<boolean> =>
  eventually(async () => {
    const socket = openSocket(baseUrl)
    const refused = await Promise.race([
      socket.connected.then(() => false),
      socket.ended.then(
        () => true,
        () => true,
      ),
    ])
    socket.ended.catch(() => {})
    socket.close()
    return refused
  }, 'the service still accepts connections')
