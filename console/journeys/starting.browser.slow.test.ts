import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { barriers, cannotRun, visit } from '../testing.ts'
import { inBothThemes, inTheme, themes } from './both-themes.ts'

const slow = 180_000

describe('starting with the console alone', { skip: cannotRun() }, () => {
  for (const theme of themes)
    it(`runs the demo with one click and shows which agent failed, in the ${theme}`, async () => {
      await using seen = await visit()
      const { page } = seen
      await inTheme(page, theme, async () => {
        await page.getByRole('button', { name: 'Launch Fernwright Instruments' }).waitFor({ timeout: slow })
        assert.ok((await page.getByRole('button', { name: /^Launch / }).count()) >= 6)
        assert.deepEqual(await barriers(page), [])
        await page.getByRole('button', { name: 'Run the demo' }).click()
        await page
          .getByRole('heading', { name: 'Demo: careless and careful', level: 1 })
          .waitFor({ timeout: slow })
        await page.getByText('8 of 8 trials').waitFor({ timeout: slow })
        await page.getByRole('row', { name: /careless@1.0.0 Failed/ }).waitFor()
        await page.getByRole('row', { name: /careful@1.0.0 Passed/ }).waitFor()
      })
      assert.deepEqual(seen.complaints, [])
    })

  it('edits a company by form and as JSON, and keeps the order of its keys', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { body: sample } = await service.call('GET', '/v1/builder/blueprint.sample.json')
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/new?view=form`)
      const form = page.getByRole('form', { name: 'Blueprint' })
      await form.getByLabel('Name', { exact: true }).fill(`Company in the ${theme}`, { timeout: slow })
      await form.getByText('Identities').click()
      await form.getByText('Tomás Rivera').click()
      await form.getByLabel('Last name').fill('Riviera')
      await form.getByText('Twins', { exact: false }).first().click()
      await form.getByText('Chat', { exact: true }).first().click()
      await form.getByText('Channels').click()
      await form.getByText('firmware').first().waitFor()
      await page.getByRole('button', { name: 'JSON' }).click()
      await page.getByRole('textbox', { name: 'Blueprint' }).getByText(`"Company in the ${theme}"`).waitFor()
      await page.getByRole('button', { name: 'Form' }).click()
      await page.getByText('Valid blueprint').waitFor({ timeout: slow })
      assert.equal(await form.getByLabel('Name', { exact: true }).inputValue(), `Company in the ${theme}`)
    })
    await page.getByRole('button', { name: 'Launch', exact: true }).click()
    await page.getByRole('heading', { name: 'Company in the dark', level: 1 }).waitFor({ timeout: slow })
    await page.getByText('Tomás Riviera').waitFor()
    const { body } = await service.call('GET', '/v1/builder/worlds')
    const { body: made } = await service.call('GET', `/v1/builder/worlds/${body.items[0].id}`)
    const [, person] = sample.identities
    const wanted = {
      ...sample,
      name: 'Company in the dark',
      identities: sample.identities.with(1, { ...person, lastName: 'Riviera' }),
    }
    assert.equal(JSON.stringify(made.world.blueprint), JSON.stringify(wanted))
    assert.deepEqual(seen.complaints, [])
  })
})
