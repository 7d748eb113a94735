// What an agent does that knows nothing but the Model Context Protocol: it is given the servers' addresses and tokens,
// and calls their tools by the names that the vendors gave them. It is scripted, so that it does the same each time.

/** Does the task of the instruction with these servers, `{ chat: { url, token }, … }`, and returns the answer. */
export const work = async (instruction, servers, onCall = () => {}) => {
  const server = (kind) => {
    let id = 0
    const send = async (method, params) => {
      const reply = await fetch(servers[kind].url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${servers[kind].token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(params.name ? { 'mcp-name': params.name } : {}),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++id,
          method,
          params: {
            ...params,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      })
      const { result, error } = await reply.json()
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    }
    return async (name, args) => {
      onCall(name)
      const { content, isError } = await send('tools/call', { name, arguments: args })
      if (isError) throw new Error(`${name}: ${content[0].text}`)
      return JSON.parse(content[0].text)
    }
  }
  const chat = server('chat')
  const tracker = server('tracker')
  const crm = server('crm')
  const erp = server('erp')

  const channel = async (name) => {
    const { results } = await chat('slack_search_channels', {
      query: name,
      channel_types: 'public_channel,private_channel',
    })
    return new RegExp(`Name: #${name}\\nChannel ID: (\\w+)`).exec(results)[1]
  }
  const soql = async (query) => (await crm('soqlQuery', { query })).records

  const escalate = async () => {
    const [found] = await soql(
      "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%drift%' AND IsClosed = false",
    )
    await crm('updateSobjectRecord', { 'sobject-name': 'Case', id: found.Id, body: { Status: 'Escalated' } })
    await chat('slack_send_message', {
      channel_id: await channel('support-escalations'),
      message: `Case ${found.CaseNumber} is escalated.`,
    })
    return `Escalated case ${found.CaseNumber}.`
  }

  const moveDelivery = async () => {
    const orders = { serviceId: 'API_SALES_ORDER_SRV', entityName: 'A_SalesOrder' }
    const { results } = await erp('execute-entity-operation', {
      ...orders,
      operation: 'read',
      queryOptions: { $filter: "PurchaseOrderByCustomer eq 'CVW-2291'" },
    })
    const { SalesOrder } = results[0]
    await erp('execute-entity-operation', {
      ...orders,
      operation: 'update',
      parameters: { SalesOrder, RequestedDeliveryDate: `/Date(${Date.UTC(2026, 2, 20)})/` },
    })
    const channel_id = await channel('orders')
    const { messages } = await chat('slack_read_channel', { channel_id, limit: 100 })
    const question = messages.split('\n\n=== ').find((message) => message.includes('CVW-2291'))
    await chat('slack_send_message', {
      channel_id,
      thread_ts: /Message TS: (\S+)/.exec(question)[1],
      message: 'Done: the requested delivery date is now 2026-03-20.',
    })
    return `Moved order ${SalesOrder} to 2026-03-20.`
  }

  const handOver = async () => {
    const { issues } = await tracker('list_issues', { query: 'Turbidity baseline drifts after nine days' })
    const { users } = await tracker('list_users', { query: 'Aiko' })
    await tracker('save_issue', {
      id: issues[0].id,
      assignee: users[0].email,
      state: 'In Progress',
      priority: 1,
    })
    return `Handed ${issues[0].id} over.`
  }

  const renewal = async () => {
    const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Calder Valley Water - Renewal 2026'")
    const body = { StageName: 'Negotiation/Review' }
    await crm('updateSobjectRecord', { 'sobject-name': 'Opportunity', id: deal.Id, body })
    return 'The renewal stands at Negotiation/Review.'
  }

  const jobs = [
    [/escalated/i, escalate],
    [/spare probes/i, moveDelivery],
    [/drift issue/i, handOver],
    [/renewal/i, renewal],
  ]
  const job = jobs.find(([pattern]) => pattern.test(instruction))
  return job ? job[1]() : 'I do not know how to do this.'
}
