import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { lookup } from '../values/records.ts'
import { invalidPayload, type Json } from './blocks.ts'
import { entitySchemas, entityTypes } from './entities.ts'
import type { RuleContext } from './schema.ts'
import { type BlockFault, type Checked, child, failed, missing, validate } from './validate.ts'

const maxLength = 8_000
const maxEntities = 50

/** A message's metadata: an event of the app, work-object entities, or both. */
export const readMetadata = (value: unknown, context: RuleContext): Json | undefined => {
  if (value === undefined) return undefined
  if (!isRecord(value)) throw new VendorError('invalid_metadata_format')
  const { event_type, event_payload, entities } = value
  if (JSON.stringify(value).length > maxLength) throw new VendorError('metadata_too_large')
  const isEvent = event_type !== undefined || event_payload !== undefined
  if (!isEvent && entities === undefined) throw new VendorError('invalid_metadata_schema')
  if (isEvent && !isEventName(event_type)) throw new VendorError('invalid_metadata_schema')
  if (isEvent && !isRecord(event_payload)) throw new VendorError('invalid_metadata_schema')
  if (entities !== undefined) checkEntities(entities, context)
  return {
    ...(isEvent && { event_type, event_payload }),
    ...(entities !== undefined && { entities }),
  }
}

/** Letters, digits and the marks that names of events are made of. */
const isEventName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_.:\-/ ]{1,255}$/.test(value)

const entityFaults = (entities: unknown, context: RuleContext): BlockFault[] => {
  const at: Checked = { value: entities, pointer: '/metadata/entities', context, faults: [] }
  validate({ is: 'array', items: { is: 'any' }, max: maxEntities }, at)
  if (at.faults.length > 0 || !Array.isArray(entities)) return at.faults
  for (const [n, entity] of entities.entries()) checkEntity(child(at, String(n), entity))
  return at.faults
}

/** The type of an entity decides which fields it may have. */
const checkEntity = (at: Checked): void => {
  const { value } = at
  const type = isRecord(value) ? value.entity_type : undefined
  const schema = typeof type === 'string' ? lookup(entitySchemas, type) : undefined
  if (schema) validate(schema, at)
  else if (!isRecord(value)) validate({ is: 'object', fields: {} }, at)
  else if (type === undefined) missing(at, 'entity_type')
  else
    failed(child(at, 'entity_type'), {
      type: 'enum',
      message: 'must be a valid enum value',
      expected: entityTypes,
    })
}

const checkEntities = (entities: unknown, context: RuleContext): void => {
  const faults = entityFaults(entities, context)
  if (faults.length > 0) throw invalidPayload('invalid_metadata_schema', faults)
}
