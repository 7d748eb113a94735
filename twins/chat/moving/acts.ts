import type { Acts } from '@diorama/twin-kit/kernel/twin'
import { factsOf } from '../methods/catalogue.ts'
import { operations } from '../operations/index.ts'
import type { ChatTables } from '../tables.ts'

/** Pressing a button is no method: people do it on the service's own screens. */
const pressing = 'block_actions'

/** People act by the names of the Web API's methods. */
export const acts: Acts<ChatTables> = {
  knows: (operation) => operation === pressing || Object.hasOwn(operations, operation),
  control: (operation) => (operation === pressing ? 'interact' : undefined),
  press: (_, { input }) => ({ operation: pressing, input }),
  request: ({ operation, input, token }) => {
    const takesJson = factsOf(operation)?.json ?? true
    return {
      method: 'POST',
      path: `/api/${operation}`,
      query: '',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': takesJson ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded',
      },
      body: Buffer.from(takesJson ? JSON.stringify(input) : form(input)),
    }
  },
  refuses: ({ status, body }) =>
    status >= 400 || (typeof body === 'string' && body.startsWith('{"ok":false')),
  answer: ({ where }, text) => ({ operation: 'chat.postMessage', input: { ...where, text } }),
  write: (to, text) => [{ operation: 'chat.postMessage', input: { channel: { $person: to }, text } }],
}

const form = (input: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()
