import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testStorage } from '../testing.ts'
import { openSealing, parseEncryptionKey } from './encryption-keys.ts'
import { createSealing } from './sealing.ts'

const key = () => randomBytes(32)
const sealingWith = (...keys: Uint8Array[]) => createSealing({ keys, random: randomBytes })
const unreadable = { code: 'secret_not_readable' }

describe('a sealed secret', () => {
  it('reads back in its own context, shows nothing of itself, and differs each time', () => {
    const sealing = sealingWith(key())
    for (const text of ['', 'sk-live-1', 'naïve 𝒳 \u0000', 'x'.repeat(100_000)]) {
      const sealed = sealing.seal(text, 'agent a')
      assert.equal(sealing.open(sealed, 'agent a'), text)
      if (text !== '') assert.ok(!sealed.includes(text))
      assert.notEqual(sealing.seal(text, 'agent a'), sealed)
    }
  })

  it('does not open when a single character was changed, in another context, or when cut short', () => {
    const sealing = sealingWith(key())
    const sealed = sealing.seal('secret', 'agent a')
    assert.throws(() => sealing.open(sealed, 'agent b'), unreadable)
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const forged = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last character of base64url may hold unused bits; a change there alone is the same value.
      if (
        Buffer.from(forged.split('.')[2] ?? '', 'base64url').equals(
          Buffer.from(sealed.split('.')[2] ?? '', 'base64url'),
        ) &&
        at > 15
      )
        continue
      assert.throws(() => sealing.open(forged, 'agent a'), unreadable, `at ${at}`)
      assert.throws(() => sealing.open(sealed.slice(0, at), 'agent a'), unreadable)
    }
  })

  it('still opens after a rotation, and says that it is due to be sealed again', () => {
    const [older, newer] = [key(), key()]
    const before = sealingWith(older).seal('secret', 'c')
    const after = sealingWith(newer, older)
    assert.equal(after.open(before, 'c'), 'secret')
    assert.equal(after.isCurrent(before), false)
    assert.equal(after.isCurrent(after.seal('secret', 'c')), true)
    assert.throws(() => sealingWith(newer).open(before, 'c'), /sealed with the key [0-9a-f]{12}, which/)
  })
})

describe('the key of a database', () => {
  it('is a file for the owner alone when none is configured, and the same after a restart', async () => {
    await using test = await testStorage()
    const dataDir = await mkdtemp(join(tmpdir(), 'diorama-key-'))
    try {
      const open = () => openSealing({ db: test.storage.db, configured: [], dataDir, random: randomBytes })
      const sealed = (await open()).seal('secret', 'c')
      const path = join(dataDir, 'encryption-key')
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.equal(parseEncryptionKey((await readFile(path, 'utf8')).trim())?.length, 32)
      assert.equal((await open()).open(sealed, 'c'), 'secret')
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })

  it('must be known to every node, and a rotation needs the older key beside the new one', async () => {
    await using test = await testStorage()
    const [older, newer] = [key(), key()]
    const open = (...configured: Uint8Array[]) =>
      openSealing({ db: test.storage.db, configured, dataDir: '/nonexistent', random: randomBytes })
    await open(older)
    await assert.rejects(open(newer), /Set DIORAMA_ENCRYPTION_KEY to the same value on every node/)
    await open(newer, older)
    await assert.rejects(open(older), { code: 'encryption_key' })
  })

  it('is read from base64 and hexadecimal, and nothing shorter', () => {
    const bytes = key()
    for (const text of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')])
      assert.deepEqual(Buffer.from(parseEncryptionKey(text) ?? []), bytes)
    for (const text of ['', 'short', 'a'.repeat(42), bytes.toString('hex').slice(2)])
      assert.equal(parseEncryptionKey(text), undefined)
  })
})
