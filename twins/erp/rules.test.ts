import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import rules from './rules.json' with { type: 'json' }

describe('the table of business rules', () => {
  it('names a test file for every rule that is done, and none twice', () => {
    assert.equal(new Set(rules.map(({ rule }) => rule)).size, rules.length)
    for (const { rule, status, test } of rules)
      assert.equal(status === 'done', test !== undefined && existsSync(join(import.meta.dirname, test)), rule)
  })
})
