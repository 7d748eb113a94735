import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChatHost, refusal, startChat } from '../../testing/client.ts'

type Json = Record<string, unknown>

const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
})

const makeCanvas = async (chat: ChatHost): Promise<string> => {
  const markdown = '# Goals\n\nShip <b>it</b>'
  const made = await chat.bot.canvases.create({
    title: 'Plan',
    document_content: { type: 'markdown', markdown },
  })
  return made.canvas_id ?? ''
}

const download = (url: string | undefined, token: string | undefined) =>
  fetch(url ?? '', { redirect: 'manual', headers: { authorization: `Bearer ${token}` } })

describe('a canvas', () => {
  it('is a file that can be read, listed and downloaded by those with access', async () => {
    await using chat = await startChat()
    const file = await makeCanvas(chat)
    const info = (await chat.bot.files.info({ file })).file
    assert.deepEqual([info?.mode, info?.filetype, info?.title], ['quip', 'quip', 'Plan'])
    assert.equal(info?.mimetype, 'application/vnd.slack-docs')
    assert.ok((await chat.bot.files.list({})).files?.some(({ id }) => id === file))
    const reply = await download(info?.url_private_download, chat.host.token)
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    assert.match(reply.headers.get('content-disposition') ?? '', /^attachment/)
    assert.match(await reply.text(), /Ship &lt;b&gt;it&lt;\/b&gt;/)
    assert.equal(await refusal(chat.lucia.files.info({ file })), 'file_not_found')
    await chat.bot.canvases.access.set({
      canvas_id: file,
      access_level: 'read',
      user_ids: [chat.user('lucia')],
    })
    assert.equal(await refusal(chat.lucia.files.info({ file })), 'ok')
  })

  it('is edited by those who may write, one change at a time, and can be renamed', async () => {
    await using chat = await startChat()
    const canvas_id = await makeCanvas(chat)
    const change = { operation: 'insert_at_end', document_content: { type: 'markdown', markdown: 'More' } }
    const edit = (client: 'bot' | 'lucia', ...changes: Json[]) =>
      refusal(chat[client].apiCall('canvases.edit', { canvas_id, changes }))
    const grant = (access_level: 'read' | 'write') =>
      chat.bot.canvases.access.set({ canvas_id, access_level, user_ids: [chat.user('lucia')] })
    assert.equal(await edit('lucia', change), 'canvas_not_found')
    await grant('read')
    assert.equal(await edit('lucia', change), 'restricted_action')
    await grant('write')
    assert.equal(await edit('lucia', change), 'ok')
    assert.equal(await edit('bot', change, change), 'invalid_arguments')
    const title_content = { type: 'markdown', markdown: 'Plan B' }
    assert.equal(await edit('bot', { operation: 'rename', title_content }), 'ok')
    assert.equal((await chat.bot.files.info({ file: canvas_id })).file?.title, 'Plan B')
    assert.equal(await refusal(chat.lucia.canvases.delete({ canvas_id })), 'restricted_action')
    await chat.bot.files.delete({ file: canvas_id })
    assert.equal(await edit('bot', change), 'canvas_not_found')
  })

  it('of a channel belongs to its members', async () => {
    await using chat = await startChat()
    const channel_id = chat.channel('ops-private')
    const { canvas_id = '' } = await chat.mira.conversations.canvases.create({ channel_id })
    assert.equal(await refusal(chat.dev.files.info({ file: canvas_id })), 'ok')
    assert.equal(await refusal(chat.lucia.files.info({ file: canvas_id })), 'file_not_found')
    const { channel } = await chat.dev.conversations.info({ channel: channel_id })
    assert.equal(Object(channel?.properties).canvas.file_id, canvas_id)
    const again = chat.mira.conversations.canvases.create({ channel_id })
    assert.equal(await refusal(again), 'channel_canvas_already_exists')
  })

  it('is looked up by real criteria alone', async () => {
    await using chat = await startChat()
    const canvas_id = await makeCanvas(chat)
    const look = (criteria: Json) =>
      refusal(chat.bot.apiCall('canvases.sections.lookup', { canvas_id, criteria }))
    assert.equal(await look({ section_types: ['h1'] }), 'ok')
    assert.equal(await look({}), 'invalid_arguments')
    assert.equal(await look({ section_types: ['h7'] }), 'invalid_arguments')
  })
})

