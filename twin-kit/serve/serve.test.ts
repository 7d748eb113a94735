import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const folder = (kind: string) => fileURLToPath(new URL(`../../twins/${kind}`, import.meta.url))

/** Runs the command until it is ready, or until it ends. */
const serve = (args: readonly string[]) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ready = new Promise<{ baseUrl: string; token: string }>((resolve, reject) => {
    ended.then(() => reject(new Error(`it ended: ${err}`)))
    child.stdout.on('data', () => {
      const found = /ready at (\S+)[\s\S]*integration: (\S+)/.exec(out)
      if (found?.[1] && found[2]) resolve({ baseUrl: found[1], token: found[2] })
    })
  })
  // A caller that expects it to end does not wait for it.
  ready.catch(() => {})
  return { ready, ended, out: () => out, err: () => err, stop: () => child.kill('SIGTERM') }
}

describe('a twin served alone', () => {
  it('answers with the data that it brings, and ends on a signal', async () => {
    const running = serve([folder('notes')])
    const { baseUrl, token } = await running.ready
    const call = (path: string, body: unknown) =>
      fetch(baseUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
    const notes = (await (await call('/list', {})).json()) as { text: string }[]
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['Write the first note'],
    )
    assert.equal((await call('/nothing', {})).status, 404)
    running.stop()
    assert.equal(await running.ended, 0)
    assert.match(running.out(), /POST \/list 200 list changed 0/)
  })

  it('takes its section from a file', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'diorama-serve-'))
    try {
      const file = join(scratch, 'section.json')
      writeFileSync(file, JSON.stringify({ notes: [{ key: 'a', text: 'From a file' }] }))
      const running = serve([folder('notes'), '--section', file])
      const { baseUrl, token } = await running.ready
      const reply = await fetch(`${baseUrl}/list`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
      assert.match(await reply.text(), /From a file/)
      running.stop()
      await running.ended
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })

  it('says what is missing', async () => {
    const alone = serve([])
    assert.equal(await alone.ended, 1)
    assert.match(alone.err(), /usage:/)
    const bare = serve([folder('chat')])
    assert.equal(await bare.ended, 1)
    assert.match(bare.err(), /--section/)
  })
})
