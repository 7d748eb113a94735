import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusal, startChat } from '../../testing/client.ts'
import { raw, rawForm } from '../../testing/raw.ts'
import { squarePng } from './picture.ts'

describe('a remote file', () => {
  it('is added, shown in messages, changed and removed by an app', async () => {
    await using chat = await startChat()
    const call = async (method: string, args: Record<string, unknown>) =>
      Object(await chat.bot.apiCall(method, args))
    const made = {
      external_id: 'doc-1',
      external_url: 'https://docs.example/1',
      title: 'Plan',
      filetype: 'pdf',
    }
    const { file } = await call('files.remote.add', made)
    assert.deepEqual([file.mode, file.is_external, file.external_id], ['external', true, 'doc-1'])
    const block = { type: 'file', external_id: 'doc-1', source: 'remote' }
    const channel = chat.channel('pumps')
    const post = (external_id: string) =>
      refusal(
        chat.bot.apiCall('chat.postMessage', { channel, text: 'x', blocks: [{ ...block, external_id }] }),
      )
    assert.equal(await post('doc-1'), 'ok')
    assert.equal(await post('doc-2'), 'invalid_blocks')
    const shared = await call('files.remote.share', { external_id: 'doc-1', channels: channel })
    assert.equal(Object.keys(shared.file.shares.public)[0], channel)
    assert.equal((await call('files.remote.update', { file: file.id, title: 'Plan B' })).file.title, 'Plan B')
    assert.equal((await call('files.remote.list', { channel })).files.length, 1)
    const both = chat.bot.apiCall('files.remote.info', { file: file.id, external_id: 'doc-1' })
    assert.equal(await refusal(both), 'too_many_ids')
    assert.equal(await refusal(chat.mira.apiCall('files.remote.add', made)), 'not_allowed_token_type')
    await call('files.remote.remove', { external_id: 'doc-1' })
    assert.equal(await refusal(chat.bot.apiCall('files.remote.info', { file: file.id })), 'file_not_found')
  })
})

describe('a call', () => {
  it('is announced in a block, joined and left, and ends once', async () => {
    await using chat = await startChat()
    const call = (method: string, args: Record<string, unknown>) => chat.bot.apiCall(method, args)
    const plan = { external_unique_id: 'x-1', join_url: 'https://call.example/1' }
    assert.equal(await refusal(call('calls.add', plan)), 'invalid_created_by')
    const made = Object(await call('calls.add', { ...plan, created_by: chat.user('dev') }))
    const { id } = made.call
    const post = (call_id: string) =>
      refusal(
        chat.bot.apiCall('chat.postMessage', {
          channel: chat.channel('pumps'),
          text: 'x',
          blocks: [{ type: 'call', call_id }],
        }),
      )
    assert.deepEqual([await post(id), await post('R0NONE')], ['ok', 'invalid_blocks'])
    const users = [{ slack_id: chat.user('mira') }]
    assert.equal(await refusal(call('calls.participants.add', { id, users })), 'ok')
    assert.equal(await refusal(call('calls.participants.add', { id, users })), 'bad_users')
    assert.equal(await refusal(call('calls.participants.remove', { id, users })), 'ok')
    await call('calls.end', { id, duration: 60 })
    assert.equal(await refusal(call('calls.end', { id })), 'inactive_call')
    await call('calls.update', { id, title: 'Stand-up' })
    assert.equal(Object(await call('calls.info', { id })).call.external_unique_id, 'x-1')
  })
})

describe('an invitation to another organization', () => {
  it('is sent by address for channels that may be shared', async () => {
    await using chat = await startChat()
    const invite = (room: string, args: Record<string, unknown>) =>
      refusal(chat.bot.apiCall('conversations.inviteShared', { channel: chat.channel(room), ...args }))
    assert.equal(await invite('pumps', {}), 'recipients_not_specified')
    assert.equal(await invite('pumps', { emails: ['nobody'] }), 'invalid_email')
    assert.equal(await invite('general', { emails: ['a@b.example'] }), 'cannot_share_mandatory_channel')
    assert.equal(await invite('pumps', { emails: ['a@b.example'] }), 'ok')
    const { invites } = Object(await chat.bot.apiCall('conversations.listConnectInvites'))
    assert.equal(invites[0].invite.recipient_email, 'a@b.example')
    const decline = { invite_id: invites[0].invite.id }
    await chat.bot.apiCall('conversations.declineSharedInvite', decline)
    assert.equal(
      await refusal(chat.bot.apiCall('conversations.declineSharedInvite', decline)),
      'inactive_invite',
    )
  })
})

describe('a photo', () => {
  it('is taken from a real picture alone, and changes the avatar', async () => {
    await using chat = await startChat()
    const set = async (bytes: Uint8Array) => {
      const form = new FormData()
      form.set('image', new Blob([Buffer.from(bytes)]), 'me.png')
      const init = { method: 'POST', body: form, token: chat.host.tokens.mira ?? '' }
      return (await raw(chat, 'users.setPhoto', init)).body
    }
    const hash = async () => (await chat.mira.users.profile.get({})).profile?.avatar_hash
    const before = await hash()
    assert.equal((await set(Buffer.from('text'))).error, 'bad_image')
    assert.equal((await set(squarePng(64, '00ff00'))).ok, true)
    assert.notEqual(await hash(), before)
  })
})

describe('what is not emulated', () => {
  it('answers with its own errors, and is recorded', async () => {
    await using chat = await startChat()
    const ask = async (method: string, args: Record<string, string>) =>
      (await rawForm(chat, method, args)).body.error
    assert.equal(await ask('oauth.v2.access', { client_id: 'x', code: 'y' }), 'invalid_client_id')
    assert.equal(await ask('oauth.v2.access', { grant_type: 'magic' }), 'invalid_grant_type')
    assert.equal(await ask('dialog.open', { dialog: '{}' }), 'missing_trigger')
    assert.equal(await ask('dialog.open', { dialog: '{}', trigger_id: '1' }), 'invalid_trigger')
    assert.equal(await ask('functions.completeSuccess', {}), 'function_execution_not_found')
    assert.equal(await ask('migration.exchange', { users: 'U1' }), 'not_enterprise_team')
    assert.equal(await ask('admin.users.list', {}), 'not_allowed_token_type')
    assert.equal(await ask('workflows.featured.list', {}), 'missing_scope')
  })
})
