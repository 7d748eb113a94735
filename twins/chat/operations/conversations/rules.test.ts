import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChatSection, section as chatSection } from '../../section.ts'
import { type ChatHost, refusal, startChat } from '../../testing/client.ts'
import { testSection } from '../../testing/section.ts'

type Changes = Readonly<Record<string, Partial<ChatSection['channels'][number]>>>

/** The test workspace with some channels changed, and with guests. */
const sectionWith = (changes: Changes, guests: ChatSection['guests'] = []): ChatSection =>
  chatSection.parse({
    ...testSection,
    channels: testSection.channels.map((channel) => ({ ...channel, ...changes[channel.name] })),
    guests,
  })

/** Without what Lucía said elsewhere, since a person who speaks in a channel is a member of it. */
const onlyIn = (room: string, section: ChatSection): ChatSection => ({
  ...section,
  messages: section.messages.filter(({ channel, author }) => author !== 'lucia' || channel === room),
})

const post = (chat: ChatHost, client: 'mira' | 'dev' | 'lucia' | 'bot', args: Record<string, string>) =>
  refusal(chat[client].apiCall('chat.postMessage', { channel: chat.channel('pumps'), text: 'x', ...args }))

describe('who may do what in a channel', () => {
  it('lets its creator and admins rename it, and no one else', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    assert.equal(await refusal(chat.bot.conversations.rename({ channel, name: 'pumps-1' })), 'not_authorized')
    assert.equal(
      await refusal(chat.lucia.conversations.rename({ channel, name: 'pumps-1' })),
      'not_authorized',
    )
    assert.equal(await refusal(chat.dev.conversations.rename({ channel, name: 'pumps-1' })), 'ok')
    assert.equal(await refusal(chat.mira.conversations.rename({ channel, name: 'pumps-2' })), 'ok')
  })

  it('lets members remove each other from private channels, and only its creator and admins from public ones', async () => {
    await using chat = await startChat()
    const kick = (client: 'mira' | 'dev' | 'lucia', room: string, user: string) =>
      refusal(chat[client].conversations.kick({ channel: chat.channel(room), user: chat.user(user) }))
    assert.equal(await kick('lucia', 'pumps', 'mira'), 'restricted_action')
    assert.equal(await kick('dev', 'pumps', 'lucia'), 'ok')
    assert.equal(await kick('dev', 'deal-desk', 'lucia'), 'ok')
  })

  it('refuses posts where only admins, nobody, only replies or only roots are allowed', async () => {
    const posts = async (posting: ChatSection['channels'][number]['posting']) => {
      await using chat = await startChat(sectionWith({ pumps: { posting } }))
      const thread_ts = chat.ts('late')
      return [
        await post(chat, 'lucia', {}),
        await post(chat, 'lucia', { thread_ts }),
        await post(chat, 'mira', {}),
      ]
    }
    assert.deepEqual(await posts('everyone'), ['ok', 'ok', 'ok'])
    assert.deepEqual(await posts('admins'), ['restricted_action', 'restricted_action', 'ok'])
    const readOnly = 'restricted_action_read_only_channel'
    assert.deepEqual(await posts('nobody'), [readOnly, readOnly, readOnly])
    const threadOnly = 'restricted_action_thread_only_channel'
    assert.deepEqual(await posts('replies'), [threadOnly, 'ok', threadOnly])
    assert.deepEqual(await posts('roots'), ['ok', 'restricted_action_non_threadable_channel', 'ok'])
  })

  it('does not let a message be edited while it is streamed', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const { ts } = Object(
      await chat.bot.apiCall('chat.startStream', { channel, thread_ts: chat.ts('late'), markdown_text: 'a' }),
    )
    const edit = () => refusal(chat.bot.chat.update({ channel, ts, text: 'b' }))
    assert.equal(await edit(), 'streaming_state_conflict')
    await chat.bot.apiCall('chat.stopStream', { channel, ts })
    assert.equal(await edit(), 'ok')
  })

  it('shows guests only the channels they are in and the people there', async () => {
    const members = ['lucia', 'dev']
    const section = onlyIn(
      'pumps',
      sectionWith({ pumps: { members } }, [{ handle: 'lucia', isSingleChannel: false }]),
    )
    await using chat = await startChat(section)
    const { lucia } = chat
    const { channels } = await lucia.conversations.list({})
    assert.deepEqual(
      channels?.map(({ name }) => name),
      ['pumps'],
    )
    const general = chat.channel('general')
    assert.equal(await refusal(lucia.conversations.info({ channel: general })), 'channel_not_found')
    assert.equal(await refusal(lucia.conversations.join({ channel: general })), 'channel_not_found')
    assert.equal(await refusal(lucia.conversations.history({ channel: general })), 'channel_not_found')
    assert.equal(await refusal(lucia.users.info({ user: chat.user('dev') })), 'ok')
    assert.equal((await chat.dev.users.info({ user: chat.user('lucia') })).user?.is_restricted, true)
  })

  it('keeps from guests what only full members may do', async () => {
    const guests = [{ handle: 'lucia', isSingleChannel: true }]
    const changes = { pumps: { members: ['lucia', 'dev'] }, 'deal-desk': { members: ['dev'] } }
    const section = onlyIn('pumps', sectionWith(changes, guests))
    await using chat = await startChat(section)
    const { lucia } = chat
    const channel = chat.channel('pumps')
    const user = chat.user('dev')
    assert.equal(await refusal(lucia.conversations.create({ name: 'mine' })), 'restricted_action')
    assert.equal(await refusal(lucia.conversations.archive({ channel })), 'restricted_action')
    assert.equal(await refusal(lucia.conversations.kick({ channel, user })), 'restricted_action')
    assert.equal(await refusal(lucia.conversations.rename({ channel, name: 'mine' })), 'not_authorized')
    assert.equal(await refusal(lucia.conversations.setTopic({ channel, topic: 'x' })), 'user_is_restricted')
    assert.equal(await refusal(lucia.conversations.leave({ channel })), 'user_is_restricted')
    const second = { channel: chat.channel('deal-desk'), users: chat.user('lucia') }
    assert.equal(await refusal(chat.dev.conversations.invite(second)), 'ura_max_channels')
  })

  it('marks channels that another organization shares', async () => {
    await using chat = await startChat(sectionWith({ pumps: { sharedWith: 'Contoso' } }))
    const { channel } = await chat.bot.conversations.info({ channel: chat.channel('pumps') })
    assert.equal(channel?.is_ext_shared, true)
    assert.equal(channel?.shared_team_ids?.length, 2)
    const own = await chat.bot.conversations.info({ channel: chat.channel('general') })
    assert.equal(own.channel?.is_ext_shared, false)
  })
})

