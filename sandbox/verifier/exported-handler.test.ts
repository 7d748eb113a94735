import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withExportedHandler } from './exported-handler.ts'

const appended = (code: string): boolean => withExportedHandler(code) !== code

test('A handler that is declared but not exported is exported, and any other code is left alone', () => {
  for (const code of [
    'function handler() {}',
    '\n\n  async function handler() {}',
    'const x = 1\nconst handler = () => 1',
    'export { other }\nlet handler = 1',
  ])
    assert.ok(appended(code), code)
  for (const code of [
    'export function handler() {}',
    'export async function handler() {}',
    'export default () => 1',
    'export const handler = 1',
    'function handler() {}\nexport { handler }',
    'function handler() {}\nexport{ x, y as handler }',
    'const other = 1',
    'export { handler',
  ])
    assert.ok(!appended(code), code)
})

test('Code that is made to be slow to read is read in time that grows with its length alone', () => {
  const hostile = (size: number) => [
    '\n'.repeat(size),
    'export {'.repeat(size / 8),
    `export ${' '.repeat(size)}`,
    'export '.repeat(size / 7),
    `async ${' '.repeat(size)}`,
    `${' '.repeat(50)}\n`.repeat(size / 51),
  ]
  const [small, large] = [20_000, 320_000]
  const seconds = (code: string) => {
    const { user } = process.cpuUsage()
    withExportedHandler(code)
    return process.cpuUsage().user - user
  }
  for (const [index, code] of hostile(large).entries()) {
    const base = Math.max(500, seconds(hostile(small)[index] ?? ''))
    // Sixteen times the length: a quadratic reading takes 256 times as long.
    assert.ok(seconds(code) < base * 100, `case ${index}`)
  }
})
