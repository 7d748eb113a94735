import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { notFound } from '../../http/api-error.ts'
import { permit } from '../../http/edge.ts'
import { bearerOf, createOpenEnvDoor, type DoorDeps, type OpenEnvDoor } from './door.ts'
import { Action, Observation, State } from './messages.ts'

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

export interface MountDeps extends Omit<DoorDeps, 'watchKey'> {
  readonly keyWatch: { readonly watch: DoorDeps['watchKey'] }
  readonly version: string
}

/**
 * Suites as OpenEnv environments: the way in for sockets, and what clients ask before they connect (whether the
 * environment is there, what it is, what it takes).
 */
export const mountOpenEnv = (
  edge: FastifyInstance,
  { keyWatch, version, ...deps }: MountDeps,
): OpenEnvDoor => {
  const { authenticate, freeze } = deps
  const suiteOf = async (request: FastifyRequest) => {
    const caller = await authenticate(bearerOf(request.headers.authorization))
    permit(caller, { scope: 'evals:write' })
    const suite = await freeze(caller.organizationId, (request.params as { suiteId: string }).suiteId)
    if (!suite) throw notFound('task suite')
    return suite
  }
  edge.get('/openenv/:suiteId/health', () => ({ status: 'healthy' }))
  edge.get('/openenv/:suiteId/metadata', async (request) => {
    const { name, tasks } = await suiteOf(request)
    const keys = tasks.map(({ key, id }) => key ?? id).join(', ')
    return { name, description: `A Diorama suite of ${tasks.length} tasks: ${keys}`, version }
  })
  edge.get('/openenv/:suiteId/schema', async (request) => {
    await suiteOf(request)
    return { action: schemaOf(Action), observation: schemaOf(Observation), state: schemaOf(State) }
  })
  return createOpenEnvDoor({ ...deps, watchKey: keyWatch.watch })
}