describe('a list', () => {
  const columns = [
    { key: 'task', name: 'Task', type: 'text', is_primary_column: true },
    { key: 'size', name: 'Size', type: 'number' },
    { key: 'state', name: 'State', type: 'select', options: { choices: [{ value: 'open', label: 'Open' }] } },
    { key: 'owner', name: 'Owner', type: 'user' },
    { key: 'due', name: 'Due', type: 'date' },
  ]
  const make = async (chat: ChatHost, schema: Json[] = columns) => {
    const made = Object(await chat.bot.apiCall('slackLists.create', { name: 'Chores', schema }))
    const ids = new Map<string, string>(made.list_metadata.schema.map((one: Json) => [one.key, one.id]))
    return { list_id: String(made.list_id), column: (key: string) => ids.get(key) ?? '' }
  }

  it('is a file with its columns, and is downloaded as a table', async () => {
    await using chat = await startChat()
    const { list_id, column } = await make(chat)
    assert.equal((await chat.bot.files.info({ file: list_id })).file?.mode, 'list')
    const initial_fields = [
      { column_id: column('task'), rich_text: [rich('Sweep, "well"')] },
      { column_id: column('size'), number: [3] },
    ]
    await chat.bot.apiCall('slackLists.items.create', { list_id, initial_fields })
    const { job_id } = Object(await chat.bot.apiCall('slackLists.download.start', { list_id }))
    const got = Object(await chat.bot.apiCall('slackLists.download.get', { list_id, job_id }))
    assert.equal(got.status, 'COMPLETED')
    const csv = await (await download(got.download_url, chat.host.token)).text()
    assert.equal(csv, 'Task,Size,State,Owner,Due\r\n"Sweep, ""well""",3,,,\r\n')
    assert.equal(
      await refusal(chat.lucia.apiCall('slackLists.download.start', { list_id })),
      'list_not_found',
    )
  })

  it('takes only values that fit the types of its columns', async () => {
    await using chat = await startChat()
    const { list_id, column } = await make(chat)
    const add = (key: string, value: Json) =>
      refusal(
        chat.bot.apiCall('slackLists.items.create', {
          list_id,
          initial_fields: [{ column_id: column(key), ...value }],
        }),
      )
    assert.equal(await add('size', { number: ['three'] }), 'invalid_input_type')
    assert.equal(await add('size', { rich_text: [rich('3')] }), 'invalid_input_type')
    assert.equal(await add('state', { select: ['shut'] }), 'invalid_option_id')
    assert.equal(await add('state', { select: ['open'] }), 'ok')
    assert.equal(await add('owner', { user: ['U0NOBODY'] }), 'user_not_found')
    assert.equal(await add('due', { date: ['soon'] }), 'invalid_input_type')
    assert.equal(await add('task', { rich_text: [{ type: 'divider' }] }), 'invalid_input_type')
    const made = Object(await chat.bot.apiCall('slackLists.items.create', { list_id }))
    const cell = { row_id: made.item.id, column_id: column('due'), date: ['soon'] }
    const changed = chat.bot.apiCall('slackLists.items.update', { list_id, cells: [cell] })
    assert.equal(await refusal(changed), 'invalid_date')
  })

  it('has one primary column and columns of known types', async () => {
    await using chat = await startChat()
    const create = (schema: Json[]) => refusal(chat.bot.apiCall('slackLists.create', { name: 'x', schema }))
    assert.equal(await create([{ key: 'a', name: 'A', type: 'text' }]), 'invalid_primary_column')
    assert.equal(
      await create([{ key: 'a', name: 'A', type: 'number', is_primary_column: true }]),
      'invalid_primary_column',
    )
    assert.equal(
      await create([{ key: 'a', name: 'A', type: 'cake', is_primary_column: true }]),
      'invalid_column_type',
    )
    assert.equal(await create([{ name: 'A', type: 'text' }]), 'invalid_schema')
  })

  it('is changed by those who may write', async () => {
    await using chat = await startChat()
    const { list_id, column } = await make(chat)
    const add = () =>
      refusal(
        chat.lucia.apiCall('slackLists.items.create', {
          list_id,
          initial_fields: [{ column_id: column('size'), number: [1] }],
        }),
      )
    const grant = (access_level: string) =>
      chat.bot.apiCall('slackLists.access.set', { list_id, access_level, user_ids: [chat.user('lucia')] })
    assert.equal(await add(), 'list_not_found')
    await grant('read')
    assert.equal(await add(), 'no_permission')
    await grant('write')
    assert.equal(await add(), 'ok')
  })
})

describe('an uploaded file', () => {
  it('is never served as something that a browser runs', async () => {
    await using chat = await startChat()
    const upload = async (filename: string) => {
      const answer = Object(
        await chat.bot.filesUploadV2({ file: Buffer.from('<script>1</script>'), filename }),
      )
      return answer.files[0].files[0] as {
        url_private: string
        url_private_download: string
        mimetype: string
      }
    }
    const page = await upload('page.svg')
    const shown = await download(page.url_private, chat.host.token)
    assert.match(shown.headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
    assert.match(shown.headers.get('content-security-policy') ?? '', /sandbox/)
    const picture = await upload('résumé "1".png')
    const inline = await download(picture.url_private, chat.host.token)
    assert.equal(inline.headers.get('content-type'), 'image/png')
    assert.match(inline.headers.get('content-disposition') ?? '', /^inline; filename="r_sum_ _1_.png"/)
    const saved = await download(picture.url_private_download, chat.host.token)
    assert.match(saved.headers.get('content-disposition') ?? '', /^attachment/)
  })
})
