import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import bolt from '@slack/bolt'
import { freePort, openChat } from '../server/src/deliveries/testing-chat.ts'
import { testService } from '../server/src/testing.ts'
import { eventually } from '../test/eventually.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

it('a bot on a laptop is called by `twin forward`, where the service itself may call no one', async () => {
  await using service = await testService({ deliveryAllow: [] })
  const chat = await openChat(service)
  const port = await freePort()
  const app = new bolt.App({
    token: chat.token,
    signingSecret: chat.settings.credentials.signing_secret,
    logLevel: bolt.LogLevel.ERROR,
    clientOptions: { slackApiUrl: chat.apiUrl },
  })
  app.message(/pumps/, async ({ say }) => void (await say('On it')))
  await app.start(port)
  const forward = spawn(
    process.execPath,
    [main, 'twin', 'forward', chat.id, '--to', `http://127.0.0.1:${port}`],
    { env: { PATH: process.env.PATH, DIORAMA_BASE_URL: service.baseUrl, DIORAMA_API_KEY: service.key } },
  )
  const ended = once(forward, 'close')
  let shown = ''
  forward.stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  try {
    const settings = {
      event_subscriptions: {
        request_url: 'https://bot.example.com/slack/events',
        bot_events: ['message.channels'],
      },
    }
    await eventually(() => shown.includes('Stop with Ctrl-C'))
    await eventually(async () => {
      // The command has announced itself before it has connected: until then the challenge fails.
      await chat.configure({ settings })
      return eventually(async () => {
        const { body } = await service.call('GET', `${chat.base}/settings`)
        return body.request_url_status === 'pending' ? false : body.request_url_status
      }).then((status) => status === 'verified')
    })
    await chat.say(chat.channel, 'Where are the pumps?')
    await eventually(async () => (await chat.history(chat.channel)).includes('On it'))
    await eventually(() => shown.includes(`message.channels http://127.0.0.1:${port}/slack/events 200`))
  } finally {
    forward.kill('SIGINT')
    await app.stop()
  }
  const [status] = await ended
  assert.equal(status, 130, shown)
})
