import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError, notFound } from '../../http/api-error.ts'
import { permit } from '../../http/edge.ts'
import type { Caller } from '../../http/handler.ts'
import { bearerOf, createOpenEnvDoor, type OpenEnvDoor } from './door.ts'
import { Action, Observation, State } from './messages.ts'
import { createRooms, type FrozenSuite, type Owner, type RoomDeps } from './rooms.ts'
import { createSessionRpc } from './session-rpc.ts'

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

export interface MountDeps extends Omit<RoomDeps, 'watchKey'> {
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>
  /** The version of a suite that a client gets; undefined when there is no such suite. */
  readonly freeze: (organizationId: string, suiteId: string) => Promise<FrozenSuite | undefined>
  readonly keyWatch: { readonly watch: RoomDeps['watchKey'] }
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
  const permitted = async (given: string | undefined, suiteId: string): Promise<Owner> => {
    const authorization = bearerOf(given)
    const caller = await deps.authenticate(authorization)
    permit(caller, { scope: 'evals:write' })
    const suite = await deps.freeze(caller.organizationId, suiteId)
    if (!suite) throw notFound('task suite')
    return { caller, suite, authorization }
  }
  const ownerOf = async (authorization: string | undefined, suiteId: string): Promise<Owner> => {
    const owner = await permitted(authorization, suiteId)
    if (owner.caller.limits.sandbox) return owner
    throw new ApiError(
      'sandbox_denied',
      'This organization has no access to sandboxes, in which scorers run.',
    )
  }
  const suiteIdOf = ({ params }: FastifyRequest) => (params as { suiteId: string }).suiteId
  const suiteOf = async (request: FastifyRequest) =>
    (await permitted(request.headers.authorization, suiteIdOf(request))).suite
  const rooms = createRooms({ ...deps, watchKey: keyWatch.watch })
  const rpc = createSessionRpc(rooms)
  edge.post('/openenv/:suiteId/mcp', async (request) =>
    rpc(await ownerOf(request.headers.authorization, suiteIdOf(request)), String(request.body ?? '')),
  )
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
  return createOpenEnvDoor({ ownerOf, rooms, log: deps.log })
}
