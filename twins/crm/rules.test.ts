import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileRules } from './testing/rules/files.ts'
import { peopleRules } from './testing/rules/people.ts'
import type { VendorRule } from './testing/rules/rule.ts'
import { savingRules } from './testing/rules/saving.ts'
import { sellingRules } from './testing/rules/selling.ts'
import { workingRules } from './testing/rules/working.ts'
import { busyOrganization } from './testing/setup.ts'

/** Every rule of the vendor's reference that the twin keeps, each proved in an organization that is in use. */
const prove = ({ when, is }: VendorRule): void => {
  const { status, body } = when(busyOrganization())
  if (typeof is === 'string') assert.deepEqual([status >= 400, body[0]?.errorCode], [true, is])
  else {
    assert.ok(status < 300, JSON.stringify(body))
    assert.deepEqual(Object.fromEntries(Object.keys(is).map((name) => [name, body[name]])), is)
  }
}

describe('a rule that the vendor states holds', () => {
  for (const rule of [...sellingRules, ...peopleRules, ...workingRules, ...fileRules, ...savingRules])
    it(`${rule.object}: ${rule.rule}`, () => prove(rule))
})
