import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess, stopProcess } from '../../server/src/testing-process.ts'

/** A server under load. */
export interface Side {
  readonly name: string
  readonly pid: number
  readonly base: string
  readonly channel: string
  readonly nextToken: () => string
  readonly stop: () => Promise<void>
}

export interface Ours extends Side {
  readonly folder: string
  /** Another twin: of the same organization, or of another. */
  readonly open: (owner: 'same' | 'other') => Promise<Side>
  readonly api: (path: string) => Promise<number>
}

export const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** Posts a form; resolves with the reply's text, and rejects where it is not a success. */
export const call = (side: Side, method: string, args: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = new URLSearchParams({ channel: side.channel, ...args }).toString()
    const headers = {
      authorization: `Bearer ${side.nextToken()}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(`${side.base}/api/${method}`, { method: 'POST', agent, headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (text.startsWith('{"ok":true')) resolve(text)
        else reject(new Error(`${side.name} ${method}: ${text.slice(0, 200)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })

const messages = 100

/** The service as `npm start` runs it: its own process, embedded PostgreSQL, logs on. */
export const startOurs = async (): Promise<Ours> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const running = await startProcess(folder, key, { DIORAMA_LOG: 'all' })
  const pid = running.process.pid ?? 0
  const ask = async (path: string, body: unknown, as: string) => {
    const reply = await fetch(`${running.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return JSON.parse(await reply.text())
  }
  const stop = async () => {
    await stopProcess(running)
    rmSync(folder, { recursive: true, force: true })
  }
  const open = async (owner: 'same' | 'other'): Promise<Side> => {
    const made = owner === 'other' ? await ask('/v1/organizations', { name: 'Other' }, key) : undefined
    const twin = await ask('/v1/twins', { service: 'chat' }, made?.key.secret ?? key)
    const bare = {
      name: 'ours',
      pid,
      base: `${running.baseUrl}/t/${twin.id}`,
      nextToken: () => twin.token,
      stop,
    }
    const created = await call({ ...bare, channel: '' }, 'conversations.create', { name: 'bench' })
    const side = { ...bare, channel: JSON.parse(created).channel.id }
    for (let n = 0; n < messages; n++)
      await call(side, 'chat.postMessage', { text: `order pump valve invoice supplier delay customer ${n}` })
    return side
  }
  const api = async (path: string): Promise<number> => {
    const began = performance.now()
    const reply = await fetch(`${running.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
    await reply.arrayBuffer()
    return performance.now() - began
  }
  return { ...(await open('same')), folder, open, api }
}

export interface ChildSide extends Side {
  readonly process: ChildProcess
}

/** A server in a file of this folder, in its own process. */
export const startChild = async (name: string, file: string): Promise<ChildSide> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const said = await new Promise<{ url: string; token: string; channel: string; tokens: number }>(
    (resolve, reject) => {
      child.once('message', (message) => resolve(message as never))
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
    },
  )
  let calls = 0
  // The rival takes any token and allows each so many calls; it gets a new one in time.
  const nextToken = () =>
    said.tokens === 1 ? said.token : `${said.token}-${Math.floor(calls++ / said.tokens)}`
  const stop = () =>
    new Promise<void>((resolve) => {
      child.removeAllListeners('exit')
      child.once('exit', () => resolve())
      child.disconnect()
    })
  const { url: base, channel } = said
  return { name, pid: child.pid ?? 0, base, channel, nextToken, stop, process: child }
}
