import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { zipOf } from '../../server/src/bridges/zip.ts'
import { eventually } from '../../test/eventually.ts'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const slow = 60_000

const search = async (page: Page, text: string, wanted: RegExp) => {
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search or run a command…').fill(text)
  await page.getByRole('option', { name: wanted }).first().click()
}

describe('finding things in the console', { skip: cannotRun() }, () => {
  it('goes by the palette to tasks, scorers, trials, twins, people and records', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    const { body: alone } = await service.call('POST', '/v1/twins', { service: 'crm' })
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['careless@1.0.0'],
    })
    await eventually(
      async () => (await service.call('GET', `/v1/backtests/jobs/${job.id}`)).body.finished_at !== null,
      'the evaluation did not finish',
    )
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/settings`)
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await search(page, 'escalate calder', /Escalate the Calder Valley case.*task of/)
      await page.waitForURL(new RegExp(`/suites/${suiteId}\\?edit=`))
      await search(page, 'escalate careless', /Escalate the Calder Valley case.*trial of careless/)
      await page.getByRole('region', { name: 'Scores' }).waitFor()
      await search(page, 'standalone', /CRM.*standalone twin, running/)
      await page.waitForURL(new RegExp(`/twins/${alone.id}/records`))
      await search(page, 'imogen hale user', /Imogen Hale.*user in Chat/)
      await page.waitForURL(/chat\?collection=user/)
      await search(page, 'turbidity', /Turbidity|00001001|FW-/)
      await page.waitForURL(/record=/)
      await search(page, 'taken over', /Issue taken over.*scorer/)
      await page.getByRole('button', { name: 'Save a new version' }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('goes by j, k and Enter, by a click anywhere in a row, and lists standalone twins', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await furnish(service)
    const { body: alone } = await service.call('POST', '/v1/twins', { service: 'erp' })
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/worlds`)
      await page.getByText('Standalone twins').waitFor()
      await page.getByRole('link', { name: /Fernwright Instruments/ }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Fernwright Instruments', level: 1 }).waitFor()
      await page.goto(`${service.baseUrl}/worlds`)
      await page.getByRole('cell', { name: alone.id }).click()
      await page.waitForURL(new RegExp(`/twins/${alone.id}/`))
      for (const [path, address] of [
        ['/suites', /\/suites\/ste_/],
        ['/agents', /\/agents\/care/],
      ] as const) {
        await page.goto(service.baseUrl + path)
        await page.locator('[data-list-row]').first().waitFor()
        await page.keyboard.press('j')
        await page.keyboard.press('Enter')
        await page.waitForURL(address)
      }
      await page.goto(`${service.baseUrl}/nowhere/at/all`)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('registers agents of any kind; forms focus their first field and Ctrl+S saves', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/agents/new`)
      await page.getByLabel('Name').waitFor()
      await page.keyboard.type(`echo-${theme}`)
      await page.getByLabel('Kind').selectOption('A command alone')
      await page.getByLabel('Command').fill('echo done > $WORK_DIR/output.txt')
      await page.keyboard.press('Control+s')
      await page.getByRole('heading', { name: `echo-${theme}` }).waitFor({ timeout: slow })
      await page.goto(`${service.baseUrl}/agents/new`)
      await page.getByLabel('Name').fill(`model-${theme}`)
      await page.getByLabel('Kind').selectOption('A model alone, with the tools of the world')
      await page.getByLabel('Model', { exact: true }).fill('small-model')
      await page.getByLabel('Instructions').fill('Be brief.')
      await page.getByLabel('Provider').selectOption('openai')
      await page.getByRole('button', { name: 'Register' }).click()
      await page.getByRole('heading', { name: `model-${theme}` }).waitFor({ timeout: slow })
    })
    const { body } = await service.call('GET', '/v1/agents/model-dark/versions/1.0.0')
    assert.equal(body.run.kind, 'chat')
    assert.deepEqual(seen.complaints, [])
  })

  it('registers agents from a folder and from a zip, and leaves out what was only installed', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const folder = mkdtempSync(join(tmpdir(), 'diorama-agent-'))
    const files = { 'agent.mjs': "import './lib/words.mjs'", 'lib/words.mjs': 'export {}' }
    mkdirSync(join(folder, 'lib'))
    mkdirSync(join(folder, 'node_modules'))
    for (const [path, text] of Object.entries({ ...files, 'node_modules/much.js': '' }))
      writeFileSync(join(folder, path), text)
    const zip = { name: 'agent.zip', mimeType: 'application/zip', buffer: zipOf(Object.entries(files)) }
    const register = async (name: string, choose: () => Promise<void>) => {
      await page.goto(`${service.baseUrl}/agents/new`)
      await page.getByLabel('Name').fill(name)
      await choose()
      await page.getByText('2 files').waitFor()
      assert.equal(await page.getByLabel('Command').inputValue(), 'node agent.mjs')
      await page.getByRole('button', { name: 'Register' }).click()
      await page.getByRole('heading', { name }).waitFor({ timeout: slow })
      const { body } = await service.call('GET', `/v1/agents/${name}/versions/1.0.0`)
      assert.deepEqual(body.files, files)
    }
    await inBothThemes(page, async (theme) => {
      await register(`folder-${theme}`, () => page.getByLabel('Folder').setInputFiles(folder))
      await register(`zip-${theme}`, () => page.getByLabel('Zip file, or single files').setInputFiles(zip))
    })
    rmSync(folder, { recursive: true })
    assert.deepEqual(seen.complaints, [])
  })

  it('shows that the service cannot be reached, and goes on when it can', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/suites`)
      await page.getByRole('heading', { name: 'Suites', level: 1 }).waitFor()
      await page.context().setOffline(true)
      await page.getByRole('link', { name: 'Telemetry' }).click()
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor({ timeout: slow })
      await page.getByText('Connection lost').waitFor({ timeout: slow })
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await page.getByRole('heading', { name: 'Telemetry', level: 1 }).waitFor({ timeout: slow })
    })
    assert.deepEqual(seen.complaints, [])
  })
})
