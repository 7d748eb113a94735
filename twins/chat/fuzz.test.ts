import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import fc from 'fast-check'
import { catalogue, commonErrors } from './methods/catalogue.ts'
import { bodyOf, oddCalls } from './testing/odd-calls.ts'
import { testSection } from './testing/section.ts'
import { chat } from './twin.ts'

const seed = seedFor(chat, testSection)
const ids = [
  ...seed.seed.keys.map(({ id }) => id),
  ...(seed.seed.tables.user ?? []).map(({ id }) => String(id)),
]
const places = ids.flatMap((id) => id.split(':'))

const requests = fc
  .tuple(oddCalls(places), fc.constantFrom('integration', 'mira', 'lucia'))
  .map(([call, subject]) => ({ ...call, subject }))

/** Errors that are seen in practice and are not documented for their method. */
const unlisted = [
  /^api\.test /,
  / (channel_not_found|user_not_found|list_not_found|no_such_subteam|invalid_cursor)$/,
  /^chat\.\w+ (invalid_attachments|invalid_metadata_format|invalid_thread_ts|thread_not_found)$/,
  /^dnd\.endSnooze snooze_not_active$/,
  /^files\.sharedPublicURL already_public$/,
  /^files\.completeUploadExternal (is_archived|thread_not_found|invalid_thread_ts)$/,
]
const isKnownError = (method: string, error: string): boolean =>
  commonErrors.has(error) ||
  catalogue[method]?.errors.includes(error) === true ||
  unlisted.some((known) => known.test(`${method} ${error}`))

describe('whatever a client sends', () => {
  it('is answered in the service’s own way, and never fails inside', () => {
    fc.assert(
      fc.property(fc.array(requests, { minLength: 5, maxLength: 25 }), (calls) => {
        const { instance, tokens } = startInstance(seed)
        for (const [n, { method, subject, json, args }] of calls.entries()) {
          const text = bodyOf({ method, json, args })
          const request: TwinRequest = {
            method: 'POST',
            path: `/api/${method}`,
            query: '',
            headers: {
              authorization: `Bearer ${tokens[subject]}`,
              'content-type': json ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded',
            },
            body: Buffer.from(text),
            baseUrl: 'http://twin.example',
          }
          const { step, failure } = instance.handle(request, testCompany.clock + n * 1_000)
          assert.equal(failure, undefined, `${method} ${text}: ${String((failure as Error)?.stack)}`)
          assert.equal(step.reply.status, 200)
          const answer = JSON.parse(String(step.reply.body))
          assert.equal(typeof answer.ok, 'boolean')
          if (answer.ok) continue
          assert.deepEqual(step.changes, [], 'a refusal changes nothing')
          assert.ok(isKnownError(method, answer.error), `${method} does not answer ${answer.error}`)
        }
      }),
      { numRuns: 150, seed: 7 },
    )
  })

  it('on any path, with any body, is answered', () => {
    const { instance, token } = startInstance(seed)
    const path = fc.oneof(
      fc.constantFrom(
        '/',
        '/api',
        '/api/',
        '/api/%ff',
        '/upload/v1/ABC',
        '/files-pri/T1-F1/x',
        '/services/T/B/x',
        '/avatars/x_9999.png',
        '/api/__proto__',
        '/api/constructor',
        '/api/toString',
      ),
      fc.webPath(),
    )
    const type = fc.constantFrom(
      '',
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/xml',
    )
    fc.assert(
      fc.property(
        path,
        type,
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        (at, kind, body, method) => {
          const headers = { authorization: `Bearer ${token}`, ...(kind && { 'content-type': kind }) }
          const request = {
            method,
            path: at,
            query: 'a=%zz&b',
            headers,
            body,
            baseUrl: 'http://twin.example',
          }
          const { failure, step } = instance.handle(request, testCompany.clock)
          assert.equal(failure, undefined, String((failure as Error)?.stack))
          assert.ok(step.reply.status < 500)
        },
      ),
      { numRuns: 150, seed: 7 },
    )
  })
})
