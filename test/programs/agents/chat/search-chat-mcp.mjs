// A server that searches and reads threads with the token of a person.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'

const { tool, close } = await openServer('node', ['server.mjs'], {
  SLACK_AUTH_USER_TOKEN: process.env.SLACK_USER_TOKEN,
  SLACK_SEARCH_CHANNELS: 'general,pumps',
})
const shown = (answer) => JSON.stringify(answer)
for (const sortMessages of ['latest', 'oldest'])
  await tool(
    'search_messages',
    { query: 'invoices', includeThreads: true, sortMessages },
    (answer) => /invoices are late/.test(shown(answer)) && /Asking the supplier/.test(shown(answer)),
  )
for (const [query, expected] of [
  ['Build 41', /Build 41 passed/],
  ['Contoso', /Demo for Contoso/],
  ['"invoices are"', /P-200/],
  ['supplier', /Asking the supplier/],
])
  await tool('search_messages', { query }, (answer) => expected.test(shown(answer)))
await tool(
  'search_messages',
  { query: 'Secret discount' },
  (answer) => !/Secret discount for/.test(shown(answer)),
)
await tool(
  'search_messages',
  { query: 'nothing of the kind' },
  (answer) => !/"text":"[^"]/.test(shown(answer)),
)

const read = async (method, args) =>
  (
    await fetch(`https://slack.com/api/${method}?${new URLSearchParams(args)}`, {
      headers: { authorization: `Bearer ${process.env.SLACK_USER_TOKEN}` },
    })
  ).json()
const { channels } = await read('conversations.list', {})
const pumps = channels.find(({ name }) => name === 'pumps').id
const { messages } = await read('conversations.history', { channel: pumps })
const { ts } = messages.find(({ text }) => text.includes('invoices'))
await tool('get_message_thread', { channelId: pumps, ts }, (answer) =>
  /Asking the supplier/.test(shown(answer)),
)
await tool('get_message_thread', { channelId: pumps, ts, threadCount: 1 }, (answer) =>
  /Asking the supplier/.test(shown(answer)),
)
await close()
finish()
