import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { coverage } from './coverage.ts'
import { catalogue } from './methods/catalogue.ts'
import { rules } from './rules.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(folder, path), 'utf8') }))

describe('the coverage list', () => {
  it('names for each rule that is done a test that exists', () => {
    const unproved = rules.filter(({ status, test }) => {
      if (status === 'not emulated') return false
      return !tests.some(({ path, text }) => test && path === test[0] && text.includes(test[1]))
    })
    assert.deepEqual(
      unproved.map(({ rule }) => rule),
      [],
    )
  })

  it('calls no method done that no test calls', () => {
    const all = tests.map(({ text }) => text).join('\n')
    const untested = coverage
      .filter(({ operation, status }) => status === 'done' && operation in catalogue)
      .filter(({ operation }) => !all.includes(`'${operation}'`) && !all.includes(`.${operation}(`))
      .map(({ operation }) => operation)
    assert.deepEqual(untested, [])
  })
})
