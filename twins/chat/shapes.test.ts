import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { squarePng } from './operations/files/picture.ts'
import { operations } from './operations/index.ts'
import { type ChatHost, startChat } from './testing/client.ts'
import { documentedMethods, lacking } from './testing/documented.ts'

type Args = Record<string, unknown>
type Who = 'bot' | 'mira' | 'dev' | 'lucia'

/** Documented fields that an answer may rightly lack, each with the reason. */
const exceptions: readonly (readonly [RegExp, string])[] = [
  [/^team\.info success team\.enterprise_/, 'the workspace belongs to no enterprise'],
  [
    /^chat\.(postMessage|stopStream) success message\.(username|subtype)/,
    'an app without a profile posted it',
  ],
  [/^chat\.scheduleMessage success post_at/, 'the types of the client say a number'],
  [
    /^chat\.scheduledMessages\.list success scheduled_messages\[\]\.id/,
    'the ids that scheduling gives are text',
  ],
  [/^conversations\.create success channel\.properties\.canvas/, 'a new channel has no canvas yet'],
  [
    /^conversations\.join success (warning|response_metadata)/,
    'the caller of the example was a member already',
  ],
  [/thumb_(360|480)_gif|deanimate_gif|pjpeg|thumb_480/, 'the picture is no animation, and small'],
  [/^search\.all success messages\.matches\[\]\.(next|previous)/, 'the reference calls them retired'],
  [/^usergroups\.list success usergroups\[\]\.user_count/, 'the types of the client say a number'],
  [/^users\.info success user\.profile\.image_original/, 'nobody has uploaded a photo'],
  [/^users\.list success members\[\]\.profile\.email/, 'bots have no address'],
  [/^files\.info success file\.shares.*(thread_ts|latest_reply)/, 'it was shared outside of a thread'],
  [/^stars\.list success items\[\]\.(channel|message)/, 'one of the items is a file'],
]

/** What the calls of one subject need. */
interface Run {
  readonly chat: ChatHost
  readonly call: (who: Who, method: string, args?: Args, variant?: string) => Promise<Args>
  readonly pumps: string
  readonly late: string
  readonly item: { readonly channel: string; readonly timestamp: string }
  readonly user: (handle: string) => string
  readonly post_at: number
}

const id = (value: unknown): string => String(Object(value).id)

const workspace = async ({ call }: Run): Promise<void> => {
  await call('bot', 'api.test')
  await call('bot', 'api.test', { foo: 'bar' }, 'success_with_params')
  await call('mira', 'auth.test')
  await call('bot', 'auth.test', {}, 'success_with_bot_token')
  await call('bot', 'auth.teams.list')
  await call('bot', 'blocks.validate', { blocks: [{ type: 'divider' }] })
  await call('bot', 'assistant.search.info')
  await call('bot', 'bots.info')
  await call('bot', 'emoji.list')
  await call('bot', 'team.info')
  await call('bot', 'team.profile.get')
  await call('bot', 'team.preferences.list')
  await call('bot', 'team.billing.info')
  await call('mira', 'team.billableInfo')
}

const bookmarks = async ({ call, pumps }: Run): Promise<void> => {
  const { bookmark } = await call('bot', 'bookmarks.add', {
    channel_id: pumps,
    title: 'Docs',
    type: 'link',
    link: 'https://docs.example',
    emoji: ':tada:',
  })
  await call('bot', 'bookmarks.edit', { channel_id: pumps, bookmark_id: id(bookmark), title: 'More' })
  await call('bot', 'bookmarks.list', { channel_id: pumps })
  await call('bot', 'bookmarks.remove', { channel_id: pumps, bookmark_id: id(bookmark) })
}

const canvases = async ({ call, pumps, user }: Run): Promise<void> => {
  const content = { type: 'markdown', markdown: '# One\n\nTwo' }
  const { canvas_id } = await call('bot', 'canvases.create', { title: 'C', document_content: content })
  await call('bot', 'canvases.sections.lookup', { canvas_id, criteria: { contains_text: 'two' } })
  const change = { operation: 'insert_at_end', document_content: content }
  await call('bot', 'canvases.edit', { canvas_id, changes: [change] })
  await call('bot', 'canvases.access.set', { canvas_id, access_level: 'read', user_ids: [user('dev')] })
  await call('bot', 'canvases.access.delete', { canvas_id, user_ids: [user('dev')] })
  await call('bot', 'canvases.delete', { canvas_id })
  await call('bot', 'conversations.canvases.create', { channel_id: pumps })
}

