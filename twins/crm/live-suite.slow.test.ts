import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { prepareSuite } from './testing/judges/live-suite.ts'
import { customization, section } from './testing/world.ts'
import { crmTwin } from './twin.ts'

/** Where a checkout of github.com/jsforce/jsforce lies; its tests are not ours to keep. */
const checkout = process.env.JSFORCE_CHECKOUT

/** What the suites ask for beyond what the twin emulates, and why. */
const beyond: readonly (readonly [name: RegExp, why: string])[] = [
  [/layout|list ?view|\btabs?\b|theme|^misc metadata$/i, 'not emulated, and answered with the service’s 404'],
  [/identity/i, 'wants an https address, and the twin is served over http here'],
  [/^convert and merge$|convert leads? |^should merge records$/i, 'reads the metadata API first'],
]
const isBeyond = (name: string): boolean => beyond.some(([pattern]) => pattern.test(name))

const suites = ['connection-crud', 'connection-meta', 'query', 'sobject', 'bulk', 'bulk2', 'soap']

/** An organization as the suites want it: a table to upsert into, and one of 25,000 rows. */
const organization = () =>
  crmTwin({
    ...customization,
    objects: [...(customization.objects ?? []), { name: 'BigTable__c', label: 'Big Table', fields: [] }],
    records: { BigTable__c: Array.from({ length: 25_000 }, (_, n) => ({ Name: `Row ${n}` })) },
  })

interface Outcome {
  readonly passed: number
  readonly failed: readonly string[]
  readonly output: string
}

const runSuite = (file: string, host: { baseUrl: string; token: string }): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], {
      env: {
        PATH: process.env.PATH,
        SF_LOGIN_URL: host.baseUrl,
        SF_ACCESS_TOKEN: host.token,
        CLIENT_PACKAGES: fileURLToPath(import.meta.url),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    child.on('error', reject)
    child.on('close', () => {
      const failures = [...output.matchAll(/^ *not ok \d+ - (.*?)( # .*)?$/gm)]
      resolve({
        passed: Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0),
        failed: failures.map(([, name = '']) => name),
        output,
      })
    })
  })

describe('jsforce’s own tests of a live organization', { skip: checkout === undefined }, () => {
  for (const suite of suites)
    it(`${suite} passes`, { timeout: 600_000 }, async (context) => {
      await using host = await serveTwin(organization(), section)
      const started = performance.now()
      const ticking = setInterval(() => {
        host.clock.now = Date.parse('2026-03-02T09:00:00.000Z') + performance.now() - started
      }, 10)
      const folder = await mkdtemp(join(tmpdir(), 'crm-suite-'))
      try {
        await prepareSuite(checkout ?? '', folder)
        const { passed, failed, output } = await runSuite(join(folder, `${suite}.test.mjs`), host)
        context.diagnostic(`${suite}: ${passed} passed, ${failed.filter(isBeyond).length} beyond the twin`)
        const unexpected = failed.filter((name) => !isBeyond(name))
        assert.deepEqual(unexpected, [], output)
        assert.ok(passed > 0, output)
        assert.deepEqual(host.failures, [])
      } finally {
        clearInterval(ticking)
        await rm(folder, { recursive: true, force: true })
      }
    })
})
