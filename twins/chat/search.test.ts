import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startChat } from './testing/client.ts'

/** The texts that a query finds, newest first. */
const searcher = async () => {
  const chat = await startChat()
  const find = async (query: string, client = chat.mira): Promise<string[]> => {
    const found = await client.search.messages({ query, sort: 'timestamp', count: 100 })
    return (found.messages?.matches ?? []).map(({ text }) => text ?? '')
  }
  return { chat, find, [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose]() }
}
const late = 'The *P-200* invoices are late'
const mail = 'Mail ops@northwind.example, not `@dev`'
const demo = 'Demo for Contoso on Friday :tada:'

describe('the search grammar', () => {
  it('finds words in any form and case, all of them together, in order or not', async () => {
    await using search = await searcher()
    assert.deepEqual(await search.find('INVOICE'), [late])
    assert.deepEqual(await search.find('late invoicing'), [late])
    assert.deepEqual(await search.find('invoice friday'), [])
    assert.deepEqual(await search.find('inv'), [])
  })

  it('finds whole phrases, beginnings of words, and leaves out what is not wanted', async () => {
    await using search = await searcher()
    assert.deepEqual(await search.find('"invoices are late"'), [late])
    assert.deepEqual(await search.find('"are invoices"'), [])
    assert.deepEqual(await search.find('"voices are"'), [])
    assert.deepEqual(await search.find('inv*'), [late])
    assert.deepEqual(await search.find('frid* -demo'), [])
    assert.deepEqual(await search.find('in:general from:mira -"no such"'), [
      `Welcome <@${search.chat.user('dev')}> &amp; <@${search.chat.user('lucia')}> to <#${search.chat.channel('pumps')}|pumps>!`,
    ])
  })

  it('narrows by place: by name, by id, and several places are alternatives', async () => {
    await using search = await searcher()
    for (const place of [
      'pumps',
      '#pumps',
      `<#${search.chat.channel('pumps')}>`,
      search.chat.channel('pumps'),
    ])
      assert.equal((await search.find(`in:${place}`)).length, 4, place)
    assert.deepEqual(await search.find('in:general in:pumps contoso'), [demo])
    assert.deepEqual(await search.find('-in:general contoso'), [])
    assert.deepEqual(await search.find('in:no-such-place'), [])
  })

  it('narrows by people', async () => {
    await using search = await searcher()
    const { chat } = search
    assert.deepEqual(await search.find('from:@dev late'), [late])
    assert.deepEqual(await search.find(`from:<@${chat.user('dev')}> late`), [late])
    assert.deepEqual(await search.find('from:me in:pumps'), [mail])
    assert.deepEqual(await search.find('to:me', chat.dev), await search.find(`in:general welcome`))
    assert.equal((await search.find('with:@lucia in:pumps')).length, 3)
  })

  it('narrows by what a message has and is', async () => {
    await using search = await searcher()
    const { chat } = search
    assert.equal((await search.find('has:link')).length, 1)
    assert.equal((await search.find('has:reaction')).length, 1)
    assert.equal((await search.find('has::thumbsup:')).length, 1)
    assert.equal((await search.find('hasmy::+1:')).length, 1)
    assert.equal((await search.find('hasmy::+1:', chat.dev)).length, 0)
    assert.equal((await search.find('is:thread')).length, 3)
    await chat.mira.pins.add({ channel: chat.channel('pumps'), timestamp: chat.ts('build') })
    assert.deepEqual(await search.find('has:pin'), ['Build 41 passed'])
    await chat.mira.stars.add({ channel: chat.channel('pumps'), timestamp: chat.ts('late') })
    assert.deepEqual(await search.find('is:saved'), [late])
    await chat.mira.chat.postMessage({ channel: chat.user('dev'), text: 'Between us' })
    assert.deepEqual(await search.find('is:dm'), ['Between us'])
    assert.deepEqual(await search.find('in:@dev'), ['Between us'])
    assert.deepEqual(await search.find('us', chat.lucia), [])
  })

  it('narrows by days of the world’s own clock', async () => {
    await using search = await searcher()
    assert.deepEqual(await search.find('on:2026-02-25'), [demo])
    assert.deepEqual(await search.find('after:2026-02-24'), [demo])
    assert.deepEqual(await search.find('before:2026-02-21 docs'), await search.find('docs'))
    assert.deepEqual(await search.find('before:2026-02-20'), [])
    assert.deepEqual(await search.find('during:february contoso'), [demo])
    assert.deepEqual(await search.find('during:2025'), [])
    assert.deepEqual(await search.find('on:today'), [])
    await search.chat.mira.chat.postMessage({ channel: search.chat.channel('pumps'), text: 'Fresh' })
    assert.deepEqual(await search.find('on:today'), ['Fresh'])
    search.chat.host.clock.now += 24 * 3_600_000
    assert.deepEqual(await search.find('on:yesterday'), ['Fresh'])
    assert.deepEqual(await search.find('after:yesterday'), [])
  })

  it('highlights, pages by number and by cursor, and refuses an empty query', async () => {
    await using search = await searcher()
    const { mira } = search.chat
    const marked = await mira.search.messages({ query: 'invoice', highlight: true })
    assert.equal(marked.messages?.matches?.[0]?.text, 'The *P-200* \ue000invoices\ue001 are late')
    const first = await mira.search.messages({ query: 'in:pumps', count: 3, sort: 'timestamp' })
    assert.deepEqual(first.messages?.paging, { count: 3, total: 4, page: 1, pages: 2 })
    const seen: string[] = []
    let cursor = '*'
    for (let n = 0; n < 5 && cursor !== ''; n++) {
      const page = await mira.apiCall('search.messages', { query: 'in:pumps', count: 3, cursor })
      seen.push(
        ...(page as unknown as { messages: { matches: { ts: string }[] } }).messages.matches.map(
          ({ ts }) => ts,
        ),
      )
      cursor = page.response_metadata?.next_cursor ?? ''
    }
    assert.equal(new Set(seen).size, 4)
    await assert.rejects(mira.search.messages({ query: ' ' }), /no_query/)
  })
})
