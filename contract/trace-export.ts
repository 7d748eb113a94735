import { z } from 'zod'
import { Timestamp } from './pages.ts'
import { routes } from './route.ts'

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header')
  .refine((name) => !/^(host|content-length|content-type|transfer-encoding|connection)$/i.test(name), {
    message: 'is a header that the service sets itself',
  })

const endpoint = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .meta({
    description:
      'The base address of an OTLP/HTTP receiver, such as https://collector.example:4318. `/v1/traces` and `/v1/logs` are added.',
  })

export const TraceExportPut = z
  .object({
    endpoint,
    headers: z
      .record(
        headerName,
        z
          .string()
          .max(4_000)
          .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII'),
      )
      .refine((headers) => Object.keys(headers).length <= 20, { message: 'must have at most 20 headers' })
      .optional()
      .meta({
        description:
          'Sent with every request, and never shown again. Left out, the stored ones stay; they must be sent again when the endpoint changes.',
      }),
    include_content: z.boolean().default(false).meta({
      description: 'Whether the messages of model calls are sent as well.',
    }),
  })
  .meta({ id: 'TraceExportPut' })
export type TraceExportPut = z.infer<typeof TraceExportPut>

export const TraceExport = z
  .object({
    endpoint: z.string(),
    header_names: z.array(z.string()),
    include_content: z.boolean(),
    waiting: z.int().meta({ description: 'Trials that are still to be sent.' }),
    dropped: z
      .int()
      .meta({ description: 'Trials that were given up: refused, too old, or too many waiting.' }),
    last_error: z.string().nullable(),
    last_sent_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'TraceExport' })
export type TraceExport = z.infer<typeof TraceExport>

/** Where the traces and verdicts of an organization's trials are sent. */
export const traceExportRoutes = routes({
  readTraceExport: {
    method: 'GET',
    path: '/v1/trace-export',
    tag: 'Telemetry',
    summary: 'Where finished trials are sent by OTLP, and how that goes.',
    scope: 'evals:read',
    reply: TraceExport,
    errors: ['not_found'],
  },
  putTraceExport: {
    method: 'PUT',
    path: '/v1/trace-export',
    tag: 'Telemetry',
    summary: 'Send the traces and evaluation results of trials that end from now on to an OTLP receiver.',
    scope: 'evals:write',
    body: TraceExportPut,
    reply: TraceExport,
    errors: ['invalid_reference'],
  },
  deleteTraceExport: {
    method: 'DELETE',
    path: '/v1/trace-export',
    tag: 'Telemetry',
    summary: 'Send nothing any more; what still waits is dropped.',
    scope: 'evals:write',
    status: 204,
    errors: ['not_found'],
  },
})
