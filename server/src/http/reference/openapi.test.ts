import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allRoutes, type RouteSpec } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import { openApi } from './openapi.ts'

type Json = Record<string, unknown>
/** Every object in a document but those in examples, with the pointer to it. */
function* objects(value: unknown, pointer = '#'): Generator<[pointer: string, Json]> {
  if (Array.isArray(value)) for (const [n, item] of value.entries()) yield* objects(item, `${pointer}/${n}`)
  if (!isRecord(value)) return
  yield [pointer, value]
  for (const [field, item] of Object.entries(value).filter(([name]) => name !== 'example'))
    yield* objects(item, `${pointer}/${field.replaceAll('/', '~1')}`)
}

const found = (document: Json, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), document)

const faults = (document: Json): string[] => {
  const faults: string[] = []
  for (const [pointer, object] of objects(document)) {
    const { $ref } = object
    if ($ref === pointer) faults.push(`${pointer} refers to itself`)
    if (typeof $ref === 'string' && (!$ref.startsWith('#/') || found(document, $ref) === undefined))
      faults.push(`${pointer} refers to ${$ref}, which is not there`)
    if (
      typeof object.type === 'string' &&
      !/^(string|number|integer|boolean|object|array|null|http)$/.test(object.type)
    )
      faults.push(`${pointer} has the type ${object.type}`)
    if (Array.isArray(object.required) && isRecord(object.properties))
      for (const field of object.required)
        if (!(String(field) in object.properties))
          faults.push(`${pointer} requires ${field}, which it does not have`)
  }
  return faults
}

const document = openApi('http://localhost:4400', '1.2.3')
const table: readonly (readonly [string, RouteSpec])[] = Object.entries(allRoutes)
const operationOf = (route: RouteSpec): Json => {
  const path = isRecord(document.paths) ? document.paths[route.path] : undefined
  const operation = isRecord(path) ? path[route.method.toLowerCase()] : undefined
  assert.ok(isRecord(operation), `${route.method} ${route.path} is described`)
  return operation
}

describe('the OpenAPI document', () => {
  it('is one of version 3.1 whose references all resolve', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.ok(isRecord(document.info) && document.info.title && document.info.version === '1.2.3')
    assert.deepEqual(document.servers, [{ url: 'http://localhost:4400' }])
    assert.deepEqual(faults(document), [])
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
  })

  it('describes every route of the table once, and no other', () => {
    const names = new Set(table.map(([name, route]) => operationOf(route).operationId === name && name))
    assert.equal(names.size, table.length)
    const described = Object.values(document.paths as Json).flatMap((path) => Object.keys(path as Json))
    assert.equal(described.length, table.length)
  })

  it('declares the parameters of every path, with a success and the errors that can come', () => {
    for (const [name, route] of table) {
      const { parameters, responses } = operationOf(route)
      assert.ok(Array.isArray(parameters) && isRecord(responses))
      const inPath = parameters.filter((one) => one.in === 'path' && one.required).map((one) => one.name)
      const braces = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one)
      assert.deepEqual(inPath.sort(), braces.sort(), name)
      assert.equal(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size, parameters.length, name)
      assert.ok(responses[String(route.status ?? 200)], name)
      assert.ok(route.scope === 'none' || responses['401'], name)
      for (const reply of Object.values(responses)) assert.ok(isRecord(reply) && reply.description, name)
    }
  })

  it('describes each operation and group in a sentence, and the refusals of every operation', () => {
    for (const [name, route] of table) {
      const { description, summary, responses } = operationOf(route)
      assert.ok(typeof description === 'string' && description.length > String(summary).length, name)
      assert.ok(
        Object.keys(responses as Json).some((status) => status.startsWith('4')),
        name,
      )
    }
    for (const tag of document.tags as Json[]) assert.match(String(tag.description), /^[A-Z].{10,}\.$/)
    const error = found(document, '#/components/schemas/Error')
    assert.ok(isRecord(error) && isRecord(error.properties) && error.properties.request_id)
  })

  it('holds no word that JSON Schema does not know', () => {
    const ours = [...objects(document)].filter(
      ([pointer, object]) => isRecord(object.aliases) && !pointer.endsWith('/properties'),
    )
    assert.deepEqual(ours, [])
  })

  it('has no bounds that are only those of integers', () => {
    const bounds = [...objects(document)].filter(([, { minimum, maximum }]) =>
      [minimum, maximum].some((bound) => Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER),
    )
    assert.deepEqual(bounds, [])
  })

  it('asks for a key wherever the edge does', () => {
    for (const [name, route] of table)
      assert.deepEqual(operationOf(route).security, route.scope === 'none' ? [] : [{ key: [] }], name)
  })
})

describe('the check of the document', () => {
  it('finds a reference to nowhere, a made-up type and a required field that is not there', () => {
    assert.equal(faults({ a: { $ref: '#/components/schemas/Missing' } }).length, 1)
    assert.equal(faults({ a: { type: 'text' } }).length, 1)
    assert.equal(faults({ a: { $ref: '#/a' } }).length, 1)
    assert.equal(faults({ a: { properties: { b: {} }, required: ['c'] } }).length, 1)
  })
})
