import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { mergedAuthorities, openAuthority } from './authority.ts'
import { nssDatabase } from './nss-database.ts'

test('a browser’s database trusts the gateway’s certificate alone, under the names that are in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nss-test-'))
  // Serial numbers are random, and half of them need a leading zero.
  for (let n = 0; n < 16; n++) {
    const authority = await openAuthority({ stateDir: join(folder, String(n)) })
    const path = join(folder, `${n}.db`)
    writeFileSync(path, nssDatabase(await mergedAuthorities(authority)))
    using database = new DatabaseSync(path, { readOnly: true })
    const rows = database.prepare('SELECT * FROM nssPublic ORDER BY id').all()
    const der = Buffer.from(authority.certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
    const bytes = (value: unknown) => Buffer.from(value as Uint8Array)
    const [certificate, trust] = rows
    assert.equal(rows.length, 2)
    assert.deepEqual(bytes(certificate?.a11), der)
    for (const name of ['a81', 'a82']) {
      assert.deepEqual(trust?.[name], certificate?.[name])
      assert.ok(der.includes(bytes(trust?.[name])), name)
    }
    // The serial number comes right after the version.
    assert.equal(der.indexOf(bytes(trust?.a82)), der.indexOf(Buffer.from('a003020102', 'hex')) + 5)
    assert.equal(bytes(trust?.ace536358).toString('hex'), 'ce534352')
  }
  rmSync(folder, { recursive: true })
})
