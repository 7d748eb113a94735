import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'

const twinOf = async (service: TestService, kind: string) => {
  const { body } = await service.call('POST', '/v1/twins', { service: kind })
  const authorization = kind === 'tracker' ? body.token : `Bearer ${body.token}`
  const send = (method: string, path: string, headers: Record<string, string>, sent?: unknown) =>
    fetch(`${body.baseUrl}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', accept: 'application/json', ...headers },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
  const call = async (method: string, path: string, sent?: unknown) => {
    const reply = await send(method, path, await permitOf(kind, path, send), sent)
    const text = await reply.text()
    assert.ok(reply.status < 300, text)
    return text === '' ? undefined : JSON.parse(text)
  }
  return { id: body.id as string, call }
}

/** What a service asks for besides a token before it lets anything be changed. */
const permitOf = async (
  kind: string,
  path: string,
  send: (method: string, path: string, headers: Record<string, string>) => Promise<Response>,
): Promise<Record<string, string>> => {
  if (kind !== 'erp') return {}
  const { headers } = await send('GET', path, { 'x-csrf-token': 'fetch' })
  return {
    'if-match': '*',
    'x-csrf-token': headers.get('x-csrf-token') ?? '',
    cookie: headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  }
}

const timeline = async (service: TestService, type: string, id: string) =>
  (await service.call('GET', `/v1/timeline/${type}/${id}`)).body.items

describe("the twins' own changes in a timeline", () => {
  it('are found by the number on an issue, and show it as people see it', async () => {
    await using service = await testService()
    const tracker = await twinOf(service, 'tracker')
    const graphql = (query: string) => tracker.call('POST', '/graphql', { query })
    const { data } = await graphql(
      '{ issue(id: "FW-1") { id team { states { nodes { id name type } } } state { id } } }',
    )
    const state = data.issue.team.states.nodes.find(
      (one: { id: string; type: string }) => one.type === 'canceled' && one.id !== data.issue.state.id,
    )
    await service.call('POST', '/v1/events', {
      source: 'desk',
      topic: 't',
      event_type: 'e',
      entities: { issue: 'FW-1' },
    })
    await graphql(`mutation { issueUpdate(id: "FW-1", input: { stateId: "${state.id}" }) { success } }`)
    const [change, event] = await timeline(service, 'issue', 'FW-1')
    assert.deepEqual([change.kind, event.kind], ['change', 'event'])
    assert.equal(change.source, 'tracker')
    assert.equal(change.event_type, 'update')
    assert.equal(change.payload.twin_id, tracker.id)
    assert.equal(change.payload.record_id, data.issue.id)
    assert.deepEqual(change.payload.names, ['FW-1'])
    assert.equal(typeof change.payload.key, 'string')
    assert.equal(change.payload.after.stateName, state.name)
    assert.notEqual(change.payload.before.stateName, state.name)
    const byId = await timeline(service, 'Issue', data.issue.id)
    assert.deepEqual(
      byId.map(({ id }: { id: string }) => id),
      [change.id],
    )
    assert.deepEqual(await timeline(service, 'issue', 'FW-2'), [])
  })

  it('are found by the number of a case and of an order, also after the twin was stopped', async () => {
    await using service = await testService()
    const crm = await twinOf(service, 'crm')
    const query = encodeURIComponent('SELECT Id, CaseNumber FROM Case LIMIT 1')
    const { records } = await crm.call('GET', `/services/data/v60.0/query?q=${query}`)
    const [{ Id, CaseNumber }] = records
    await crm.call('PATCH', `/services/data/v60.0/sobjects/Case/${Id}`, { Subject: 'Told again' })
    const erp = await twinOf(service, 'erp')
    await erp.call('PATCH', "/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder('7001')", {
      PurchaseOrderByCustomer: 'told again',
    })
    await service.call('POST', `/v1/twins/${crm.id}/stop`)
    const [told] = await timeline(service, 'case', CaseNumber)
    assert.equal(told.payload.after.Subject, 'Told again')
    assert.equal(told.payload.record_id, Id)
    for (const type of ['order', 'sales_order', 'SalesOrder']) {
      const [order] = await timeline(service, type, '7001')
      assert.equal(order?.payload.after.PurchaseOrderByCustomer, 'told again', type)
    }
  })

  it('of many copies of a world come page by page, each once', async () => {
    await using service = await testService()
    const copies = 23
    for (let n = 0; n < copies; n++) {
      const chat = await twinOf(service, 'chat')
      await chat.call('POST', '/api/conversations.setTopic', {
        channel: await general(service, chat.id),
        topic: `t${n}`,
      })
    }
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 10; page++) {
      const { body } = await service.call('GET', `/v1/timeline/channel/general?limit=50${cursor}`)
      assert.ok(body.items.length <= 20)
      seen.push(...body.items.map((item: { payload: { twin_id: string } }) => item.payload.twin_id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.equal(seen.length, copies)
    assert.equal(new Set(seen).size, copies)
  })
})

const general = async (service: TestService, twinId: string): Promise<string> => {
  const { body } = await service.call('GET', `/v1/twins/${twinId}/state?collection=channel`)
  return body.items.find(({ record }: { record: { name: string } }) => record.name === 'general').id
}
