import type { Row, TableSpec, TableView } from '@diorama/twin-kit/kernel/table'
import { table } from '@diorama/twin-kit/kernel/table'
import { z } from 'zod'

/** Outbound messages of the organization's workflow rules. */
export const outboundTable = '$outbound message'

/** When the rule behind a message is evaluated, in the vendor's words. */
export const triggerTypes = ['onCreateOnly', 'onAllChanges', 'onCreateOrTriggeringUpdate'] as const

export const OutboundMessage = z.strictObject({
  name: z.string().regex(/^[A-Za-z]\w{0,79}$/),
  object: z.string().min(1).max(80),
  endpointUrl: z.url().max(2_000),
  fields: z.array(z.string().min(1).max(80)).min(1).max(100),
  triggerType: z.enum(triggerTypes).default('onAllChanges'),
  condition: z.string().max(4_000).nullable().default(null),
  includeSessionId: z.boolean().default(false),
  integrationUser: z.string().max(80).nullable().default(null),
})

export interface OutboundRow extends Row, z.infer<typeof OutboundMessage> {
  /** The id of the workflow action. */
  readonly actionId: string
  /** Where the organization was reached when the message was set up. */
  readonly baseUrl: string
}

export const outboundTables: Readonly<Record<string, TableSpec>> = {
  [outboundTable]: table<Row>({
    key: 'name',
    row: { parse: (value) => value as Row },
    internal: true,
    sparse: true,
  }),
}

export const outboundIn = (views: Readonly<Record<string, TableView>>): OutboundRow[] => [
  ...(views[outboundTable] as TableView<OutboundRow>).all(),
]