const messages = async ({ call, pumps, late, user, post_at }: Run): Promise<void> => {
  const posted = await call('bot', 'chat.postMessage', {
    channel: pumps,
    text: 'x',
    attachments: [{ text: 'y' }],
  })
  await call('bot', 'chat.update', { channel: pumps, ts: posted.ts, text: 'z' })
  await call('bot', 'chat.getPermalink', { channel: pumps, message_ts: late })
  await call('bot', 'chat.delete', { channel: pumps, ts: posted.ts })
  await call('bot', 'chat.meMessage', { channel: pumps, text: 'waves' })
  await call('bot', 'chat.postEphemeral', { channel: pumps, user: user('dev'), text: 'x' })
  const scheduled = await call('bot', 'chat.scheduleMessage', {
    channel: pumps,
    post_at,
    text: 'x',
    attachments: [{ text: 'y' }],
  })
  await call('bot', 'chat.scheduledMessages.list')
  const { scheduled_message_id } = scheduled
  await call('bot', 'chat.deleteScheduledMessage', { channel: pumps, scheduled_message_id })
  const stream = await call('bot', 'chat.startStream', {
    channel: pumps,
    thread_ts: late,
    markdown_text: 'a',
  })
  await call('bot', 'chat.appendStream', { channel: pumps, ts: stream.ts, markdown_text: 'b' })
  await call('bot', 'chat.stopStream', { channel: pumps, ts: stream.ts })
  const link = await call('bot', 'chat.postMessage', {
    channel: pumps,
    text: 'https://a.example',
    attachments: [{ text: 'y' }],
  })
  await call('bot', 'chat.unfurl', {
    channel: pumps,
    ts: link.ts,
    unfurls: { 'https://a.example': { text: 'A' } },
  })
}

const conversations = async ({ call, pumps, late, user }: Run): Promise<void> => {
  const { channel: made } = await call('bot', 'conversations.create', { name: 'fresh' })
  const fresh = id(made)
  await call('bot', 'conversations.invite', { channel: fresh, users: user('dev') })
  await call('bot', 'conversations.rename', { channel: fresh, name: 'fresher' })
  await call('bot', 'conversations.setTopic', { channel: fresh, topic: 'x' })
  await call('bot', 'conversations.setPurpose', { channel: fresh, purpose: 'x' })
  await call('bot', 'conversations.kick', { channel: fresh, user: user('dev') })
  await call('mira', 'conversations.join', { channel: fresh })
  await call('mira', 'conversations.leave', { channel: fresh })
  await call('bot', 'conversations.inviteShared', { channel: fresh, emails: ['a@b.example'] })
  await call('bot', 'conversations.listConnectInvites')
  await call('bot', 'conversations.archive', { channel: fresh })
  await call('bot', 'conversations.unarchive', { channel: fresh })
  await call('bot', 'conversations.info', { channel: pumps })
  await call('bot', 'conversations.list')
  await call('bot', 'conversations.members', { channel: pumps })
  await call('bot', 'conversations.mark', { channel: pumps, ts: late })
  await call('bot', 'conversations.history', { channel: pumps, limit: 1 })
  await call(
    'bot',
    'conversations.history',
    { channel: pumps, latest: late, inclusive: true, limit: 1 },
    'success_with_timestamp_inclusive',
  )
  await call('bot', 'conversations.replies', { channel: pumps, ts: late, limit: 2 })
  const { channel: dm } = await call('bot', 'conversations.open', { users: user('dev') })
  await call('bot', 'chat.postMessage', { channel: id(dm), text: 'Psst', attachments: [{ text: 'y' }] })
  await call('bot', 'conversations.open', { users: user('dev'), return_im: true }, 'success_with_return_im')
  await call('bot', 'conversations.info', { channel: id(dm) }, 'success_im')
  await call(
    'bot',
    'conversations.info',
    { channel: id(dm), include_num_members: true },
    'success_im_num_members',
  )
  await call('bot', 'conversations.list', { types: 'im,mpim' }, 'success_with_mixed_results')
  await call('bot', 'users.conversations')
  await call('bot', 'users.conversations', { types: 'im' }, 'success_with_mixed_results')
  await call('bot', 'conversations.close', { channel: id(dm) })
  await call('bot', 'conversations.close', { channel: id(dm) }, 'success_but_no_op')
}

