import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, type TrackerCall } from '../../context.ts'
import { needRole } from '../../rules/access.ts'
import { checkUrl } from '../../rules/lengths.ts'
import { inputError, invalidArgument } from '../../shapes/refusals.ts'
import { resources } from '../../webhooks/resources.ts'
import { crud, type Operations } from '../crud.ts'
import { type Input, plain } from '../records.ts'

const checkResourceTypes = (input: Input): void => {
  const { resourceTypes } = input
  const fault = (constraints: Record<string, string>) =>
    invalidArgument({ target: { ...input }, property: 'resourceTypes', value: resourceTypes, constraints })
  if (!Array.isArray(resourceTypes) || resourceTypes.length === 0)
    throw fault({ arrayNotEmpty: 'resourceTypes should not be empty' })
  if (!resourceTypes.every((type) => resources.includes(String(type))))
    throw fault({
      isIn: `each value in resourceTypes must be one of the following values: ${resources.join(', ')}`,
    })
}

const started = (call: TrackerCall, input: Input, columns: Row): Row => {
  needRole(call, 'apiSettingsRole')
  checkUrl(input)
  if (!columns.teamId && input.allPublicTeams !== true)
    throw inputError('Webhook has no team', 'Either teamId or allPublicTeams must be set.')
  checkResourceTypes(input)
  return {
    teamId: columns.teamId ?? null,
    label: input.label ?? null,
    enabled: input.enabled ?? true,
    allPublicTeams: input.allPublicTeams ?? false,
    resourceTypes: plain(input.resourceTypes) ?? [],
    secret: input.secret ?? `lin_wh_${call.draw('webhook secret').slice(0, 40)}`,
    creatorId: actorId(call),
  }
}

/** Webhooks are part of the API settings of the workspace, which are for administrators. */
export const webhookOperations: Operations = crud({
  type: 'Webhook',
  has: ['Create', 'Update', 'Delete'],
  start: started,
  guard: (call) => needRole(call, 'apiSettingsRole'),
  revise: (_call, _row, input) => {
    checkUrl(input)
    if (input.resourceTypes !== undefined) checkResourceTypes(input)
    return {}
  },
})
