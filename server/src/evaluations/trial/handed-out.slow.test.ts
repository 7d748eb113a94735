import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of several routes.
type Body = any

/** Uses every credential that it finds the way a program does, and hands in what came back. */
const agent = `
const { writeFileSync } = require('fs')
const env = process.env
const chat = async (method, token, args = {}) =>
  (await fetch('https://slack.com/api/' + method, { method: 'POST', headers: { authorization: 'Bearer ' + token }, body: new URLSearchParams(args) })).json()
const main = async () => {
  const seen = {}
  seen.bot = (await chat('auth.test', env.SLACK_BOT_TOKEN)).bot_id !== undefined
  seen.person = (await chat('auth.test', env.SLACK_USER_TOKEN)).user
  seen.found = (await chat('search.messages', env.SLACK_USER_TOKEN, { query: 'Calder' })).ok
  seen.socket = (await chat('apps.connections.open', env.SLACK_APP_TOKEN)).ok
  seen.webhook = await (await fetch(env.SLACK_WEBHOOK_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"By webhook"}' })).text()
  const login = { grant_type: 'password', client_id: 'x', client_secret: 'y', username: env.SF_USERNAME, password: env.SF_PASSWORD }
  const granted = await (await fetch('https://login.salesforce.com/services/oauth2/token', { method: 'POST', body: new URLSearchParams(login) })).json()
  seen.crm = granted.access_token === env.SF_ACCESS_TOKEN
  const basic = Buffer.from(env.SAP_USERNAME + ':' + env.SAP_PASSWORD).toString('base64')
  seen.erp = (await fetch(env.SAP_BASE_URL + '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$top=1', { headers: { authorization: 'Basic ' + basic, accept: 'application/json' } })).status
  for (let n = 0; n < 2; n++) await chat('dialog.open', env.SLACK_BOT_TOKEN, { dialog: '{}', trigger_id: '1' })
  await chat('rtm.connect', env.SLACK_BOT_TOKEN)
  writeFileSync(env.WORK_DIR + '/output.txt', JSON.stringify(seen))
}
main()
`

describe('what a trial hands out, and what its twins lacked', () => {
  let service: TestService
  let trial: Body
  let job: Body
  before(async () => {
    service = await testService()
    const { world } = await launchSample(service)
    const { environmentVersionId } = world.evaluation
    const scorers = [pythonScorer('never', 'return 0')]
    const suite = await createSuite(service, { scorers, environmentVersionId })
    const run = { command: ['node', 'agent.cjs'], network: 'world' as const }
    const agents = [await registerCommand(service, 'asker', run, { 'agent.cjs': agent })]
    const ran = await runToEnd(service, { task_suite_id: suite, agents }, { looks: 20_000 })
    job = ran.job
    const path = `/v1/backtests/jobs/${job.id}/trials/${ran.trials[0].id}`
    trial = (await service.call('GET', path)).body
  })
  after(() => service[Symbol.asyncDispose]())

  it('credentials of every kind that programs use, each of them good', () => {
    assert.deepEqual(JSON.parse(trial.output ?? 'null'), {
      bot: true,
      person: 'imogen.hale',
      found: true,
      socket: true,
      webhook: 'ok',
      crm: true,
      erp: 200,
    })
  })

  it('calls that a twin lacks are counted on the trial and named among the reasons of its verdict', async () => {
    const lacked = [
      { service: 'chat', operation: 'dialog.open', count: 2 },
      { service: 'chat', operation: 'rtm.connect', count: 1 },
    ]
    assert.deepEqual(trial.not_emulated, lacked)
    const { items } = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)).body
    assert.deepEqual(items[0].not_emulated, lacked)
    const report = await service.call('GET', `/v1/backtests/jobs/${job.id}/results.md`)
    assert.match(report.text, /the chat twin lacked dialog\.open/)
  })
})
