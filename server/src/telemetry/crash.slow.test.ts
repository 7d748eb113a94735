import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMark } from '../storage/cluster.ts'
import { processesIn } from '../storage/processes.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 20)
const stretchMs = 300
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** The service as it is started by hand, on its own database that syncs its disk. */
const start = async (dataDir: string, key: string) => {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DIORAMA_DATA_DIR: dataDir,
      DIORAMA_API_KEY: key,
      DIORAMA_EMBEDDINGS: 'off',
      DIORAMA_LOG: 'none',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (chunk) => {
      text += String(chunk)
      const ready = /ready at (\S+)/.exec(text)?.[1]
      if (ready) resolve(ready)
    })
    child.once('exit', () => reject(new Error(`the service ended: ${text}`)))
  })
  return { child, baseUrl, ended }
}

/** Writes events until it is told to stop, and remembers each that was acknowledged. */
const write = async (baseUrl: string, key: string, acknowledged: string[][], state: { stop: boolean }) => {
  while (!state.stop) {
    const events = Array.from({ length: randomInt(1, 20) }, (_, n) => ({
      source: 'crash',
      topic: 't',
      event_type: 'e',
      entities: { thing: String(n) },
    }))
    try {
      const reply = await fetch(`${baseUrl}/v1/events/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      })
      const body = (await reply.json()) as { items?: { id: string }[] }
      if (reply.status === 201 && body.items) acknowledged.push(body.items.map(({ id }) => id))
    } catch {
      // Killed in the middle: what was not acknowledged is not claimed.
      await pause(10)
    }
  }
}

const lost = async (baseUrl: string, key: string, acknowledged: readonly string[][]): Promise<string[]> => {
  const missing: string[] = []
  const ids = acknowledged.flat()
  for (let from = 0; from < ids.length; from += 50)
    await Promise.all(
      ids.slice(from, from + 50).map(async (id) => {
        const reply = await fetch(`${baseUrl}/v1/events/${id}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        await reply.arrayBuffer()
        if (reply.status !== 200) missing.push(id)
      }),
    )
  return missing
}

for (const victim of ['service', 'database'] as const)
  test(`every acknowledged event is there after the ${victim} is killed ${rounds} times during writes`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'diorama-telemetry-crash-'))
    const key = `dk_${randomBytes(24).toString('hex')}`
    const acknowledged: string[][] = []
    let service = await start(dataDir, key)
    try {
      for (let round = 0; round < rounds; round++) {
        const before = acknowledged.length
        const state = { stop: false }
        const writers = Array.from({ length: 4 }, () => write(service.baseUrl, key, acknowledged, state))
        for (let look = 0; look < 2_000 && acknowledged.length === before; look++) await pause(10)
        await pause(randomInt(stretchMs))
        if (victim === 'service') {
          service.child.kill('SIGKILL')
          await service.ended
        } else {
          const cluster = join(dataDir, 'database', 'cluster')
          const pid = Number.parseInt(readMark(join(cluster, 'postmaster.pid')), 10)
          if (processesIn(cluster).includes(pid)) process.kill(pid, 'SIGKILL')
        }
        state.stop = true
        await Promise.all(writers)
        if (victim === 'service') service = await start(dataDir, key)
      }
      for (let look = 0; look < 300; look++) {
        const reply = await fetch(`${service.baseUrl}/v1/events?limit=1`, {
          headers: { authorization: `Bearer ${key}` },
        })
        await reply.arrayBuffer()
        if (reply.status === 200) break
        await pause(100)
      }
      assert.deepEqual(await lost(service.baseUrl, key, acknowledged), [])
      t.diagnostic(`${acknowledged.flat().length} acknowledged events, none lost`)
    } finally {
      service.child.kill('SIGTERM')
      await service.ended
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
