import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DiffEntry } from '@diorama/contract'
import { failsByUnasked, unaskedChanges, unaskedReport } from './unasked.ts'

const change = (operation: DiffEntry['operation'], id: string, more: Partial<DiffEntry> = {}): DiffEntry => ({
  service: 'crm',
  collection: 'Case',
  operation,
  key: null,
  id,
  before: null,
  after: null,
  changed: {},
  ...more,
})
const none = { records: [], creates: [], changes: [] }
const ids = (found: readonly DiffEntry[]) => found.map(({ id }) => id)

describe('a scorer accounts for', () => {
  it('updates of the records that it read, and not for their deletion', () => {
    const changes = [change('update', '1'), change('delete', '2'), change('update', '3')]
    const accounted = { ...none, records: ['crm Case 1', 'crm Case 2'] }
    assert.deepEqual(ids(unaskedChanges({ changes, requests: [] }, [accounted])), ['2', '3'])
  })

  it('changes that it named, of every kind', () => {
    const changes = [change('create', '1'), change('delete', '2'), change('create', '3')]
    const accounted = { ...none, changes: ['crm Case 1', 'crm Case 2'] }
    assert.deepEqual(ids(unaskedChanges({ changes, requests: [] }, [accounted])), ['3'])
  })

  it('one new record of a collection that it looked at, and for none where there are more', () => {
    const accounted = { ...none, creates: ['crm Case'] }
    const made = (count: number) => Array.from({ length: count }, (_, n) => change('create', String(n)))
    assert.deepEqual(ids(unaskedChanges({ changes: made(1), requests: [] }, [accounted])), [])
    assert.deepEqual(ids(unaskedChanges({ changes: made(2), requests: [] }, [accounted])), ['0', '1'])
    assert.deepEqual(ids(unaskedChanges({ changes: made(2), requests: [] }, [accounted, accounted])), [])
  })

  it('what follows from an accounted change in the same request, unless another request touched it too', () => {
    const line = change('update', 'line')
    const keyed = change('update', 'keyed', { key: 'other' })
    const changes = [change('update', 'order'), line, keyed]
    const accounted = { ...none, records: ['crm Case order'] }
    const mutation = (id: string) => ({ collection: 'Case', id })
    const asked = { service: 'crm', mutations: ['order', 'line', 'keyed'].map(mutation) }
    assert.deepEqual(ids(unaskedChanges({ changes, requests: [asked] }, [accounted])), ['keyed'])
    const stray = { service: 'crm', mutations: [mutation('line')] }
    assert.deepEqual(ids(unaskedChanges({ changes, requests: [asked, stray] }, [accounted])), [
      'line',
      'keyed',
    ])
  })
})

it('unasked changes fail a trial by the policy of its suite, and only where a scorer looks at the world', () => {
  const world = { changes: [change('update', '1')], requests: [] }
  assert.equal(failsByUnasked(unaskedReport(world, [none], 'fail')), true)
  assert.equal(failsByUnasked(unaskedReport(world, [none], 'warn')), false)
  assert.deepEqual(
    [unaskedReport(world, [undefined], 'fail').policy, unaskedReport(world, [undefined], 'fail').total],
    ['warn', 1],
  )
})
