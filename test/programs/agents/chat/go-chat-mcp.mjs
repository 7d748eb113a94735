// Windows such as `90d` count from the machine's time, not the story's, so that pages are asked for by number.
// The most used MCP server for chat, a program in Go that decodes answers into typed structures.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'
import { shows } from '../tracker/tracker.mjs'

const { tool, toolRefused, names, close } = await openServer('./slack-mcp-server', ['--transport', 'stdio'], {
  SLACK_MCP_XOXP_TOKEN: process.env.SLACK_USER_TOKEN,
  SLACK_MCP_XOXB_TOKEN: '',
  SLACK_MCP_ADD_MESSAGE_TOOL: 'true',
  SLACK_MCP_REACTION_TOOL: 'true',
  SLACK_MCP_ATTACHMENT_TOOL: 'true',
  SLACK_MCP_MARK_TOOL: 'true',
  SLACK_MCP_LOG_LEVEL: 'error',
  HOME: process.env.WORK_DIR,
})
const has = (name) => names.includes(name)
await tool('channels_list', { channel_types: 'public_channel,private_channel' }, shows(/#general/, /#pumps/))
await tool('channels_list', { channel_types: 'public_channel', limit: 2 }, shows(/#/))
await tool('channels_list', { channel_types: 'im' }, shows(/./))
for (const channel_id of ['#general', '#pumps'])
  for (const limit of ['1', '2', '50'])
    await tool('conversations_history', { channel_id, limit }, shows(/MsgID|msgID|UserID/i))
await tool('conversations_history', { channel_id: '#pumps', limit: '50' }, shows(/invoices are late/))
const history = JSON.stringify(
  await tool('conversations_history', { channel_id: '#pumps', limit: '50' }, shows(/late/)),
)
const ts = /(\d{10}\.\d{6})[^\n]*?invoices/.exec(history.replaceAll('\\n', '\n'))?.[1] ?? ''
await tool(
  'conversations_replies',
  { channel_id: '#pumps', thread_ts: ts, limit: '50' },
  shows(/Asking the supplier/),
)
await tool('conversations_search_messages', { search_query: 'invoices' }, shows(/late/))
await tool(
  'conversations_search_messages',
  { filter_in_channel: '#pumps', search_query: 'supplier' },
  shows(/supplier/),
)
await tool(
  'conversations_search_messages',
  { filter_users_from: '@dev', search_query: 'P-200' },
  shows(/late/),
)
await tool(
  'conversations_add_message',
  { channel_id: '#general', text: 'From **Go**' },
  shows(/posted message/),
)
await tool(
  'conversations_add_message',
  { channel_id: '#pumps', thread_ts: ts, text: 'In the thread' },
  shows(/posted message/),
)
if (has('reactions_add')) {
  await tool('reactions_add', { channel_id: '#pumps', timestamp: ts, emoji: 'eyes' }, shows(/./))
  await toolRefused(
    'reactions_add',
    { channel_id: '#pumps', timestamp: ts, emoji: 'eyes' },
    /already_reacted/,
  )
  await tool('reactions_remove', { channel_id: '#pumps', timestamp: ts, emoji: 'eyes' }, shows(/./))
}
if (has('users_search')) await tool('users_search', { query: 'lucia' }, shows(/Luc/))
if (has('usergroups_list')) await tool('usergroups_list', {}, shows(/./))
if (has('conversations_mark')) await tool('conversations_mark', { channel_id: '#pumps', ts }, shows(/./))
await toolRefused('conversations_history', { channel_id: '#nonsuch', limit: '1' }, /not found|nonsuch/)
await close()
finish()
