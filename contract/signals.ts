import { z } from 'zod'
import { pageOf, pageQuery, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const SignalCreate = z
  .object({
    event_id: z.string().min(1).max(100),
    signal_name: z.string().min(1).max(200),
    properties: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'SignalCreate' })
export type SignalCreate = z.infer<typeof SignalCreate>

/** An observation attached to an event. It decides nothing. */
export const Signal = z
  .object({
    id: z.string(),
    event_id: z.string(),
    signal_name: z.string(),
    properties: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
  })
  .meta({ id: 'Signal' })
export type Signal = z.infer<typeof Signal>

export const SignalQuery = z.object({
  event_id: z.string().max(100).optional(),
  signal_name: z.string().max(200).optional(),
  ...pageQuery,
})
export type SignalQuery = z.infer<typeof SignalQuery>

export const signalRoutes = routes({
  trackSignal: {
    method: 'POST',
    path: '/v1/signals/track',
    tag: 'Telemetry',
    summary: 'Attach an observation to an event.',
    scope: 'signals:write',
    body: SignalCreate,
    status: 201,
    reply: Signal,
    errors: ['not_found'],
    creates: true,
  },
  listSignals: {
    method: 'GET',
    path: '/v1/signals',
    tag: 'Telemetry',
    summary: 'List signals, newest first.',
    scope: 'events:read',
    query: SignalQuery,
    reply: pageOf(Signal),
    errors: ['invalid_cursor'],
  },
})
