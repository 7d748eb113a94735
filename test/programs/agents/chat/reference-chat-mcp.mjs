// The eight tools of the reference server, and of those made after it.
import { openServer } from '../mcp.mjs'
import { finish } from '../recorder.mjs'

const team = await (
  await fetch('https://slack.com/api/auth.test', {
    headers: { authorization: `Bearer ${process.env.SLACK_BOT_TOKEN}` },
  })
).json()
const { tool, close } = await openServer('node', ['server.mjs'], { SLACK_TEAM_ID: team.team_id })

const { channels } = await tool('slack_list_channels', {}, (answer) =>
  ['general', 'pumps'].every((name) => answer.channels.some((one) => one.name === name)),
)
const pumps = channels.find(({ name }) => name === 'pumps').id
const general = channels.find(({ name }) => name === 'general').id
await tool('slack_list_channels', { limit: 1 }, ({ channels: page }) => page.length === 1)
const { members } = await tool('slack_get_users', {}, (answer) =>
  answer.members.some(({ name }) => name === 'lucia'),
)
const page = await tool(
  'slack_get_users',
  { limit: 2 },
  (answer) => answer.response_metadata.next_cursor !== '',
)
await tool('slack_get_users', { limit: 2, cursor: page.response_metadata?.next_cursor }, (answer) =>
  answer.members.every(({ id }) => !page.members.some((one) => one.id === id)),
)
for (const { id, name } of members.filter((one) => !one.is_bot && one.id !== 'USLACKBOT'))
  await tool(
    'slack_get_user_profile',
    { user_id: id },
    ({ ok, profile }) => ok && profile.email.startsWith(name),
  )
await tool('slack_get_user_profile', { user_id: 'U0000000000' }, ({ error }) => error === 'user_not_found')
await tool(
  'slack_get_channel_history',
  { channel_id: pumps },
  ({ messages }) => messages[0].text === 'Build 41 passed',
)
await tool('slack_get_channel_history', { channel_id: pumps, limit: 1 }, ({ has_more }) => has_more === true)
await tool(
  'slack_get_channel_history',
  { channel_id: 'C0000000000' },
  ({ error }) => error === 'channel_not_found',
)
for (const [channel_id, text] of [
  [pumps, 'Over MCP'],
  [general, 'a < b & c'],
  [pumps, 'Second *bold* line'],
]) {
  const { ts } = await tool('slack_post_message', { channel_id, text }, ({ ok }) => ok)
  await tool('slack_reply_to_thread', { channel_id, thread_ts: ts, text: `Re: ${text}` }, ({ ok }) => ok)
  await tool('slack_add_reaction', { channel_id, timestamp: ts, reaction: 'eyes' }, ({ ok }) => ok)
  await tool(
    'slack_add_reaction',
    { channel_id, timestamp: ts, reaction: 'eyes' },
    ({ error }) => error === 'already_reacted',
  )
  await tool(
    'slack_add_reaction',
    { channel_id, timestamp: ts, reaction: 'nonsuch' },
    ({ error }) => error === 'invalid_name',
  )
  await tool(
    'slack_get_thread_replies',
    { channel_id, thread_ts: ts },
    ({ messages }) =>
      messages.length === 2 && messages[0].reply_count === 1 && messages[0].reactions[0].count === 1,
  )
}
await tool(
  'slack_post_message',
  { channel_id: 'C0000000000', text: 'x' },
  ({ error }) => error === 'channel_not_found',
)
await tool(
  'slack_get_thread_replies',
  { channel_id: pumps, thread_ts: '1.000001' },
  ({ error }) => error === 'thread_not_found',
)
await close()
finish()
