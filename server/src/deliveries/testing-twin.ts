import { createHmac } from 'node:crypto'
import { table } from '@diorama/twin-kit/kernel/table'
import { type AnyTwin, operation, type Twin, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { NotesSection } from '@diorama/twins/notes/section'
import { notes } from '@diorama/twins/notes/twin'
import { z } from 'zod'

const hookTable = table({
  key: 'id',
  row: z.object({ id: z.string(), url: z.string(), failures: z.number() }),
  internal: true,
})
const tables = { ...notes.tables, hook: hookTable }

/** The notes twin with webhooks: every note that is written or edited is sent to each hook. */
const hooked: Twin<NotesSection, typeof tables> = {
  ...notes,
  tables,
  afterStep: (call, changes) => {
    if (call.tables.hook.size() === 0) return
    for (const { collection, operation: kind, after } of changes())
      for (const { id, url } of call.tables.hook.all())
        if (collection === 'note')
          call.emit({
            id: `ev_${call.draw('event').slice(0, 12)}`,
            channel: 'hooks',
            kind: `note.${kind}`,
            receiver: id,
            url,
            payload: { note: after },
            secret: 'signing-key',
          })
  },
  channels: {
    hooks: {
      transport: 'http',
      timeoutMs: 400,
      retryAfterMs: [0, 50],
      concurrency: 1,
      request: ({ id, payload, secret = '' }, { number }) => {
        const body = JSON.stringify(payload)
        const signature = createHmac('sha256', secret).update(body).digest('hex')
        const headers = { 'content-type': 'application/json', 'x-id': id, 'x-try': String(number) }
        return { method: 'POST', headers: { ...headers, 'x-signature': signature }, body }
      },
      settles: 'failure',
      settled: (call, { receiver }) => {
        const hook = call.tables.hook.get(receiver)
        if (hook) call.tables.hook.update(receiver, { failures: hook.failures + 1 })
      },
    },
  },
  controls: {
    readSettings: operation<typeof tables, unknown>({
      effect: 'read',
      run: (call) => ({ hooks: [...call.tables.hook.all()] }),
    }),
    writeSettings: operation<typeof tables, { url: string }>({
      effect: 'write',
      input: z.strictObject({ url: z.string().max(200) }),
      run: (call, { url }) => {
        if (url === '') throw new VendorError('no_url', 'needs an address', { data: { pointer: '/url' } })
        return call.tables.hook.insert({ id: `h${call.sequence('hook')}`, url, failures: 0 })
      },
    }),
  },
}

export const hookedNotes: AnyTwin = hooked
