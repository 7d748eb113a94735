import { z } from 'zod'

export const departments = [
  'leadership',
  'engineering',
  'product',
  'design',
  'sales',
  'customer_success',
  'support',
  'finance',
  'operations',
  'marketing',
  'legal',
  'people',
  'it',
] as const

/**
 * The shapes in this folder check types, required fields and enums alone. What a value means (counts, ranges,
 * formats) is in `meta`: the JSON Schema shows it, and the compiler reads the same words to refuse it, so that a
 * wrong shape and a wrong meaning get different answers from one source.
 */
export const IdentityBlueprint = z
  .object({
    handle: z.string().meta({
      pattern: '^[a-z0-9._-]+$',
      minLength: 1,
      maxLength: 64,
      description: 'Unique, lowercase. Names the person everywhere else in the blueprint.',
    }),
    firstName: z.string().meta({ minLength: 1 }),
    lastName: z.string().meta({ minLength: 1 }),
    title: z.string().meta({ minLength: 1, description: 'Job title.' }),
    department: z.enum(departments),
    timezone: z.string().meta({ format: 'timezone', description: 'IANA time zone.' }),
    emailLocalPart: z
      .string()
      .meta({ pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$", minLength: 1, maxLength: 64 })
      .nullable()
      .default(null)
      .meta({ description: 'What stands before the @; the handle when left out.' }),
    isApiOwner: z.boolean().default(false).meta({
      description: 'The account an agent acts as. At most one; the first identity when none is flagged.',
    }),
  })
  .meta({ id: 'IdentityBlueprint' })
export type IdentityBlueprint = z.infer<typeof IdentityBlueprint>

export const OrganizationBlueprint = z
  .object({
    name: z.string().meta({ minLength: 1, description: 'Display name.' }),
    slug: z.string().meta({
      pattern: '^[a-z0-9-]+$',
      minLength: 3,
      maxLength: 20,
      description: 'Becomes the chat workspace domain and the tracker workspace URL key.',
    }),
    description: z.string().meta({ description: 'One paragraph.' }),
    industry: z.string(),
    emailDomain: z.string().meta({ format: 'hostname' }),
    headquarters: z.string().nullable().default(null).meta({ description: 'City and region.' }),
  })
  .meta({ id: 'OrganizationBlueprint' })
export type OrganizationBlueprint = z.infer<typeof OrganizationBlueprint>
