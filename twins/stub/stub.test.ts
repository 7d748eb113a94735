import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '@diorama/twin-kit/conformance'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { check } from './check.ts'
import { section as Section } from './section.ts'
import { stub } from './twin.ts'

const json = (schema: object, example?: unknown) => ({
  content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
})
const customer = { $ref: '#/components/schemas/Customer' }
const page = {
  type: 'object',
  properties: { data: { type: 'array', items: customer }, more: { type: 'boolean' } },
}
const openapi = {
  openapi: '3.0.3',
  info: { title: 'Billing', version: '1' },
  servers: [{ url: 'https://{region}.billing.example.com/v2', variables: { region: { default: 'eu' } } }],
  paths: {
    '/customers': {
      get: { responses: { 200: json(page, { data: [], more: false }) } },
      post: { requestBody: json(customer), responses: { 201: json(customer), 422: {} } },
    },
    '/customers/{id}': {
      get: { responses: { 200: json(customer), 404: json({}, { code: 'no_customer' }) } },
      put: { requestBody: json(customer), responses: { 200: json(customer) } },
      patch: { requestBody: json(customer), responses: { 200: json(customer) } },
      delete: { responses: { 204: { description: 'Gone' } } },
    },
    '/customers/{customer}/notes': {
      get: { responses: { 200: json({ type: 'array', items: { type: 'object' } }) } },
      post: { responses: { 200: json({ type: 'object' }) } },
    },
    '/customers/{customer}/notes/{id}': { get: { responses: { 200: json({ type: 'object' }) } } },
    '/status': { get: { responses: { 200: json({ type: 'object' }, { up: true }) } } },
    '/report': { get: { responses: { 200: json({ type: 'object' }) } } },
  },
  components: {
    schemas: {
      Customer: {
        type: 'object',
        required: ['name'],
        properties: { id: { type: 'integer' }, name: { type: 'string' }, tier: { type: 'string' } },
      },
    },
  },
}
const entry = (method: string, url: string, reply: string, body?: string) => ({
  request: { method, url, ...(body === undefined ? {} : { postData: { text: body } }) },
  response: { status: 200, content: { mimeType: 'application/json', text: reply } },
})
const har = {
  log: {
    entries: [
      entry('GET', 'https://rates.example.org/latest?base=EUR&to=USD', '{"rate":1.1}'),
      entry('POST', 'https://rates.example.org/quote', '{"quote":1}', '{"from":"EUR","to":"USD"}'),
      entry('POST', 'https://rates.example.org/quote', '{"quote":2}', '{"to":"USD","from":"EUR"}'),
    ],
  },
}
const section = Section.parse({
  services: [
    {
      name: 'billing',
      openapi,
      records: [{ path: '/customers', key: 'acme', value: { id: 7, name: 'Ácme', tier: 'gold' } }],
    },
    { name: 'rates', har },
  ],
})

const ask = (
  method: string,
  path: string,
  credential?: string,
  body?: unknown,
  host?: string,
): TwinRequest => {
  const [target = '', query = ''] = path.split('?')
  return {
    method,
    path: target,
    query,
    headers: credential ? { authorization: `Bearer ${credential}` } : {},
    body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
    baseUrl: 'http://twin.example',
    ...(host ? { host } : {}),
  }
}

const requests: Readonly<Record<string, readonly [string, string, unknown?]>> = {
  list: ['GET', '/billing/customers'],
  read: ['GET', '/billing/customers/7'],
  example: ['GET', '/billing/status'],
  create: ['POST', '/billing/customers', { name: 'New' }],
  replace: ['PUT', '/billing/customers/7', { name: 'Other' }],
  patch: ['PATCH', '/billing/customers/7', { tier: null }],
  delete: ['DELETE', '/billing/customers/7'],
  replay: ['GET', '/rates/latest?to=USD&base=EUR'],
  replayNext: ['POST', '/rates/quote', { to: 'USD', from: 'EUR' }],
}

conforms(stub, {
  section,
  company: testCompany,
  request: (operation, credential) => {
    const [method, path, body] = requests[operation] ?? []
    return method && path ? ask(method, path, credential, body) : undefined
  },
  refuses: (status) => status === 401,
  script: (credential) => [
    ask('POST', '/billing/customers', credential, { name: 'One' }),
    ask('PATCH', '/billing/customers/7', credential, { tier: 'silver' }),
    ask('POST', '/rates/quote', credential, { from: 'EUR', to: 'USD' }),
    ask('DELETE', '/billing/customers/7', credential),
  ],
})

