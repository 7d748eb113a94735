import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordFields } from '@diorama/twin-kit/kernel/record-fields'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance } from '@diorama/twin-kit/testing/host'
import { testSection as chatSection } from '../twins/chat/testing/section.ts'
import { chat } from '../twins/chat/twin.ts'
import { section as crmSection } from '../twins/crm/testing/world.ts'
import { crm } from '../twins/crm/twin.ts'
import { testSection as erpSection } from '../twins/erp/testing/section.ts'
import { erp } from '../twins/erp/twin.ts'
import { section as trackerSection } from '../twins/tracker/testing/world.ts'
import { tracker } from '../twins/tracker/twin.ts'

const worlds: readonly (readonly [AnyTwin, unknown])[] = [
  [chat, chatSection],
  [tracker, trackerSection],
  [crm, crmSection],
  [erp, erpSection],
]

describe('the listed fields of collections', () => {
  for (const [twin, section] of worlds)
    it(`are all that a record of ${twin.kind} has`, () => {
      const { instance } = startInstance(seedFor(twin, section))
      const listed = recordFields(twin)
      let seen = 0
      for (const [collection, fields] of listed) {
        const known = new Set(fields)
        for (const row of instance.tables[collection]?.all() ?? []) {
          const shown = twin.present?.(collection, row, instance.tables) ?? row
          assert.deepEqual(
            Object.keys(shown).filter((name) => !known.has(name)),
            [],
            collection,
          )
          seen++
        }
      }
      assert.ok(seen > 10)
    })
})
