import { z } from 'zod'

/** The four services a world can hold. Everywhere outside a twin's own folder a service is called by its kind. */
export const twinKinds = ['chat', 'tracker', 'crm', 'erp'] as const
export type TwinKind = (typeof twinKinds)[number]

/** Spellings taken on input as the same kinds. Output always says the kind. */
export const kindSpellings: Readonly<Record<string, TwinKind>> = {
  slack: 'chat',
  linear: 'tracker',
  salesforce: 'crm',
  sap: 'erp',
}

/** A kind, in any of its spellings. */
export const TwinKind = z.preprocess(
  (value) => (typeof value === 'string' ? (kindSpellings[value] ?? value) : value),
  z.enum(twinKinds),
)