describe('what each person has read', () => {
  const stateOf = async (chat: ChatHost, client: 'mira' | 'dev', channel: string) => {
    const answer = (await chat[client].conversations.info({ channel })) as { channel?: unknown }
    return Object(answer.channel) as Record<string, unknown>
  }

  it('counts the messages of others since they last read, and not their own', async () => {
    await using chat = await startChat()
    const opened = await chat.dev.conversations.open({ users: chat.user('mira'), return_im: true })
    const channel = opened.channel?.id ?? ''
    const fresh = await stateOf(chat, 'mira', channel)
    assert.deepEqual([fresh.latest, fresh.unread_count, fresh.is_open], [null, 0, true])
    const { ts = '' } = await chat.dev.chat.postMessage({ channel, text: 'One' })
    await chat.dev.chat.postMessage({ channel, text: 'Two' })
    const unread = await stateOf(chat, 'mira', channel)
    assert.deepEqual([unread.unread_count, unread.unread_count_display], [2, 2])
    assert.equal(Object(unread.latest).text, 'Two')
    assert.equal((await stateOf(chat, 'dev', channel)).unread_count, 0)
    await chat.mira.conversations.mark({ channel, ts })
    const marked = await stateOf(chat, 'mira', channel)
    assert.deepEqual([marked.last_read, marked.unread_count], [ts, 1])
  })

  it('leaves out what the service wrote from the count that is displayed', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    await chat.mira.conversations.mark({ channel, ts: chat.ts('build') })
    await chat.dev.conversations.setTopic({ channel, topic: 'New' })
    const state = await stateOf(chat, 'mira', channel)
    assert.deepEqual([state.unread_count, state.unread_count_display], [1, 0])
  })

  it('opens and closes direct messages for each person alone', async () => {
    await using chat = await startChat()
    const { channel } = await chat.dev.conversations.open({ users: chat.user('mira') })
    const id = channel?.id ?? ''
    await chat.dev.conversations.close({ channel: id })
    assert.equal((await stateOf(chat, 'dev', id)).is_open, false)
    assert.equal((await stateOf(chat, 'mira', id)).is_open, true)
    await chat.mira.chat.postMessage({ channel: id, text: 'Hello' })
    assert.equal((await stateOf(chat, 'dev', id)).is_open, true)
  })
})
