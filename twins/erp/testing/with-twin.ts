import assert from 'node:assert/strict'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { erp } from '../twin.ts'
import { caller, type Host, type Reply } from './requests.ts'
import { testSection } from './section.ts'

export type Tools = ReturnType<typeof caller> & { readonly host: Host }

/** Serves the twin over HTTP for as long as the work takes; afterwards it must have failed nowhere. */
export const withTwin = async (
  work: (tools: Tools) => Promise<void>,
  section: unknown = testSection,
): Promise<void> => {
  await using host = await serveTwin(erp, section)
  await work({ ...caller(host), host })
  assert.deepEqual(host.failures, [])
}

export const done = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text.slice(0, 300)}`)
  return reply
}

export const refused = (reply: Reply, code: string): void => {
  assert.equal(reply.status, 400, reply.text.slice(0, 300))
  assert.equal(reply.json.error.code, code, reply.text.slice(0, 300))
}
