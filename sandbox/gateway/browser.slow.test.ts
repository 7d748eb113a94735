/** A real Chromium, driven as agents drive it, opens a host of the world and finds its certificate in order. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../open.ts'
import type { SandboxNetwork, SandboxOutcome } from '../sandbox.ts'
import { jobOf, limitsOf } from '../testing/conformance.ts'
import { mergedAuthorities, openAuthority } from './authority.ts'
import { openGateway } from './gateway.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const limits = limitsOf({ wallMs: 120_000, processes: 300, memoryBytes: 2 * 2 ** 30 })

const browseIn = async (
  choice: 'bubblewrap' | 'process',
  command: (network: SandboxNetwork) => string,
  files: Readonly<Record<string, string>> = {},
): Promise<SandboxOutcome & { asked: string[] }> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'browser-'))
  const opened = await openSandbox({ choice, stateDir, searchPath: process.env.PATH ?? '' })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  await using sandbox = opened.sandbox
  const authority = await openAuthority({ stateDir: join(stateDir, 'authority') })
  const asked: string[] = []
  await using gateway = await openGateway({
    authority,
    route: (host) => (host === 'service.example' ? { kind: 'twin', service: 'any' } : undefined),
    onRequest: async ({ host, path }) => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: `<p>saw ${host}${path}</p>`,
    }),
    onStep: ({ host, path }) => asked.push(`${host}${path}`),
    loopbackSecret: 'not-a-secret-in-a-test',
  })
  const { loopbackUrl } = gateway
  const network: SandboxNetwork = {
    gatewaySocket: gateway.socketPath,
    hosts: ['service.example'],
    authorities: await mergedAuthorities(authority),
    ...(loopbackUrl ? { gatewayUrl: loopbackUrl } : {}),
  }
  const readOnly = { [modules]: modules }
  const outcome = await sandbox.run(jobOf(command(network), { files, network, limits, readOnly }))
  rmSync(stateDir, { recursive: true })
  return { ...outcome, asked }
}

const executable = [
  process.env.CHROME_PATH ?? '',
  ...['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => `/usr/bin/${name}`),
].find((path) => path !== '' && existsSync(path))
const options = { skip: executable === undefined && 'there is no Chromium on this machine' }

test('Chromium in a trial trusts the hosts of the world, also when it starts again', options, async () => {
  const open = (page: string) => `${executable} --no-sandbox --dump-dom https://service.example/${page}`
  const { stdout, stderr, asked } = await browseIn('bubblewrap', () => `${open('first')}; ${open('second')}`)
  assert.match(stdout.text, /saw service\.example\/first.*saw service\.example\/second/s, stderr.text)
  assert.ok(asked.includes('service.example/first'))
})

for (const choice of ['bubblewrap', 'process'] as const)
  test(`Playwright in a trial opens a host of the world under ${choice}`, options, async () => {
    const program = `import { chromium } from ${JSON.stringify(`${modules}/playwright-core/index.mjs`)}
      const { username, password, protocol, host } = new URL(process.env.HTTPS_PROXY)
      const proxy = { server: protocol + '//' + host, ...(username ? { username, password } : {}) }
      const browser = await chromium.launch({ executablePath: ${JSON.stringify(executable)}, args: ['--no-sandbox'], proxy })
      const page = await browser.newPage()
      await page.goto('https://service.example/page')
      console.log(await page.textContent('p'))
      await browser.close()`
    const { stdout, stderr } = await browseIn(choice, () => 'node program.mjs', { 'program.mjs': program })
    assert.equal(stdout.text.trim(), 'saw service.example/page', stderr.text)
  })
