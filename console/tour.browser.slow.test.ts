import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { cannotRun, furnish, keepPicture, visit } from './testing.ts'
import { openChat, picture } from './testing-chat.ts'

const skip = cannotRun()
const slow = 60_000

describe('the console in a browser', { skip }, () => {
  it('launches the sample company and shows its story', async () => {
    await using seen = await visit()
    const { page } = seen
    await page.getByRole('link', { name: 'Launch a world' }).click()
    await page.getByText('Valid blueprint').waitFor()
    await page.getByRole('button', { name: 'Launch' }).click()
    await page.getByRole('heading', { name: 'Fernwright Instruments', level: 1 }).waitFor({ timeout: slow })
    await page.getByRole('link', { name: 'The case about it.' }).click()
    await page.getByRole('heading', { name: /00001001 · Turbidity readings drift/ }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('shows what an agent changes as it happens, and who did it', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    await page.goto(`${service.baseUrl}/worlds/${worldId}/chat`)
    await page.getByRole('button', { name: 'orders' }).click()
    await page.getByRole('heading', { name: '#orders' }).waitFor()
    const { baseUrl, token } = twin('chat')
    await fetch(`${baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'orders', text: 'The probes leave on Friday.' }),
    })
    const message = page.locator('.message', { hasText: 'The probes leave on Friday.' })
    await message.waitFor({ timeout: 60_000 })
    assert.match((await message.getAttribute('class')) ?? '', /is-fresh/)
    await message.getByRole('button', { name: 'New' }).click()
    await page.getByText('chat.postMessage').waitFor()
    await page.getByRole('link', { name: 'Ledger' }).click()
    await page.getByText('created message The probes leave on Friday.').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('shows what was shared in a chat, who reacted, and its threads', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const chat = openChat(twin('chat'))
    const { channel = '', ts = '' } = await chat.ask('chat.postMessage', {
      channel: 'orders',
      text: 'The probes leave on Friday.',
    })
    await chat.ask('reactions.add', { channel, timestamp: ts, name: 'eyes' })
    await chat.ask('chat.postMessage', { channel, thread_ts: ts, text: 'Packed and labelled.' })
    await chat.share(channel, 'readings.png', picture(40, 30))
    await page.goto(`${service.baseUrl}/worlds/${worldId}/chat?channel=${channel}`)
    await page.getByText(/^eyes from /).waitFor({ state: 'attached' })
    const file = page.locator('.shared-file', { hasText: 'readings.png' })
    await file.getByText(/^PNG · \d+ B$/).waitFor()
    await file.getByRole('button', { name: 'Show readings.png' }).click()
    const shown = file.getByRole('img', { name: 'readings.png' })
    await shown.waitFor()
    assert.equal(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth), 40)
    const saved = page.waitForEvent('download')
    await file.getByRole('button', { name: 'Save readings.png' }).click()
    assert.equal((await saved).suggestedFilename(), 'readings.png')
    await page.getByRole('button', { name: '1 reply' }).click()
    await page.getByRole('complementary', { name: 'Thread' }).getByText('Packed and labelled.').waitFor()
    await keepPicture(page, 'chat-thread')
    assert.deepEqual(seen.complaints, [])
  })

  it('says where a long collection was cut, and goes on when asked', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId } = await furnish(service)
    // Pages of one record are used in place of pages of two hundred: the first 25 are fetched in one go.
    await page.route('**/state?collection=message&*', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    )
    await page.goto(`${service.baseUrl}/worlds/${worldId}/chat`)
    await page.getByText('Showing the first 25 messages.').waitFor()
    const note = page.getByText(/^Showing the first/)
    for (let n = 0; n < 40 && (await note.count()) > 0; n++) {
      const told = await note.innerText()
      await page.getByRole('button', { name: 'Load more' }).click()
      // The message goes away only when more has arrived; then the button is itself again, or gone.
      await page.getByText(told, { exact: true }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Loading…' }).waitFor({ state: 'detached' })
    }
    assert.equal(await note.count(), 0)
    assert.deepEqual(seen.complaints, [])
  })

  it('follows an evaluation where its stream cannot be had', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    await page.route('**/v1/backtests/jobs/*/stream*', (route) => route.abort())
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['careful@1.0.0'],
    })
    await page.goto(`${service.baseUrl}/evaluations/${job.id}`)
    await page.getByText('4 of 4 trials').waitFor({ timeout: slow })
    assert.deepEqual(seen.complaints, [])
  })

  it('runs a comparison and shows why a trial failed', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    await page.goto(`${service.baseUrl}/evaluations/new?suite=${suiteId}`)
    await page.getByLabel('Mode').selectOption('compare')
    await page.getByLabel('careless@1.0.0').check()
    await page.getByLabel('careful@1.0.0').check()
    await page.getByText('8 trials').waitFor()
    const streamed = page.waitForRequest(/\/v1\/backtests\/jobs\/[^/]+\/stream/)
    await page.getByRole('button', { name: 'Start' }).click()
    await streamed
    await page.getByText('8 of 8 trials').waitFor({ timeout: slow })
    await page.getByRole('heading', { name: 'Compared with careless@1.0.0' }).waitFor()
    await keepPicture(page, 'comparison')
    await page
      .getByRole('button', { name: 'careless@1.0.0, Escalate the Calder Valley case, repeat 1: failed' })
      .click()
    await page.getByRole('link', { name: 'Open the trial' }).click()
    await page.getByRole('region', { name: 'Scores' }).getByText('nobody posted the case number').waitFor()
    await page.getByRole('tab', { name: 'World diff' }).click()
    await page.getByRole('heading', { name: 'Updated Case 00001001' }).waitFor()
    await keepPicture(page, 'trial')
    const [trajectory] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download trajectory' }).click(),
    ])
    assert.match(await text(await trajectory.createReadStream()), /"schema_version":"ATIF-v1.7"/)
    await page.getByRole('link', { name: 'Fernwright Instruments', exact: true }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Download').selectOption('JUnit'),
    ])
    assert.match(await text(await saved.createReadStream()), /<testsuite /)
    await page.getByRole('button', { name: 'Rescore' }).click()
    await page.getByRole('dialog').getByLabel('Issue taken over').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Rescore' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached', timeout: slow })
    await page.getByText('8 of 8 trials').waitFor({ timeout: slow })
    assert.deepEqual(seen.complaints, [])
  })

  it('tests a scorer on the bench before it is saved', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await page.goto(`${service.baseUrl}/scorers/new`)
    await page.getByLabel('Name').fill('Names the case')
    await page.getByLabel('Code of the scorer').waitFor()
    await page.getByRole('button', { name: 'Run the scorer' }).click()
    await page.getByText('1.00').waitFor({ timeout: slow })
    await page.getByLabel('Output').fill('I do not know.')
    await page.getByRole('button', { name: 'Run the scorer' }).click()
    await page.getByText('0.00').waitFor({ timeout: slow })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Names the case' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('tests a scorer that reads the world on a world as it is now', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await furnish(service)
    const code =
      'from world_state import world\ndef handler(*_):\n    return 1 if world.records("chat", "user") and not world.diff() else 0\n'
    const { body } = await service.call('POST', '/v1/scorers', {
      name: 'Untouched',
      kind: 'code',
      language: 'python',
      code,
    })
    await page.goto(`${service.baseUrl}/scorers/${body.id}`)
    await page.getByText('This scorer reads the world. Choose one.').waitFor()
    await page.getByLabel('World').selectOption({ label: 'Fernwright Instruments, as it is now' })
    await page.getByRole('button', { name: 'Run the scorer' }).click()
    await page.getByText('1.00').waitFor({ timeout: slow })
    await keepPicture(page, 'scorer-bench')
    assert.deepEqual(seen.complaints, [])
  })

  it('creates a key that works, shows it once, and revokes it', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await page.goto(`${service.baseUrl}/settings`)
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('ci')
    await page.getByLabel('Read worlds').check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = (await page.getByTestId('secret').textContent()) ?? ''
    assert.equal((await service.call('GET', '/v1/builder/worlds', undefined, { key })).status, 200)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke ci' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoke ci' }).waitFor({ state: 'detached' })
    assert.equal((await service.call('GET', '/v1/builder/worlds', undefined, { key })).status, 401)
    assert.ok(!(await page.content()).includes(key))
    assert.deepEqual(seen.complaints, [])
  })

  it('is found and moved through by keyboard', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const { baseUrl, token } = twin('chat')
    for (const method of ['auth.test', 'users.list'])
      await fetch(`${baseUrl}/api/${method}`, { headers: { authorization: `Bearer ${token}` } })
    await page.goto(`${service.baseUrl}/worlds/${worldId}/ledger`)
    await page.getByText('auth.test').first().waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'users.list' }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'auth.test' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('heading', { name: 'Suites', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('telemetry')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Telemetry' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })
})
