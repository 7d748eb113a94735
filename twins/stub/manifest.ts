import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const stub = defineManifest({
  kind: 'stub',
  label: 'Other services',
  aliases: ['stubs'],
  icon: 'M2.5 4.500h11v3h-11z M2.5 9.500h11v3h-11z M5 6h1 M5 11h1',
  standsFor: 'any other service, from its OpenAPI 3 document or a HAR recording',
  hosts: [],
  ports: [],
  section,
  check,
  keyNames: 'record key',
  keys: ({ services }) => services.flatMap(({ records }) => records.flatMap(({ key }) => key ?? [])),
  sample: {
    services: [
      {
        name: 'parts',
        openapi: {
          openapi: '3.1.0',
          info: { title: 'Parts', version: '1' },
          servers: [{ url: 'https://parts.example.com/v1' }],
          paths: {
            '/parts': {
              get: {
                responses: {
                  200: {
                    description: 'All',
                    content: {
                      'application/json': {
                        schema: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
                      },
                    },
                  },
                },
              },
              post: {
                requestBody: {
                  content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } },
                },
                responses: {
                  201: {
                    description: 'Made',
                    content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } },
                  },
                },
              },
            },
            '/parts/{id}': {
              get: {
                responses: {
                  200: {
                    description: 'One',
                    content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } },
                  },
                },
              },
              delete: { responses: { 204: { description: 'Gone' } } },
            },
          },
          components: {
            schemas: {
              Part: {
                type: 'object',
                required: ['name'],
                properties: { id: { type: 'integer' }, name: { type: 'string' } },
              },
            },
          },
        },
        records: [{ path: '/parts', key: 'probe', value: { id: 1, name: 'Probe' } }],
      },
    ],
  },
  secrets: ['stub-[a-z0-9._-]+-[0-9a-f]{16,}'],
  sampleRead: { method: 'GET', path: '/parts/parts', scheme: 'Bearer ' },
  primaryFields: { record: ['name', 'title', 'stub_path'], person: ['name', 'email'] },
  noise: {},
  url: import.meta.url,
})
