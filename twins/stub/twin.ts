import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { fault } from './fault.ts'
import { stub as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { operations } from './operations/index.ts'
import { fields, present } from './present.ts'
import type { StubSection } from './section.ts'
import { seed } from './seed.ts'
import { type StubTables, tables } from './tables.ts'
import { wire } from './wire.ts'

/** Any other service of a company, from its OpenAPI document or a recording of its traffic. */
const native: Twin<StubSection, StubTables> = {
  ...manifest,
  clients,
  tables,
  seed,
  operations,
  coverage,
  token,
  identities,
  wire,
  fault,
  present,
  fields,
}

export const stub = withMcp(native, face)