const snoozing = async ({ call, user }: Run): Promise<void> => {
  await call('mira', 'dnd.setSnooze', { num_minutes: 5 })
  await call('mira', 'dnd.info')
  await call('mira', 'dnd.teamInfo', { users: `${user('mira')},${user('dev')}` })
  await call('mira', 'dnd.endSnooze')
  await call('mira', 'dnd.setSnooze', { num_minutes: 5 })
  await call('mira', 'dnd.endDnd')
}

const files = async ({ call, pumps }: Run): Promise<void> => {
  const picture = Buffer.from(squarePng(8, 'ff0000'))
  const upload = { filename: 'a.png', length: picture.length, alt_txt: 'Red' }
  const up = await call('bot', 'files.getUploadURLExternal', upload)
  await fetch(String(up.upload_url), { method: 'POST', body: picture })
  await call('bot', 'files.completeUploadExternal', {
    files: [{ id: up.file_id, title: 'A' }],
    channel_id: pumps,
  })
  await call('bot', 'files.info', { file: up.file_id })
  await call('bot', 'files.list', { types: 'images' })
  await call('mira', 'search.files', { query: 'a' })
  await call('mira', 'files.sharedPublicURL', { file: up.file_id })
  await call('mira', 'files.revokePublicURL', { file: up.file_id })
  await call('mira', 'stars.add', { file: up.file_id })
  await call('mira', 'stars.list')
  await call('mira', 'stars.remove', { file: up.file_id })
  await call('bot', 'files.delete', { file: up.file_id })
}

const pinsAndReminders = async ({ call, pumps, item, post_at }: Run): Promise<void> => {
  await call('bot', 'pins.add', item)
  await call('bot', 'pins.list', { channel: pumps })
  await call('bot', 'pins.remove', item)
  await call('bot', 'reactions.add', { ...item, name: 'tada' })
  await call('bot', 'reactions.get', { ...item, full: true })
  await call('bot', 'reactions.list')
  await call('bot', 'reactions.remove', { ...item, name: 'tada' })
  const { reminder } = await call('mira', 'reminders.add', { text: 'x', time: post_at })
  await call('mira', 'reminders.info', { reminder: id(reminder) })
  await call('mira', 'reminders.list')
  await call('mira', 'reminders.complete', { reminder: id(reminder) })
  await call('mira', 'reminders.delete', { reminder: id(reminder) })
  await call('mira', 'search.messages', { query: 'contoso' })
  await call('mira', 'search.all', { query: 'contoso' })
}

const lists = async ({ call, user }: Run): Promise<void> => {
  const schema = [{ key: 'task', name: 'Task', type: 'text', is_primary_column: true }]
  const { list_id } = await call(
    'bot',
    'slackLists.create',
    { name: 'L', schema, todo_mode: true },
    'success8',
  )
  const { item: record } = await call('bot', 'slackLists.items.create', { list_id })
  await call('bot', 'slackLists.items.list', { list_id })
  await call('bot', 'slackLists.items.info', { list_id, id: id(record) })
  await call('bot', 'slackLists.update', { id: list_id, name: 'M' })
  await call('bot', 'slackLists.items.delete', { list_id, id: id(record) })
  const { item: second } = await call('bot', 'slackLists.items.create', { list_id })
  const assigned = { row_id: id(second), column_id: 'Col01', user: [user('dev')] }
  await call('bot', 'slackLists.items.update', { list_id, cells: [assigned] })
  await call('bot', 'slackLists.items.deleteMultiple', { list_id, ids: [id(second)] })
  await call('bot', 'slackLists.access.set', { list_id, access_level: 'read', user_ids: [user('dev')] })
  await call('bot', 'slackLists.access.delete', { list_id, user_ids: [user('dev')] })
  const { job_id } = await call('bot', 'slackLists.download.start', { list_id })
  await call('bot', 'slackLists.download.get', { list_id, job_id })
}

