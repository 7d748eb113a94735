import { z } from 'zod'
import { routes } from './route.ts'

export const healthRoutes = routes({
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'Operating',
    summary: 'The process lives.',
    scope: 'none',
    reply: z.object({ status: z.literal('ok') }),
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'Operating',
    summary: 'The service takes requests; 503 while it starts or drains.',
    scope: 'none',
    reply: z.object({ status: z.literal('ready'), version: z.string() }),
    errors: ['unavailable'],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'Operating',
    summary: 'Prometheus text.',
    scope: 'none',
    gives: 'text/plain; version=0.0.4; charset=utf-8',
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Operating',
    summary: 'This reference, as OpenAPI 3.1.',
    scope: 'none',
    reply: z.record(z.string(), z.unknown()),
  },
  docs: {
    method: 'GET',
    path: '/docs',
    tag: 'Operating',
    summary: 'This reference, as a page.',
    scope: 'none',
    gives: 'text/html; charset=utf-8',
  },
})