describe('a service from its OpenAPI document', () => {
  const start = () => {
    const { instance, token } = startInstance(seedFor(stub, section))
    return (method: string, path: string, body?: unknown, host?: string) => {
      const { step } = instance.handle(ask(method, path, token, body, host), testCompany.clock)
      const text = String(step.reply.body)
      return { status: step.reply.status, body: text === '' ? undefined : JSON.parse(text), step }
    }
  }

  it('keeps its collections: what is posted is listed, read, changed and deleted', () => {
    const call = start()
    const made = call('POST', '/billing/customers', { name: 'Umlaut Gmbh' })
    assert.deepEqual([made.status, made.body], [201, { id: 8, name: 'Umlaut Gmbh' }])
    assert.equal(made.step.operation, 'billing POST /customers')
    assert.deepEqual(call('GET', '/billing/customers').body, {
      data: [
        { id: 7, name: 'Ácme', tier: 'gold' },
        { id: 8, name: 'Umlaut Gmbh' },
      ],
      more: false,
    })
    assert.deepEqual(call('GET', '/billing/customers?tier=gold').body.data.length, 1)
    assert.deepEqual(call('GET', '/billing/customers?limit=1&offset=1').body.data[0].id, 8)
    assert.deepEqual(call('PATCH', '/billing/customers/7', { tier: null, vat: { id: 'x' } }).body, {
      ...{ id: 7, name: 'Ácme', vat: { id: 'x' } },
    })
    assert.deepEqual(call('PUT', '/billing/customers/7', { id: 99, name: 'B' }).body, { id: 7, name: 'B' })
    assert.deepEqual(
      [call('DELETE', '/billing/customers/7').status, call('GET', '/billing/customers/7').body],
      [204, { code: 'no_customer' }],
    )
  })

  it('keeps a collection below a record apart from that of another one', () => {
    const call = start()
    const { id } = call('POST', '/billing/customers/7/notes', { text: 'hi' }).body
    assert.equal(call('GET', `/billing/customers/7/notes/${id}`).body.text, 'hi')
    assert.deepEqual(call('GET', '/billing/customers/8/notes').body, [])
  })

  it('answers at the host of its document, below the base of its server', () => {
    const call = start()
    const host = 'eu.billing.example.com'
    assert.equal(call('GET', '/v2/customers/7', undefined, host).body.name, 'Ácme')
    assert.equal(call('GET', '/v3/customers/7', undefined, host).status, 501)
    const { hosts, variables } = stub.clients({
      slug: 'x',
      token: 't',
      views: () => startInstance(seedFor(stub, section)).instance.tables,
    })
    assert.ok(hosts.includes(host) && hosts.includes('rates.example.org'), String(hosts))
    assert.equal(variables.STUB_BILLING_URL, `https://${host}/v2`)
  })

  it('refuses a body that lacks what the document requires, at the status that it declares', () => {
    const call = start()
    assert.deepEqual(
      [call('POST', '/billing/customers', {}).status, call('POST', '/billing/customers', 'x').status],
      [422, 422],
    )
    assert.equal(call('POST', '/billing/customers', { id: 7, name: 'Again' }).status, 409)
  })

  it('does not guess: what the document leaves open is not emulated', () => {
    const call = start()
    assert.deepEqual(call('GET', '/billing/status').body, { up: true })
    for (const path of ['/billing/report', '/billing/nowhere', '/billing/customers?sort=name', '/other/x']) {
      const { status, step } = call('GET', path)
      assert.equal(status, 501, path)
      assert.equal(step.notEmulated.length, 1, path)
    }
  })

  it('replays a recording in its order, and nothing else', () => {
    const call = start()
    assert.deepEqual(call('GET', '/latest?to=USD&base=EUR', undefined, 'rates.example.org').body, {
      rate: 1.1,
    })
    const quote = () => call('POST', '/rates/quote', { to: 'USD', from: 'EUR' }).body.quote
    assert.deepEqual([quote(), quote(), quote()], [1, 2, 2])
    assert.equal(call('POST', '/rates/quote', { to: 'GBP' }).status, 501)
    assert.equal(call('GET', '/rates/latest?base=EUR').status, 501)
  })
})

describe('the section of other services', () => {
  const errors = (services: object[]) => {
    const findings = createFindings()
    check(Section.parse({ services }), { findings, handles: new Set(), clock: '2026-03-02T09:00:00Z' })
    return findings.errors.map(({ pointer }) => pointer)
  }

  it('is held to what its documents say, and the field is named', () => {
    assert.deepEqual(errors(section.services), [])
    assert.deepEqual(errors([{ name: 'a' }]), ['/services/0'])
    assert.deepEqual(errors([{ name: 'a', openapi: { swagger: '2.0' } }]), ['/services/0/openapi'])
    assert.deepEqual(errors([{ name: 'a', openapi: { ...openapi, servers: [{ url: '/v1' }] } }]), [
      '/services/0/openapi/servers',
    ])
    const records = [
      { path: '/invoices', value: { id: 1 } },
      { path: '/customers', value: {} },
    ]
    assert.deepEqual(errors([{ name: 'a', openapi, records }]), [
      '/services/0/records/0/path',
      '/services/0/records/1/value/id',
    ])
    assert.deepEqual(errors([{ name: 'a', har: { log: { entries: [{}] } } }]), [
      '/services/0/har/log/entries/0/request/method',
    ])
    const large = { ...openapi, info: { title: 'x'.repeat(1_100_000) } }
    assert.deepEqual(errors([{ name: 'a', openapi: large }]), ['/services/0/openapi'])
    assert.deepEqual(
      errors([
        { name: 'a', openapi },
        { name: 'a', har },
      ]),
      ['/services/1/name'],
    )
  })
})
