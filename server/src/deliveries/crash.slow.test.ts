import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { killProcess, type Running, startProcess } from '../testing-process.ts'

const rounds = 8

const api = async (running: Running, key: string, method: string, path: string, body?: unknown) => {
  const reply = await fetch(`${running.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return JSON.parse(await reply.text())
}

/** A receiver that answers challenges at once, and events only after the service was killed. */
const receiver = async () => {
  const received = new Map<string, Set<string>>()
  const state = { isSilent: true }
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      if (body.type === 'url_verification') return reply.end(body.challenge)
      const ids = received.get(body.event.text) ?? new Set()
      received.set(body.event.text, ids.add(body.event_id))
      return state.isSilent ? undefined : reply.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

it(`delivers each event at least once with the same id when the service is killed ${rounds} times`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-deliveries-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const environment = { DIORAMA_DELIVERY_ALLOW: '127.0.0.0/8' }
  const hook = await receiver()
  const acknowledged: string[] = []
  let running = await startProcess(dataDir, key, environment)
  try {
    const twin = await api(running, key, 'POST', '/v1/twins', { service: 'chat', ttl_hours: 5 })
    const settings = { event_subscriptions: { request_url: hook.url, bot_events: ['message.channels'] } }
    await api(running, key, 'PUT', `/v1/twins/${twin.id}/settings`, { manifest: { settings } })
    await eventually(async () => {
      const { request_url_status } = await api(running, key, 'GET', `/v1/twins/${twin.id}/settings`)
      return request_url_status === 'verified'
    }, 'the request URL is not verified')
    for (let round = 0; round < rounds; round++) {
      const posts = Array.from({ length: 10 }, async (_, n) => {
        const text = `round ${round} message ${n}`
        try {
          const reply = await fetch(`${running.baseUrl}/t/${twin.id}/api/chat.postMessage`, {
            method: 'POST',
            headers: { authorization: `Bearer ${twin.token}` },
            body: new URLSearchParams({ channel: '#general', text }),
          })
          if (((await reply.json()) as { ok: boolean }).ok) acknowledged.push(text)
        } catch {
          // Killed under way: nothing was promised.
        }
      })
      // The first acknowledgement: its step is durable, and its delivery is not answered.
      await Promise.race(posts)
      await killProcess(running)
      await Promise.all(posts)
      running = await startProcess(dataDir, key, environment)
    }
    hook.state.isSilent = false
    const missing = () => acknowledged.filter((text) => !hook.received.has(text))
    await eventually(() => missing().length === 0, 'deliveries are missing')
    assert.ok(acknowledged.length >= rounds)
    for (const [text, ids] of hook.received) assert.equal(ids.size, 1, text)
  } finally {
    await killProcess(running)
    hook.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
