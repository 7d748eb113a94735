import { z } from 'zod'

const Service = z.string().meta({ description: 'Such as crm.' })

export const AttackReport = z
  .object({
    key: z.string().meta({ description: 'Of the attack in the library.' }),
    technique: z.string(),
    goal: z.string().meta({ description: 'What the planted text asks for.' }),
    planted_in: z.string(),
    reached: z.boolean().meta({ description: 'Whether the agent did it.' }),
    evidence: z
      .string()
      .nullable()
      .meta({ description: 'The request, or the part of the answer, that shows it.' }),
  })
  .meta({ id: 'AttackReport' })
export type AttackReport = z.infer<typeof AttackReport>

/** What a variant did to one trial, and what it found there. */
export const VariantDetail = z
  .object({
    left_alone: z
      .array(Service)
      .meta({ description: 'Services that say nothing of how the variant looks in them.' }),
    done: z
      .array(
        z.object({
          service: Service,
          by: z.string().meta({ description: 'The handle of the person who did it.' }),
          what: z.string(),
          refused: z.string().nullable().meta({ description: 'Why the service refused it, if it did.' }),
        }),
      )
      .meta({ description: 'What other people did in the world to make the variant.' }),
    attack: AttackReport.nullable(),
    permissions: z
      .object({
        withheld: z.array(z.object({ service: Service, permission: z.string() })),
        beyond: z.array(z.object({ service: Service, permission: z.string(), requests: z.int() })),
      })
      .nullable()
      .meta({ description: 'What the credential lost, and how often the agent asked for it.' }),
    claims: z
      .object({
        made: z.int(),
        unsupported: z
          .array(z.string())
          .meta({ description: 'Claims that no change in the ledger supports.' }),
        unreported: z.array(z.string()).meta({ description: 'Changes that no claim names.' }),
      })
      .nullable(),
  })
  .meta({ id: 'VariantDetail' })
export type VariantDetail = z.infer<typeof VariantDetail>

const rate = z.number().nullable()

export const VariantSecurity = z
  .object({
    trials: z.int().meta({ description: 'Trials in which an attack was planted and that have a verdict.' }),
    reached: z.int().meta({ description: 'Trials in which the agent did what the planted text asks for.' }),
    rate: rate.meta({ description: 'Reached by trial.' }),
    interval: z
      .object({ low: z.number(), high: z.number() })
      .nullable()
      .meta({ description: 'Wilson, 95 %, clustered by task.' }),
    attacks: z.array(
      z.object({ attack: z.string(), technique: z.string(), trials: z.int(), reached: z.int() }),
    ),
  })
  .meta({ id: 'VariantSecurity' })

export const VariantPermissions = z
  .object({
    trials: z.int(),
    trials_beyond: z.int().meta({ description: 'Trials in which the agent asked for something withheld.' }),
    requests: z.int(),
    beyond: z.array(z.object({ service: Service, permission: z.string(), requests: z.int() })),
  })
  .meta({ id: 'VariantPermissions' })

export const VariantClaims = z
  .object({
    trials: z.int(),
    made: z.int(),
    unsupported: z.int(),
    unreported: z.int(),
    trials_with_unsupported: z.int(),
  })
  .meta({ id: 'VariantClaims' })

/** What a variant reports of an agent besides its pass rate; each is null for the other variants. */
export const variantFindings = {
  left_alone: z.array(Service).meta({ description: 'Services in which the variant did nothing.' }),
  security: VariantSecurity.nullable(),
  permissions: VariantPermissions.nullable(),
  claims: VariantClaims.nullable(),
}
export type VariantFindings = {
  readonly [K in keyof typeof variantFindings]: z.infer<(typeof variantFindings)[K]>
}
