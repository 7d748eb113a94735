import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { killProcess, type Running, startProcess } from '../testing-process.ts'

const rounds = 20

const api = async (running: Running, key: string, method: string, path: string, body?: unknown) => {
  const reply = await fetch(`${running.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return JSON.parse(await reply.text())
}

/** Posts until the service dies; gives back the texts that were acknowledged. */
const post = async (
  running: Running,
  twin: { id: string; token: string },
  round: number,
): Promise<string[]> => {
  const acknowledged: string[] = []
  for (let n = 0; n < 100_000; n++) {
    const text = `round ${round} message ${n}`
    try {
      const reply = await fetch(`${running.baseUrl}/t/${twin.id}/api/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${twin.token}`, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ channel: '#general', text }),
      })
      if (((await reply.json()) as { ok: boolean }).ok) acknowledged.push(text)
    } catch {
      return acknowledged
    }
  }
  return acknowledged
}

it(`keeps every acknowledged message when the service is killed ${rounds} times, and leaves no twin provisioning`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-crash-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const acknowledged: string[] = []
  let running = await startProcess(dataDir, key)
  try {
    const twin = await api(running, key, 'POST', '/v1/twins', { service: 'chat', ttl_hours: 5 })
    for (let round = 0; round < rounds; round++) {
      const posting = [post(running, twin, round), post(running, twin, round + 1_000)]
      const launching = api(running, key, 'POST', '/v1/twins', { service: 'chat' }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, randomInt(20, 400)))
      await killProcess(running)
      for (const texts of await Promise.all(posting)) acknowledged.push(...texts)
      await launching
      running = await startProcess(dataDir, key)
    }
    const diff = await api(running, key, 'GET', `/v1/twins/${twin.id}/diff`)
    const texts = new Set(diff.items.map((item: { after: { text?: string } | null }) => item.after?.text))
    assert.ok(acknowledged.length > rounds)
    assert.deepEqual(
      acknowledged.filter((text) => !texts.has(text)),
      [],
    )
    await eventually(
      async () => (await api(running, key, 'GET', '/v1/twins?status=provisioning')).items.length === 0,
      'a twin stays in provisioning',
    )
  } finally {
    await killProcess(running)
    rmSync(dataDir, { recursive: true, force: true })
  }
})
