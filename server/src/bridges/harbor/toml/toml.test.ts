import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readToml } from './read.ts'
import { TomlFault } from './values.ts'
import { tomlOf } from './write.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('TOML', () => {
  it('is read as it was written', () => {
    const table = {
      text: 'quotes " and \\ and é\u007f\nlines',
      number: 1.5,
      yes: true,
      list: ['a', 'b'],
      empty: [] as string[],
      inner: { 'odd key': 1, deeper: { x: 'y' } },
      many: [{ name: 'a', sub: { n: 1 } }, { name: 'b' }],
    }
    assert.deepEqual(plain(readToml(tomlOf(table))), table)
  })

  it('is read in every form that values and tables have', () => {
    const text = `# comment
title = 'literal \\ text' # after
"quoted key" = """\\
  joined \\
  lines "" end"""
raw = '''
first
second'''
hex = 0xff_ff
big = 1_000
exp = 5e+2
neg = -0.5
at = 2026-11-16T04:00:00Z
day = 2026-11-16
mixed = [1, [2, 3],
  "x", # inside
]
dotted.a.b = 1
point = { x = 1, y.z = "deep" }

[server."my host"]
port = 80

[[server."my host".users]]
name = "\\u00e9\\U0001F600"

[[server."my host".users]]
name = "two"
`
    assert.deepEqual(plain(readToml(text)), {
      title: 'literal \\ text',
      'quoted key': 'joined lines "" end',
      raw: 'first\nsecond',
      hex: 65_535,
      big: 1_000,
      exp: 500,
      neg: -0.5,
      at: '2026-11-16T04:00:00Z',
      day: '2026-11-16',
      mixed: [1, [2, 3], 'x'],
      dotted: { a: { b: 1 } },
      point: { x: 1, y: { z: 'deep' } },
      server: { 'my host': { port: 80, users: [{ name: 'é😀' }, { name: 'two' }] } },
    })
  })

  it('is refused with the line of the mistake', () => {
    const cases: [text: string, message: RegExp][] = [
      ['a = 1\na = 2', /line 2 has a twice/],
      ['a = ', /line 1 has a value that cannot be read/],
      ['a = "x', /line 1 has a text that does not end/],
      ['\n\n[a\n', /line 3 needs \]/],
      ['a = 1 b = 2', /line 1 has more than one value/],
      ['[a]\n[a]', /line 2 has the table a twice/],
      ['a = [1, 2', /does not end/],
      ['a = {x = 1}\n[a.b]', /something other than a table/],
      ['a = "\\q"', /escape \\q/],
      [`a = ${'['.repeat(100)}`, /nested too deeply/],
    ]
    for (const [text, message] of cases)
      assert.throws(
        () => readToml(text),
        (error) => error instanceof TomlFault && message.test(error.message),
        text,
      )
  })

  it('keeps names such as __proto__ as plain keys', () => {
    const table = readToml('[__proto__]\nx = 1\n')
    assert.equal(({} as { x?: number }).x, undefined)
    assert.deepEqual(Object.keys(table), ['__proto__'])
  })
})
