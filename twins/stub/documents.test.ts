import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { check } from './check.ts'
import { section as Section } from './section.ts'
import { stub } from './twin.ts'

/** As generators of today write them: types that allow null, parts put together, examples in schemas, no 200. */
const petShop = {
  openapi: '3.1.0',
  info: { title: 'Pet shop', version: '2.0.0' },
  servers: [{ url: 'https://pets.example.com/api' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: {
          '2XX': {
            description: 'A page',
            content: {
              'application/json; charset=utf-8': {
                schema: { type: ['array', 'null'], items: { $ref: '#/components/schemas/Pet' } },
              },
            },
          },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
      post: {
        requestBody: { $ref: '#/components/requestBodies/NewPet' },
        responses: {
          '201': {
            description: 'Made',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      },
    },
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        responses: {
          default: {
            description: 'The pet',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      },
    },
    '/größen/übersicht': {
      get: {
        responses: {
          '200': {
            description: 'Sizes',
            content: {
              'application/json': { schema: { type: 'object', examples: [{ größen: ['S', '大'] }] } },
            },
          },
        },
      },
    },
    '/broken': {
      get: {
        responses: { '200': { content: { 'application/json': { schema: { $ref: '#/nowhere/%E0%A4%A' } } } } },
      },
    },
  },
  components: {
    schemas: {
      Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      Pet: {
        allOf: [
          { $ref: '#/components/schemas/Named' },
          {
            required: ['kind'],
            properties: { id: { type: ['integer', 'null'] }, kind: { type: ['string', 'null'] } },
          },
        ],
      },
    },
    requestBodies: {
      NewPet: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    },
    responses: { Problem: { description: 'Wrong', content: { 'application/problem+json': {} } } },
  },
}

const form = (params: readonly { name: string; value: string }[], text: string) => ({
  startedDateTime: '2026-03-02T09:00:00.000Z',
  time: 12,
  request: {
    method: 'POST',
    url: 'https://login.example.org/token',
    httpVersion: 'HTTP/2',
    headers: [],
    queryString: [],
    postData: { mimeType: 'application/x-www-form-urlencoded; charset=utf-8', params },
  },
  response: { status: 200, headers: [], content: { size: 9, mimeType: 'application/json', text } },
})
const recording = {
  log: {
    version: '1.2',
    creator: { name: 'a browser', version: '1' },
    pages: [],
    entries: [
      form([{ name: 'grant type', value: 'Zürich & 東京' }], '{"token":"é"}'),
      {
        request: { method: 'get', url: 'https://login.example.org/logo' },
        response: { status: 200, content: { mimeType: 'image/png', text: 'iVBORw0=', encoding: 'base64' } },
      },
    ],
  },
}

const section = Section.parse({
  services: [
    {
      name: 'pets',
      openapi: petShop,
      records: [{ path: '/pets', key: 'rex', value: { id: 3, name: 'Réx', kind: null } }],
    },
    { name: 'login', har: recording },
  ],
})

const start = () => {
  const { instance, token } = startInstance(seedFor(stub, section))
  return (method: string, path: string, body = '', headers: Record<string, string> = {}) => {
    const request = {
      ...{ method, path, query: '', baseUrl: 'http://twin.example', body: Buffer.from(body) },
      headers: { authorization: `Bearer ${token}`, ...headers },
    }
    const { step } = instance.handle(request, testCompany.clock)
    return { status: step.reply.status, reply: Buffer.from(step.reply.body ?? ''), step }
  }
}
const parsed = ({ reply }: { reply: Buffer }) => JSON.parse(reply.toString('utf8'))

describe('documents as others write them', () => {
  it('have state in OpenAPI 3.1: types that allow null, parts of a schema, a range of statuses', () => {
    const call = start()
    assert.deepEqual(parsed(call('GET', '/pets/pets')), [{ id: 3, name: 'Réx', kind: null }])
    const made = call('POST', '/pets/pets', '{"name":"猫","kind":"cat"}')
    assert.deepEqual([made.status, parsed(made)], [201, { id: 4, name: '猫', kind: 'cat' }])
    assert.equal(parsed(call('GET', '/pets/pets/4')).name, '猫')
    assert.deepEqual([made.step.operation, made.step.notEmulated], ['pets POST /pets', []])
    for (const lacking of ['{"name":"No kind"}', '{"kind":"No name"}', '[]', '{'])
      assert.equal(call('POST', '/pets/pets', lacking).status, 400, lacking)
  })

  it('have paths and examples in any script, however a client encodes them', () => {
    const call = start()
    for (const path of ['/größen/übersicht', '/gr%C3%B6%C3%9Fen/%C3%BCbersicht'])
      assert.deepEqual(parsed(call('GET', `/pets${path}`)), { größen: ['S', '大'] })
    assert.equal(call('GET', '/pets/broken').status, 501)
    assert.equal(call('GET', '/pets/%E0%A4%A').status, 501)
  })

  it('are recordings of forms and of bytes', () => {
    const call = start()
    const sent = new URLSearchParams({ 'grant type': 'Zürich & 東京' }).toString()
    assert.deepEqual(parsed(call('POST', '/login/token', sent)), { token: 'é' })
    assert.equal(call('POST', '/login/token', 'grant+type=Bern').status, 501)
    assert.deepEqual(call('GET', '/login/logo').reply, Buffer.from('iVBORw0=', 'base64'))
  })

  it('are refused with a pointer where they are wrong, and never break the check', () => {
    const errors = (service: object) => {
      const findings = createFindings()
      check(Section.parse({ services: [{ name: 'a', ...service }] }), {
        findings,
        handles: new Set(),
        clock: '2026-03-02T09:00:00Z',
      })
      return findings.errors.map(({ pointer }) => pointer)
    }
    assert.deepEqual(errors({ openapi: petShop }), [])
    assert.deepEqual(errors({ openapi: { ...petShop, openapi: '2.0' } }), ['/services/0/openapi'])
    assert.deepEqual(errors({ openapi: { ...petShop, paths: { '/x': null } } }), [
      '/services/0/openapi/paths',
    ])
    const entries = [
      { request: { method: 'GET', url: '/relative' }, response: { status: 200 } },
      { request: { method: 'GET', url: 'https://a.example/' }, response: { status: 0 } },
    ]
    assert.deepEqual(errors({ har: { log: { entries } } }), [
      '/services/0/har/log/entries/0/request/url',
      '/services/0/har/log/entries/1/response/status',
    ])
  })
})