const usergroups = async ({ call, user }: Run): Promise<void> => {
  const { usergroup } = await call('bot', 'usergroups.create', { name: 'Ops', handle: 'ops' })
  await call('bot', 'usergroups.users.update', { usergroup: id(usergroup), users: user('dev') })
  await call('bot', 'usergroups.update', { usergroup: id(usergroup), name: 'Ops 2' })
  await call('bot', 'usergroups.list', { include_users: true, include_count: true })
  await call('bot', 'usergroups.users.list', { usergroup: id(usergroup) })
  await call('bot', 'usergroups.disable', { usergroup: id(usergroup) })
  await call('bot', 'usergroups.enable', { usergroup: id(usergroup) })
}

const people = async ({ call, pumps, late, user }: Run): Promise<void> => {
  await call('bot', 'users.getPresence', { user: user('dev') })
  await call('mira', 'users.getPresence', {}, 'success_for_token_holder')
  await call('mira', 'users.identity', {}, 'success_with_avatar')
  await call('bot', 'users.info', { user: user('dev') })
  await call('bot', 'users.list')
  await call('bot', 'users.lookupByEmail', { email: 'dev@northwind.example' })
  await call('bot', 'users.profile.get', { user: user('dev') })
  await call('mira', 'users.profile.set', { profile: { status_text: 'x' } })
  await call('mira', 'users.setPresence', { presence: 'away' })
  await call('bot', 'users.setActive')
  await call('mira', 'users.deletePhoto')
  const home = { type: 'home', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x' } }] }
  const { view } = await call('bot', 'views.publish', { user_id: user('dev'), view: home })
  await call('bot', 'views.update', { view_id: id(view), view: home }, 'none')
  await call('bot', 'assistant.threads.setStatus', { channel_id: pumps, thread_ts: late, status: 'x' })
  await call('bot', 'assistant.threads.setTitle', { channel_id: pumps, thread_ts: late, title: 'x' })
  const prompts = [{ title: 'x', message: 'y' }]
  await call('bot', 'assistant.threads.setSuggestedPrompts', { channel_id: pumps, thread_ts: late, prompts })
  await call('bot', 'auth.revoke', { test: true })
}

const subjects = {
  workspace,
  bookmarks,
  canvases,
  messages,
  conversations,
  snoozing,
  files,
  pinsAndReminders,
  lists,
  usergroups,
  people,
}

/** Answered with a refusal whatever they are given, or called with a file in its own test. */
const apart = [
  'apps.connections.open',
  'files.upload',
  'oauth.v2.access',
  'openid.connect.token',
  'openid.connect.userInfo',
  'users.setPhoto',
  'views.open',
  'views.push',
]

describe('the documented examples', () => {
  const called = new Set<string>()
  for (const [name, subject] of Object.entries(subjects))
    it(`have no field that the answers lack: ${name}`, async () => {
      await using chat = await startChat()
      const faults: string[] = []
      const [pumps, late] = [chat.channel('pumps'), chat.ts('late')]
      await subject({
        chat,
        pumps,
        late,
        item: { channel: pumps, timestamp: late },
        user: chat.user,
        post_at: chat.host.clock.now / 1_000 + 600,
        call: async (who, method, args = {}, variant = 'success') => {
          const answer = await chat[who].apiCall(method, args)
          called.add(method)
          faults.push(...lacking(method, variant, answer))
          return Object(answer)
        },
      })
      assert.deepEqual(
        faults.filter((line) => !exceptions.some(([known]) => known.test(line))),
        [],
      )
    })

  it('are all compared where the method is emulated', () => {
    const never = documentedMethods.filter((method) => method in operations && !called.has(method))
    assert.deepEqual(never, apart)
  })
})
