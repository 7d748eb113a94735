import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stale } from './testing/catalogue/make.ts'
import { busyOrganization, callOn } from './testing/setup.ts'

/** What one request was recorded to have asked for in vain, and how it was answered. */
const asked = (method: string, path: string, body?: unknown) => {
  const { instance, token } = busyOrganization()
  const { status, body: answer, step } = callOn(instance, token, method, path, body)
  return {
    status,
    code: answer[0]?.errorCode ?? answer[0]?.errors?.[0]?.statusCode,
    counted: step.notEmulated,
  }
}
const query = (text: string): string => `/query?q=${encodeURIComponent(text)}`

describe('what the real service has and the twin has not', () => {
  it('answers as an unknown object in a path, and is counted', () => {
    assert.deepEqual(asked('GET', '/sobjects/WorkOrder/describe'), {
      status: 404,
      code: 'NOT_FOUND',
      counted: ['object WorkOrder'],
    })
    assert.deepEqual(asked('POST', '/sobjects/Survey', { Name: 'x' }).counted, ['object Survey'])
  })
  it('answers as an unknown object in a query or a search, and is counted', () => {
    assert.deepEqual(asked('GET', query('SELECT Id FROM WorkOrder')), {
      status: 400,
      code: 'INVALID_TYPE',
      counted: ['object WorkOrder'],
    })
    const search = `/search?q=${encodeURIComponent('FIND {pump} RETURNING WorkOrder(Id)')}`
    assert.deepEqual(asked('GET', search).counted, ['object WorkOrder'])
  })
  it('is counted in rows of collections', () => {
    const records = [{ attributes: { type: 'WorkOrder' }, Subject: 'x' }]
    assert.deepEqual(asked('POST', '/composite/sobjects', { records }).counted, ['object WorkOrder'])
  })
  it('is counted where a field or a relationship of a known object is missing', () => {
    assert.deepEqual(asked('GET', query('SELECT Id, Jigsaw FROM Case')).counted, [])
    assert.deepEqual(asked('GET', query('SELECT Id, (SELECT Id FROM Feeds) FROM Account')), {
      status: 400,
      code: 'INVALID_TYPE',
      counted: ['relation Account.Feeds'],
    })
  })
  it('is counted for resources beside the objects', () => {
    for (const [path, operation] of [
      ['/graphql', 'graphql'],
      ['/metadata/deployRequest', 'metadata'],
      ['/services/data/v62.0/odata4/x', 'odata4'],
      ['/wave/dashboards', 'wave'],
      ['/services/apexrest/x', 'apexrest'],
    ] as const)
      assert.deepEqual(asked('GET', path), { status: 404, code: 'NOT_FOUND', counted: [operation] }, path)
  })
  it('is not counted where the real service has no such thing either', () => {
    assert.deepEqual(asked('GET', query('SELECT Id FROM Nope')).counted, [])
    assert.deepEqual(asked('GET', '/sobjects/Nope').counted, [])
    assert.deepEqual(asked('GET', query('SELECT Foo FROM Account')).counted, [])
    assert.deepEqual(asked('GET', '/nowhere').counted, [])
  })
})

describe('the catalogue of objects', () => {
  it('is what its generator makes of its sources', () => {
    assert.deepEqual(stale(), [])
  })
})
