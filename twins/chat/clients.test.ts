import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WebClient } from '@slack/web-api'
import { coverage, tier1 } from './coverage.ts'
import { startChat } from './testing/client.ts'
import { misfits } from './testing/typed-answers.ts'

type Args = Record<string, unknown>

/**
 * The declarations were drawn from samples that did not show everything. Each line here is a field that the reference
 * or a recorded answer has and the declarations of that one method lack. Blocks are checked by our own tests: the
 * declarations mix their kinds up.
 */
const undeclared = [
  /\.response_metadata( |\.)/,
  /\.blocks\[/,
  /\.root( |\.)/,
  /^conversations\.history\.messages\[\d+\]\.(name|old_name|pinned_info|pinned_to) /,
  /^conversations\.replies\.messages\[\d+\]\.(client_msg_id|hidden|subtype) /,
  /^(chat\.update|reactions\.get)\.message\.(is_locked|latest_reply|reply_\w+|subscribed|thread_ts|ts|edited) /,
  /^pins\.list\.items\[\d+\]\.message\.(edited|pinned_info|subscribed) /,
  /^chat\.scheduleMessage\.message\.(subtype|username) /,
  /^conversations\.\w+\.channel\.(unread_count|unread_count_display|latest|is_frozen|properties) /,
  /^conversations\.\w+\.channel\.is_(read_only|thread_only|non_threadable) /,
  /^conversations\.rename\.channel\.(locale|num_members) /,
  /^search\.(all|files)\.files\.matches\[\d+\]\.(reactions|score|top_file) /,
  /^conversations\.open\.channel\.is_user_deleted /,
  /^usergroups\.[\w.]+\.usergroup\.user_count /,
]

describe('every tier-1 method through the vendor’s client', () => {
  it('answers, and fits the types that the client declares', async () => {
    await using chat = await startChat()
    const { bot, mira, dev, channel, ts, user } = chat
    const called = new Set<string>()
    const faults: string[] = []
    const call = async (client: WebClient, method: string, args: Args = {}): Promise<Args> => {
      const answer = await client.apiCall(method, args)
      assert.equal(answer.ok, true, method)
      called.add(method)
      faults.push(...misfits(method, answer).filter((line) => !undeclared.some((known) => known.test(line))))
      return { ...answer }
    }
    const pumps = channel('pumps')
    await call(bot, 'api.test', { foo: 'bar' })
    await call(bot, 'auth.test')
    await call(bot, 'team.info')
    await call(bot, 'emoji.list')
    await call(bot, 'bots.info')
    await call(bot, 'users.list')
    await call(bot, 'users.info', { user: user('dev') })
    await call(bot, 'users.lookupByEmail', { email: 'dev@northwind.example' })
    await call(bot, 'users.conversations', { types: 'public_channel,private_channel' })
    await call(bot, 'users.profile.get', { user: user('dev'), include_labels: true })
    await call(mira, 'users.profile.set', { profile: { status_text: 'Busy', status_emoji: ':tada:' } })
    await call(mira, 'users.getPresence', { user: user('mira') })
    await call(bot, 'conversations.list', { types: 'public_channel,private_channel,im,mpim' })
    await call(bot, 'conversations.info', { channel: pumps, include_num_members: true })
    await call(bot, 'conversations.history', { channel: pumps })
    await call(bot, 'conversations.replies', { channel: pumps, ts: ts('late') })
    await call(bot, 'conversations.members', { channel: pumps })
    const made = (await call(bot, 'conversations.create', { name: 'rollout' })) as { channel: { id: string } }
    const own = made.channel.id
    await call(bot, 'conversations.invite', { channel: own, users: `${user('dev')},${user('mira')}` })
    await call(bot, 'conversations.kick', { channel: own, user: user('mira') })
    await call(mira, 'conversations.join', { channel: own })
    await call(mira, 'conversations.leave', { channel: own })
    await call(bot, 'conversations.setTopic', { channel: own, topic: 'Go & see' })
    await call(bot, 'conversations.setPurpose', { channel: own, purpose: 'Roll out' })
    await call(bot, 'conversations.rename', { channel: own, name: 'roll-out' })
    const direct = (await call(bot, 'conversations.open', {
      users: user('dev'),
      return_im: true,
    })) as typeof made
    await call(bot, 'conversations.close', { channel: direct.channel.id })
    await call(bot, 'conversations.list', { types: 'im' })
    const said = (await call(bot, 'chat.postMessage', { channel: own, text: 'Ready' })) as { ts: string }
    await call(bot, 'conversations.mark', { channel: own, ts: said.ts })
    await call(bot, 'chat.postMessage', {
      channel: own,
      text: 'Reply',
      thread_ts: said.ts,
      reply_broadcast: true,
    })
    await call(bot, 'chat.update', { channel: own, ts: said.ts, text: 'Ready now' })
    await call(bot, 'chat.getPermalink', { channel: own, message_ts: said.ts })
    await call(bot, 'chat.postEphemeral', { channel: own, user: user('dev'), text: 'Only you' })
    const later = (await call(bot, 'chat.scheduleMessage', {
      channel: own,
      text: 'Later',
      post_at: chat.host.clock.now / 1_000 + 600,
    })) as { scheduled_message_id: string }
    await call(bot, 'chat.scheduledMessages.list')
    await call(bot, 'chat.deleteScheduledMessage', { channel: own, ...later })
    await call(bot, 'reactions.add', { channel: own, timestamp: said.ts, name: 'rocket' })
    await call(bot, 'reactions.get', { channel: own, timestamp: said.ts })
    await call(bot, 'reactions.list')
    await call(bot, 'pins.add', { channel: own, timestamp: said.ts })
    await call(bot, 'pins.list', { channel: own })
    await call(bot, 'conversations.history', { channel: own })
    await call(bot, 'pins.remove', { channel: own, timestamp: said.ts })
    await call(bot, 'reactions.remove', { channel: own, timestamp: said.ts, name: 'rocket' })
    const mark = (await call(bot, 'bookmarks.add', {
      channel_id: own,
      title: 'Docs',
      type: 'link',
      link: 'https://docs.example',
    })) as { bookmark: { id: string } }
    await call(bot, 'bookmarks.edit', { channel_id: own, bookmark_id: mark.bookmark.id, title: 'Manual' })
    await call(bot, 'bookmarks.list', { channel_id: own })
    await call(bot, 'bookmarks.remove', { channel_id: own, bookmark_id: mark.bookmark.id })
    const group = (await call(bot, 'usergroups.create', { name: 'On call', handle: 'oncall' })) as {
      usergroup: { id: string }
    }
    const usergroup = group.usergroup.id
    await call(bot, 'usergroups.users.update', { usergroup, users: user('dev') })
    await call(bot, 'usergroups.update', { usergroup, description: 'Who wakes up' })
    await call(bot, 'usergroups.users.list', { usergroup })
    await call(bot, 'usergroups.list', { include_users: true })
    const upload = (await call(bot, 'files.getUploadURLExternal', { filename: 'plan.csv', length: 4 })) as {
      upload_url: string
      file_id: string
    }
    await fetch(upload.upload_url, { method: 'POST', body: 'a,b\n' })
    await call(bot, 'files.completeUploadExternal', {
      files: JSON.stringify([{ id: upload.file_id, title: 'The plan' }]),
      channel_id: own,
      initial_comment: 'See here',
    })
    await call(bot, 'conversations.history', { channel: own })
    await call(bot, 'files.info', { file: upload.file_id })
    await call(bot, 'files.list', { channel: own })
    await call(dev, 'search.messages', { query: 'invoices', highlight: true })
    await call(dev, 'search.files', { query: 'plan' })
    await call(dev, 'search.all', { query: 'plan' })
    await call(bot, 'files.delete', { file: upload.file_id })
    await call(bot, 'chat.delete', { channel: own, ts: said.ts })
    await call(dev, 'conversations.replies', { channel: own, ts: said.ts })
    await call(bot, 'conversations.archive', { channel: own })
    await call(bot, 'conversations.unarchive', { channel: own })
    assert.deepEqual([...new Set(faults)].sort(), [])
    assert.deepEqual(
      tier1.filter((method) => !called.has(method)),
      [],
    )
    assert.deepEqual(chat.host.failures, [])
  })

  it('is done, and coverage says so', () => {
    const status = new Map(coverage.map(({ operation, status }) => [operation, status]))
    for (const method of tier1) assert.equal(status.get(method), 'done', method)
  })
})
