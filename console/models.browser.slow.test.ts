import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createSuite,
  pythonScorer,
  registerCommand,
  runToEnd,
} from '../server/src/evaluations/testing-runs.ts'
import { type Asked, openStandIn, type Scripted } from '../server/src/models/testing.ts'
import { inBothThemes } from './journeys/both-themes.ts'
import { barriers, cannotRun, keepPicture, visit } from './testing.ts'

const skip = cannotRun()
const key = 'sk-typed-into-the-console'

const agentCode = (question: string) => `
import { writeFileSync } from 'node:fs'
const reply = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'small', messages: [
    { role: 'system', content: 'You name colours.' }, { role: 'user', content: ${JSON.stringify(question)} },
  ] }),
})
writeFileSync(process.env.WORK_DIR + '/output.txt', (await reply.json()).choices[0].message.content)
`

const says = ({ body }: Asked): Scripted => {
  const text = JSON.stringify(body.messages)
  if (!body.response_format)
    return { text: text.includes('OK') ? 'OK' : 'It is blue.', usage: { input: 1_000, output: 100 } }
  return { text: JSON.stringify({ score: text.includes('grey') ? 0 : 1, rationale: 'By its colour.' }) }
}

describe('models in the console', { skip }, () => {
  it('have providers with write-only keys, calls on the time axis, prompts side by side and calibrated judges', async () => {
    await using standIn = await openStandIn(says)
    await using seen = await visit({
      service: {
        judgeModel: 'openai/small',
        models: {
          ...{ providers: {}, prices: {}, timeoutMs: 10_000 },
          privateHosts: [new URL(standIn.baseUrl).host],
        },
      },
    })
    const { page, service } = seen

    await inBothThemes(page, async (theme) => {
      // The trials below ask the first one; the other is made in the dark.
      const name = theme === 'light' ? 'openai' : 'second'
      await page.goto(`${service.baseUrl}/settings`)
      await page.getByRole('button', { name: 'Add a provider' }).click()
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByLabel('Base URL').fill(standIn.baseUrl)
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByRole('button', { name: 'Add a price' }).click()
      await page.getByLabel('Model 1', { exact: true }).fill('small')
      await page.getByLabel('input price of model 1').fill('1')
      await page.getByLabel('output price of model 1').fill('10')
      assert.deepEqual(await barriers(page), [], theme)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const test = page.getByRole('button', { name: `Test ${name}`, exact: true })
      await page.getByRole('row').filter({ has: test }).getByText('key stored').waitFor()
      await test.click()
      await page.getByRole('button', { name: 'Test the connection' }).click()
      await page.getByText('It answered').waitFor()
      assert.equal(standIn.asked.at(-1)?.headers.authorization, `Bearer ${key}`)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click()
      assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), '')
      assert.equal(await page.getByLabel('output price of model 1').inputValue(), '10')
      await page.getByLabel('Models', { exact: true }).fill('small')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const { body: stored } = await service.call('GET', `/v1/model-providers/${name}`)
      assert.deepEqual([stored.has_key, stored.models, stored.prices.small.output], [true, ['small'], 10])
      assert.ok(!(await page.content()).includes(key))
      await keepPicture(page, `model-providers-${theme}`)
    })

    const command = { command: ['node', 'agent.mjs'], network: 'world' } as const
    await registerCommand(service, 'asks', command, { 'agent.mjs': agentCode('What colour is it?') })
    await registerCommand(service, 'other', command, { 'agent.mjs': agentCode('Which hue has it?') })
    const suiteId = await createSuite(service, { scorers: [pythonScorer('Blue', 'return "blue" in output')] })
    const order = { task_suite_id: suiteId, agents: ['asks@1', 'other@1'], mode: 'compare' }
    const { job, trials } = await runToEnd(service, order)
    const place = (agent: string) => {
      const trial = trials.find((one) => one.agent === agent)
      assert.equal(trial.passed, true, JSON.stringify(trial))
      return `${job.id}/${trial.id}`
    }

    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/evaluations/${place('asks@1').replace('/', '/trials/')}`)
      const axis = page.getByRole('region', { name: 'Time axis' })
      await axis.getByRole('button', { name: /^openai\/small/ }).click()
      const call = page.getByRole('complementary', { name: 'Model call' })
      await call.getByRole('region', { name: 'Prompt' }).getByText('What colour is it?').waitFor()
      await call.getByRole('region', { name: 'Reply' }).getByText('It is blue.').waitFor()
      await call.getByText('1,000 in, 100 out').waitFor()
      await keepPicture(page, `model-call-${theme}`)
    })
    await inBothThemes(page, async (theme) => {
      await page.goto(
        `${service.baseUrl}/evaluations/compare/trials?a=${place('asks@1')}&b=${place('other@1')}`,
      )
      const prompts = page.getByRole('region', { name: 'Prompts' })
      await prompts.getByText('− What colour is it?').waitFor()
      await prompts.getByText('+ Which hue has it?').waitFor()
      await keepPicture(page, `prompts-${theme}`)
    })

    await page.goto(`${service.baseUrl}/evaluations/${job.id}`)
    await page
      .getByText(/Cost per pass: .*0\.002/)
      .first()
      .waitFor()

    const judge = await service.call('POST', '/v1/scorers', { name: 'Colour', passThreshold: 0.5 })
    await page.goto(`${service.baseUrl}/scorers/${judge.body.id}`)
    const lines = [
      { output: 'blue', label: 'pass' },
      { output: 'navy', label: 'pass' },
      { output: 'grey', label: 'fail' },
      { output: 'red', label: 'fail' },
    ]
    await page.getByLabel('Graded answers').fill(lines.map((line) => JSON.stringify(line)).join('\n'))
    await page.getByRole('button', { name: 'Calibrate' }).click()
    await page.getByTestId('kappa').getByText('0.50').waitFor()
    assert.match((await page.getByTestId('agreement').textContent()) ?? '', /75/)
    const matrix = page.getByRole('table', { name: 'Confusion matrix' })
    assert.deepEqual(await matrix.getByRole('cell').allTextContents(), ['2', '0', '1', '1'])
    assert.deepEqual(await barriers(page), [])
    await keepPicture(page, 'calibration')
    assert.deepEqual(seen.complaints, [])
  })
})
