// What the client's tests expect around them: the globals of their test runner, and packages by name.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Transform } from 'node:stream'
import { after, before, describe, it } from 'node:test'

const require = createRequire(process.env.CLIENT_PACKAGES)

/** The one function that the tests use of a package of streams. */
const through2 = {
  obj: (transform, flush) => new Transform({ objectMode: true, transform, ...(flush ? { flush } : {}) }),
}

export const load = (name) => (name === 'through2' ? through2 : require(name))

const expect = (value) => ({
  toBe: (wanted) => assert.equal(value, wanted),
  toBeTruthy: () => assert.ok(value),
})

const timed = (name, run) => it(name, { timeout: 120_000 }, () => run())
timed.skip = (name) => it(name, { skip: true })

Object.assign(globalThis, { it: timed, test: timed, describe, beforeAll: before, afterAll: after, expect })
