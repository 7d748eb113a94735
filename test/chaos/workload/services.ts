/** A twin as a client knows it. */
export interface TwinAccess {
  readonly id: string
  readonly token: string
}

/** One request to a twin, from the twin's root on. */
export interface TwinCall {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface TwinAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: each service has another shape.
  readonly json: any
  readonly headers: Headers
}

/** Sends a call and resolves to the answer of a success; anything else is thrown. */
export type Send = (call: TwinCall) => Promise<TwinAnswer>

/** How numbers are written to a kind of service and read back. */
export interface Service {
  /** What has to be known of the twin before the first write. */
  readonly prepare: (send: Send) => Promise<Writer>
}

export interface Writer {
  readonly write: (send: Send, n: number) => Promise<void>
  /** A page of the newest, oldest first; `next` where there are older ones. */
  readonly read: (send: Send, page?: string) => Promise<{ numbers: number[]; next?: string | undefined }>
}

export const pageSize = 100
const mark = 'chaos'
const named = (n: number): string => `${mark} ${n}`
const numbersOf = (texts: readonly string[]): number[] =>
  texts.flatMap((text) => (text.startsWith(`${mark} `) ? [Number(text.slice(mark.length + 1))] : []))

const expectMark = (answer: unknown, n: number): void => {
  if (!JSON.stringify(answer).includes(named(n)))
    throw new Error(`the reply to write ${n} is of another: ${JSON.stringify(answer).slice(0, 200)}`)
}

const chat: Service = {
  prepare: async (send) => {
    const call = async (by: Send, method: string, args: Record<string, string>) => {
      const { json } = await by({
        method: 'POST',
        path: `/api/${method}`,
        body: new URLSearchParams(args).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      if (json.ok !== true) throw new Error(`${method}: ${JSON.stringify(json)}`)
      return json
    }
    const created = await call(send, 'conversations.create', { name: mark })
    const channel: string = created.channel.id
    return {
      write: async (by, n) => expectMark(await call(by, 'chat.postMessage', { channel, text: named(n) }), n),
      read: async (by, cursor = '') => {
        const json = await call(by, 'conversations.history', { channel, limit: String(pageSize), cursor })
        const texts = json.messages.map(({ text }: { text: string }) => text).reverse()
        return { numbers: numbersOf(texts), next: json.response_metadata?.next_cursor || undefined }
      },
    }
  },
}

const tracker: Service = {
  prepare: async (send) => {
    const ask = async (by: Send, query: string, variables: object = {}) => {
      const body = JSON.stringify({ query, variables })
      const { json } = await by({
        method: 'POST',
        path: '/graphql',
        body,
        headers: { 'content-type': 'application/json' },
      })
      if (json.errors) throw new Error(JSON.stringify(json.errors).slice(0, 300))
      return json.data
    }
    const { teams } = await ask(send, '{ teams { nodes { id } } }')
    const teamId = teams.nodes[0].id
    const create = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { title } } }`
    const list = `query ($after: String) { issues(first: ${pageSize}, after: $after, orderBy: createdAt,
      filter: { title: { startsWith: "${mark} " } }) { nodes { title } pageInfo { endCursor hasNextPage } } }`
    return {
      write: async (by, n) => expectMark(await ask(by, create, { input: { teamId, title: named(n) } }), n),
      read: async (by, after) => {
        const { issues } = await ask(by, list, { after })
        const titles = issues.nodes.map(({ title }: { title: string }) => title).reverse()
        const { endCursor, hasNextPage } = issues.pageInfo
        return { numbers: numbersOf(titles), next: hasNextPage ? endCursor : undefined }
      },
    }
  },
}

const crm: Service = {
  prepare: async () => {
    const root = '/services/data/v62.0'
    const json = { 'content-type': 'application/json' }
    return {
      write: async (by, n) => {
        const body = JSON.stringify({ Name: named(n) })
        const answer = await by({ method: 'POST', path: `${root}/sobjects/Account`, body, headers: json })
        if (answer.json.success !== true) throw new Error(JSON.stringify(answer.json))
      },
      read: async (by, before) => {
        const older = before === undefined ? '' : ` AND Id < '${before}'`
        const soql = `SELECT Id, Name FROM Account WHERE Name LIKE '${mark} %'${older} ORDER BY Id DESC LIMIT ${pageSize}`
        const answer = await by({ path: `${root}/query?q=${encodeURIComponent(soql)}` })
        const rows: { Id: string; Name: string }[] = answer.json.records.reverse()
        const next = rows.length < pageSize ? undefined : rows[0]?.Id
        return { numbers: numbersOf(rows.map(({ Name }) => Name)), next }
      },
    }
  },
}

const erp: Service = {
  prepare: async (send) => {
    const root = '/sap/opu/odata/sap/API_SALES_ORDER_SRV'
    const accept = { accept: 'application/json' }
    const fetched = await send({
      path: `${root}/A_SalesOrder?$top=1`,
      headers: { ...accept, 'x-csrf-token': 'Fetch' },
    })
    const proof = {
      ...accept,
      'content-type': 'application/json',
      'x-csrf-token': fetched.headers.get('x-csrf-token') ?? '',
      cookie: fetched.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    }
    const { SalesOrganization, DistributionChannel, OrganizationDivision, SoldToParty } =
      fetched.json.d.results[0]
    const order = {
      ...{ SalesOrderType: 'OR', SalesOrganization, DistributionChannel, OrganizationDivision, SoldToParty },
      to_Item: [{ Material: 'RILL-4', RequestedQuantity: '1' }],
    }
    return {
      write: async (by, n) => {
        const body = JSON.stringify({ ...order, PurchaseOrderByCustomer: named(n) })
        const answer = await by({ method: 'POST', path: `${root}/A_SalesOrder`, body, headers: proof })
        expectMark(answer.json, n)
      },
      read: async (by, skip = '0') => {
        const query = `$orderby=SalesOrder desc&$top=${pageSize}&$skip=${skip}&$select=SalesOrder,PurchaseOrderByCustomer`
        const answer = await by({ path: `${root}/A_SalesOrder?${encodeURI(query)}`, headers: accept })
        const rows: { PurchaseOrderByCustomer: string }[] = answer.json.d.results.reverse()
        const next = rows.length < pageSize ? undefined : String(Number(skip) + pageSize)
        return { numbers: numbersOf(rows.map((row) => row.PurchaseOrderByCustomer)), next }
      },
    }
  },
}

/** By the kind of service. */
export const services: Readonly<Record<string, Service>> = { chat, tracker, crm, erp }
