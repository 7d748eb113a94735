import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { escapeXml, parseXml } from '../xml.ts'
import { boundaryOf, composeMultipart, parseMultipart, parseRequest } from './batch/multipart.ts'
import { csrfToken, openSession, sessionOf } from './csrf.ts'
import { parseFilter } from './query/filter-syntax.ts'
import {
  add,
  compareDecimals,
  divide,
  fits,
  fromNumber,
  multiply,
  round,
  withDecimals,
} from './values/decimals.ts'
import { momentMs, timeSeconds, timeText } from './values/moments.ts'

describe('decimals', () => {
  it('are exact, and round half away from zero', () => {
    assert.equal(add('0.1', '0.2'), '0.3')
    assert.equal(multiply('19.99', '3'), '59.97')
    assert.equal(divide('100', '3', 9), '33.333333333')
    assert.equal(round('2.345', 2), '2.35')
    assert.equal(round('-2.345', 2), '-2.35')
    assert.equal(round('-0.001', 2), '0.00')
    assert.equal(withDecimals('5.500', 0), '5.5')
    assert.equal(withDecimals('5', 2), '5.00')
    assert.equal(fromNumber(1250.5, 3), '1250.500')
    assert.equal(compareDecimals('12345678901234567.1', '12345678901234567.2'), -1)
    assert.equal(fits('123.45', 5, 2), true)
    assert.equal(fits('1234.5', 5, 2), false)
  })

  it('add up like whole numbers of their smallest part', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 })
    const text = (value: number) =>
      `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`
    fc.assert(fc.property(cents, cents, (a, b) => compareDecimals(add(text(a), text(b)), text(a + b)) === 0))
    fc.assert(fc.property(cents, cents, (a, b) => compareDecimals(text(a), text(b)) === Math.sign(a - b)))
  })
})

describe('moments', () => {
  it('are read only where they exist', () => {
    assert.equal(momentMs('2026-02-28T10:00:00', false), Date.parse('2026-02-28T10:00:00Z'))
    assert.equal(momentMs('2026-02-28T10:00:00+02:00', true), Date.parse('2026-02-28T08:00:00Z'))
    for (const text of [
      '2026-02-31T00:00:00',
      '2026-13-01T00:00:00',
      '2026-01-01',
      '2026-01-01T25:00:00',
      'x',
    ])
      assert.equal(momentMs(text, false), undefined, text)
    assert.equal(momentMs('2026-01-01T00:00:00Z', false), undefined)
    assert.equal(timeText(timeSeconds('PT9H5M') ?? 0), 'PT09H05M00S')
    for (const text of ['PT', 'PT24H', '09:00', 'P1D']) assert.equal(timeSeconds(text), undefined, text)
  })
})

describe('a filter', () => {
  it('binds not before comparisons, comparisons before and, and before or', () => {
    const shape = (text: string): unknown => {
      const walk = (part: ReturnType<typeof parseFilter>): unknown => {
        if (part.kind === 'binary') return [walk(part.left), part.operator, walk(part.right)]
        if ('operand' in part) return [part.kind, walk(part.operand)]
        if (part.kind === 'call') return [part.name, ...part.args.map(walk)]
        return part.kind === 'literal' ? part.text : part.path.join('/')
      }
      return walk(parseFilter(text))
    }
    assert.deepEqual(shape('a eq 1 or b eq 2 and c eq 3'), [
      ['a', 'eq', '1'],
      'or',
      [['b', 'eq', '2'], 'and', ['c', 'eq', '3']],
    ])
    assert.deepEqual(shape('(a eq 1 or b eq 2) and c eq 3'), [
      [['a', 'eq', '1'], 'or', ['b', 'eq', '2']],
      'and',
      ['c', 'eq', '3'],
    ])
    assert.deepEqual(shape('a add 1 mul 2 gt -3'), [['a', 'add', ['1', 'mul', '2']], 'gt', '-3'])
    assert.deepEqual(shape("not startswith(n,'x''y')"), ['not', ['startswith', 'n', "x'y"]])
  })
})

describe('multipart bodies', () => {
  it('come out as they went in', () => {
    const part = fc
      .string({ maxLength: 30 })
      .map((body) => `Content-Type: application/http\r\n\r\n${body.replace(/[\r\n]/g, ' ')}`)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const read = parseMultipart(composeMultipart(parts, 'mark_1'), 'mark_1')
        assert.deepEqual(
          read.map(({ body }) => body),
          parts.map((each) => each.slice(each.indexOf('\r\n\r\n') + 4)),
        )
      }),
    )
    assert.equal(boundaryOf('multipart/mixed;charset=utf-8; boundary="a b"'), 'a b')
    assert.equal(boundaryOf('application/json'), undefined)
    assert.deepEqual(parseRequest('\r\nPATCH /x?y=a b HTTP/1.1\r\nA: 1\r\n\r\n{}'), {
      method: 'PATCH',
      url: '/x?y=a b',
      headers: { a: '1' },
      body: '{}',
    })
  })
})

describe('XML', () => {
  it('reads what it writes, and never expands anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const clean = escapeXml(text)
        assert.equal(
          escapeXml(parseXml(`<a b="${clean.replace(/[\t\n\r]/g, ' ')}">${clean}</a>`).text),
          clean,
        )
      }),
    )
    for (const text of ['', '<a>', '<a></b>', '<a/><b/>', '<!DOCTYPE a><a/>', '<a', 'x'])
      assert.throws(() => parseXml(text), { name: 'XmlError' }, text)
  })
})

describe('a token against forged requests', () => {
  it('fits its own session and caller, until the session ends', () => {
    const sessions = { cookie: 'S', lifetimeMs: 1_000 }
    const [caller, other] = [{ token: 'secret' }, { token: 'other' }]
    const session = openSession(caller, 5_000)
    const cookie = `x=1; S=${session}`
    assert.equal(sessionOf(cookie, caller, 5_999, sessions), session)
    assert.equal(sessionOf(cookie, caller, 6_000, sessions), undefined)
    assert.equal(sessionOf(cookie, other, 5_500, sessions), undefined)
    assert.equal(sessionOf(`S=${session}0`, caller, 5_500, sessions), undefined)
    assert.notEqual(csrfToken(session, caller), csrfToken(openSession(caller, 5_001), caller))
  })
})
