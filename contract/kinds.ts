import { z } from 'zod'

/** The four services a world can hold. Everywhere outside a twin's own folder a service is called by its kind. */
export const twinKinds = ['chat', 'tracker', 'crm', 'erp'] as const
export const TwinKind = z.enum(twinKinds)
export type TwinKind = z.infer<typeof TwinKind>

/** Spellings taken on input as the same kinds. Output always says the kind. */
export const kindSpellings: Readonly<Record<string, TwinKind>> = {
  slack: 'chat',
  linear: 'tracker',
  salesforce: 'crm',
  sap: 'erp',
}
