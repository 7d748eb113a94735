import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Config } from '../server/src/config.ts'
import { type TestService, testService } from '../server/src/testing.ts'
import { findBrowser } from './install-browser.mjs'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const artifacts = here('../artifacts/console')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Why these tests cannot run here, or nothing. In CI nothing is passed over: what is missing fails. */
export const cannotRun = (): string | false => {
  if (process.env['CI']) return false
  execFileSync(process.execPath, [here('build.mjs')], { stdio: 'inherit' })
  if (!existsSync(here('dist/index.html'))) return 'the console cannot be built on this machine'
  return findBrowser() === undefined ? 'there is no Chromium; run node console/install-browser.mjs' : false
}

export interface Visit {
  readonly service: TestService
  readonly browser: Browser
  readonly page: Page
  /** What the page complained about: its own errors and violations of its content security policy. */
  readonly complaints: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Signs in to a fresh service with a real browser. */
export const visit = async (options: { service?: Partial<Config> } = {}): Promise<Visit> => {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error('There is no Chromium; run node console/install-browser.mjs.')
  const service = await testService(options.service)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const address = request.url()
    if (!address.startsWith(service.baseUrl) && !/^(data|blob):/.test(address))
      complaints.push(`asked ${address}`)
  })
  await page.goto(service.baseUrl)
  await page.getByLabel('API key').fill(service.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Worlds', level: 1 }).waitFor()
  return {
    service,
    browser,
    page,
    complaints,
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** Faults of the page that keep people out, as axe finds them under WCAG 2.1 A and AA. */
export const barriers = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const run: unknown = Reflect.get(Reflect.get(globalThis, 'axe'), 'run')
    if (typeof run !== 'function') throw new Error('axe did not load')
    const { violations } = await run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
    return violations.map(
      ({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
        `${id}: ${nodes[0]?.target.join(' ')}`,
    )
  })
}

export const keepPicture = async (page: Page, name: string): Promise<void> => {
  mkdirSync(artifacts, { recursive: true })
  await page.screenshot({ path: `${artifacts}/${name}.png` })
}

const source = (name: string) => readFileSync(here(`../examples/agents/${name}/agent.mjs`), 'utf8')

/** The sample company, and the two example agents. */
export const furnish = async ({ call }: TestService) => {
  const { body: blueprint } = await call('GET', '/v1/builder/blueprint.sample.json')
  const { body: world } = await call('POST', '/v1/builder/worlds', { blueprint })
  for (const name of ['careful', 'careless'])
    await call('POST', '/v1/agents/register', {
      name,
      version: '1.0.0',
      files: { 'agent.mjs': source(name) },
      run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
    })
  const twin = (service: string): { id: string; token: string; baseUrl: string } =>
    world.twins.find((one: { service: string }) => one.service === service)
  return { worldId: String(world.world.id), suiteId: String(world.evaluation.taskSuiteId), twin }
}
