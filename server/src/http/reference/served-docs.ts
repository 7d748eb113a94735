import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../api-error.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const builtReference = fileURLToPath(new URL('../../../../console/dist/docs.html', import.meta.url))

/** The interactive reference as it was built with the console; undefined where the console was not built. */
export const interactiveReference = (): Promise<Buffer | undefined> =>
  readFile(builtReference).catch(() => undefined)

/** The reference draws itself with styles that it adds; its scripts, requests and fonts are the service's own. */
export const interactivePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const pageName = /^[a-z0-9-]+\.md$/

/** Serves what language models read: `/llms.txt`, and the pages of the handbook that it leads to. */
export const mountHandbook = (edge: FastifyInstance): void => {
  const send = async (path: string): Promise<string> => {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) throw new ApiError('not_found', 'There is no such page of the handbook.')
    return text
  }
  edge.get('/llms.txt', async (_request, reply) => {
    const text = await send(join(root, 'llms.txt'))
    return reply.type('text/plain; charset=utf-8').send(text.replaceAll('](docs/', '](/docs/'))
  })
  edge.get<{ Params: { page: string } }>('/docs/:page', async (request, reply) => {
    const { page } = request.params
    if (!pageName.test(page)) throw new ApiError('not_found', 'There is no such page of the handbook.')
    return reply.type('text/markdown; charset=utf-8').send(await send(join(root, 'docs', page)))
  })
}
