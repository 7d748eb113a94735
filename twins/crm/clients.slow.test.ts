import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveCrm } from './testing/world.ts'

const run = promisify(execFile)
const here = (name: string): string => fileURLToPath(new URL(`./testing/${name}`, import.meta.url))

describe('the vendor’s own library', () => {
  it('connects with @salesforce/core, which asks its usual questions first', async () => {
    await using host = await serveCrm()
    const home = await mkdtemp(join(tmpdir(), 'crm-core-'))
    try {
      const { stdout } = await run(process.execPath, [here('core.mjs'), host.baseUrl, host.token], {
        env: {
          PATH: process.env.PATH,
          HOME: home,
          SF_USE_GENERIC_UNIX_KEYCHAIN: 'true',
          SF_DISABLE_TELEMETRY: 'true',
          SFDX_DISABLE_DNS_CHECK: 'true',
        },
        timeout: 60_000,
      })
      const learned = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
      assert.deepEqual(learned.names, ['Acme Foods', 'Borealis Energy', "Cobalt & O'Brien", 'Delta Clinics'])
      assert.deepEqual([learned.maximum, learned.devHub, learned.success], ['67.0', false, true])
      assert.deepEqual(host.failures, [])
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})
