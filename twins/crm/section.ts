import { z } from 'zod'

export const accountTypes = [
  'prospect',
  'customer_direct',
  'customer_channel',
  'channel_partner',
  'other',
] as const
export const leadSources = [
  'web',
  'phone_inquiry',
  'partner_referral',
  'purchased_list',
  'trade_show',
  'referral',
  'other',
] as const
export const leadStatuses = [
  'open_not_contacted',
  'working_contacted',
  'closed_converted',
  'closed_not_converted',
] as const
export const opportunityTypes = [
  'new_customer',
  'existing_customer_upgrade',
  'existing_customer_renewal',
  'existing_customer_replacement',
] as const
export const opportunityStages = [
  'prospecting',
  'qualification',
  'needs_analysis',
  'value_proposition',
  'id_decision_makers',
  'perception_analysis',
  'proposal_price_quote',
  'negotiation_review',
  'closed_won',
  'closed_lost',
] as const
export const caseOrigins = ['email', 'phone', 'web', 'chat'] as const
export const casePriorities = ['low', 'medium', 'high', 'critical'] as const
export const caseStatuses = ['new', 'working', 'escalated', 'closed'] as const

const key = z.string().meta({ minLength: 1 })
const owner = z
  .string()
  .nullable()
  .default(null)
  .meta({ description: 'Handle; the integration user when left out.' })
const email = z.string().meta({ format: 'email' })
const text = z.string().nullable().default(null)

export const CrmAccountBlueprint = z
  .object({
    key,
    name: z.string().meta({ minLength: 1 }),
    accountType: z.enum(accountTypes),
    industry: z.string(),
    description: z.string(),
    annualRevenue: z.number().nullable().default(null),
    billingCity: text,
    billingState: z.string().meta({ pattern: '^[A-Z]{2}$' }).nullable().default(null),
    numberOfEmployees: z.int().min(0).max(4_294_967_295).nullable().default(null),
    owner,
    phone: text,
    website: text,
  })
  .meta({ id: 'CrmAccountBlueprint' })

export const CrmContactBlueprint = z
  .object({
    key,
    account: z.string(),
    firstName: z.string(),
    lastName: z.string().meta({ minLength: 1 }),
    email,
    title: z.string(),
    owner,
    phone: text,
  })
  .meta({ id: 'CrmContactBlueprint' })

export const CrmLeadBlueprint = z
  .object({
    key,
    company: z.string().meta({ minLength: 1 }),
    firstName: z.string(),
    lastName: z.string().meta({ minLength: 1 }),
    email,
    leadSource: z.enum(leadSources),
    status: z.enum(leadStatuses),
    owner,
  })
  .meta({ id: 'CrmLeadBlueprint' })

export const CrmOpportunityBlueprint = z
  .object({
    key,
    account: z.string(),
    name: z.string().meta({ minLength: 1 }),
    amount: z.number(),
    closeDate: z.string().meta({ format: 'date' }),
    opportunityType: z.enum(opportunityTypes),
    stage: z.enum(opportunityStages),
    createdAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    owner,
    probability: z.int().min(0).max(255).meta({ maximum: 100 }).nullable().default(null),
  })
  .meta({ id: 'CrmOpportunityBlueprint' })

export const CrmCaseBlueprint = z
  .object({
    key,
    account: z.string(),
    subject: z.string().meta({ minLength: 1 }),
    origin: z.enum(caseOrigins),
    priority: z.enum(casePriorities),
    status: z.enum(caseStatuses),
    contact: z.string().nullable().default(null),
    createdAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    owner,
  })
  .meta({ id: 'CrmCaseBlueprint' })

const objectRights = ['create', 'read', 'edit', 'delete', 'view_all', 'modify_all'] as const
const rights = z
  .record(z.string(), z.array(z.enum(objectRights)))
  .default({})
  .meta({ description: 'By object, such as Account; an empty list is no access.' })
const handles = z.array(z.string()).default([])

export const CrmProfileBlueprint = z
  .object({
    key,
    name: z.string().meta({ minLength: 1 }),
    apiEnabled: z.boolean().default(true),
    viewAllData: z.boolean().default(false),
    modifyAllData: z.boolean().default(false),
    objects: rights.meta({ description: 'Where it differs from a standard user.' }),
    fields: z
      .record(z.string(), z.enum(['none', 'read']))
      .default({})
      .meta({ description: 'By object and field, such as Account.AnnualRevenue; others can be edited.' }),
    people: handles,
  })
  .meta({ id: 'CrmProfileBlueprint' })

export const CrmPermissionSetBlueprint = z
  .object({
    key,
    name: z.string().meta({ minLength: 1 }),
    objects: rights,
    fields: z.record(z.string(), z.enum(['read', 'edit'])).default({}),
    people: handles,
  })
  .meta({ id: 'CrmPermissionSetBlueprint' })

export const CrmRoleBlueprint = z
  .object({
    key,
    name: z.string().meta({ minLength: 1 }),
    parent: z.string().nullable().default(null).meta({ description: 'The key of the role above.' }),
    people: handles,
  })
  .meta({ id: 'CrmRoleBlueprint' })

const party = z.object({ kind: z.enum(['role', 'role_and_subordinates', 'group']), key: z.string() })

export const CrmSecurityBlueprint = z
  .object({
    organizationDefaults: z
      .object({
        account: z.enum(['private', 'public_read', 'public_read_write']).default('public_read_write'),
        contact: z
          .enum(['private', 'public_read', 'public_read_write', 'controlled_by_parent'])
          .default('controlled_by_parent'),
        opportunity: z.enum(['private', 'public_read', 'public_read_write']).default('public_read_write'),
        case: z
          .enum(['private', 'public_read', 'public_read_write', 'public_read_write_transfer'])
          .default('public_read_write_transfer'),
        lead: z
          .enum(['private', 'public_read', 'public_read_write', 'public_read_write_transfer'])
          .default('public_read_write_transfer'),
      })
      .prefault({}),
    profiles: z.array(CrmProfileBlueprint).default([]),
    permissionSets: z.array(CrmPermissionSetBlueprint).default([]),
    roles: z.array(CrmRoleBlueprint).default([]),
    groups: z.array(z.object({ key, name: z.string().meta({ minLength: 1 }), people: handles })).default([]),
    sharingRules: z
      .array(
        z.object({
          object: z.enum(['Account', 'Contact', 'Opportunity', 'Case', 'Lead']),
          ownedBy: party,
          sharedWith: party,
          access: z.enum(['read', 'edit']),
        }),
      )
      .default([]),
  })
  .meta({ id: 'CrmSecurityBlueprint' })
export type CrmSecurity = z.infer<typeof CrmSecurityBlueprint>

const customName = z.string().meta({ pattern: '^[A-Za-z][A-Za-z0-9_]*__c$' })
const fieldTypes = [
  'string',
  'textarea',
  'picklist',
  'multipicklist',
  'boolean',
  'int',
  'double',
  'currency',
  'percent',
  'date',
  'datetime',
  'email',
  'phone',
  'url',
  'reference',
] as const

export const CrmCustomFieldBlueprint = z
  .object({
    object: z.string().meta({ description: 'The object, standard or custom, that has the field.' }),
    name: customName,
    type: z.enum(fieldTypes),
    label: z.string().optional(),
    length: z.int().min(1).max(131_072).optional(),
    precision: z.int().min(1).max(18).optional(),
    scale: z.int().min(0).max(17).optional(),
    required: z.boolean().optional(),
    externalId: z.boolean().optional(),
    unique: z.boolean().optional(),
    picklist: z.array(z.string()).optional(),
    restricted: z.boolean().optional(),
    defaultValue: z.string().optional(),
    referenceTo: z.string().optional().meta({ description: 'The object that a reference points to.' }),
    childRelationshipName: z.string().optional(),
    masterDetail: z.boolean().optional(),
    reparentable: z.boolean().optional().meta({ description: 'A record may be given another master.' }),
    formula: z
      .string()
      .optional()
      .meta({ description: 'Computed on reading; the type is that of the result.' }),
    rollUp: z
      .object({
        object: z.string(),
        field: z.string(),
        operation: z.enum(['count', 'sum', 'min', 'max']),
        of: z.string().optional(),
      })
      .optional()
      .meta({ description: 'A summary of the records whose field names this one.' }),
    autoNumber: z.string().optional().meta({ description: 'A format such as ISS-{0000}.' }),
  })
  .meta({ id: 'CrmCustomFieldBlueprint' })

const fieldUpdates = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional()

const CrmApprovalProcessBlueprint = z
  .object({
    object: z.string(),
    name: z.string().meta({ pattern: '^[A-Za-z][A-Za-z0-9_]*$' }),
    label: z.string().optional(),
    entryCriteria: z.string().optional().meta({ description: 'A formula that a record must meet.' }),
    steps: z
      .array(
        z.object({
          name: z.string().meta({ pattern: '^[A-Za-z][A-Za-z0-9_]*$' }),
          approver: z.string().meta({
            description:
              'Handle of a person, `manager` of who submits, or `submitter`, who then names somebody.',
          }),
        }),
      )
      .min(1)
      .max(30),
    onSubmission: fieldUpdates.meta({ description: 'Fields that are set when a record is submitted.' }),
    onApproval: fieldUpdates.meta({ description: 'Fields that are set when the last step is approved.' }),
    onRejection: fieldUpdates.meta({ description: 'Fields that are set when a step is rejected.' }),
    locksApproved: z.boolean().optional().meta({ description: 'Whether approved records stay locked.' }),
  })
  .meta({ id: 'CrmApprovalProcessBlueprint' })

export const CrmCustomizationBlueprint = z
  .object({
    objects: z
      .array(
        z.object({
          name: customName,
          label: z.string().optional(),
          plural: z.string().optional(),
          nameLabel: z.string().optional(),
          nameFormat: z.string().optional().meta({ description: 'Names are numbered, as in ISS-{0000}.' }),
        }),
      )
      .meta({ maxItems: 50 })
      .default([]),
    fields: z.array(CrmCustomFieldBlueprint).default([]),
    platformEvents: z
      .array(
        z.object({
          name: z.string().meta({ pattern: '^[A-Za-z][A-Za-z0-9_]*__e$' }),
          label: z.string().optional(),
          fields: z
            .array(
              z.object({
                name: customName,
                type: z.enum(['string', 'textarea', 'boolean', 'double', 'date', 'datetime']),
                required: z.boolean().optional(),
              }),
            )
            .max(100),
        }),
      )
      .max(50)
      .optional()
      .meta({ description: 'Events that programs publish and subscribe to.' }),
    recordTypes: z
      .array(
        z.object({
          object: z.string(),
          name: z.string().meta({ pattern: '^[A-Za-z][A-Za-z0-9_]*$' }),
          label: z.string().optional(),
          isDefault: z.boolean().optional(),
        }),
      )
      .default([]),
    validationRules: z
      .array(
        z.object({
          object: z.string(),
          formula: z.string().meta({ description: 'A record that meets it is refused.' }),
          message: z.string().meta({ minLength: 1 }),
          field: z.string().optional(),
        }),
      )
      .default([]),
    approvalProcesses: z.array(CrmApprovalProcessBlueprint).max(50).optional().meta({
      description: 'Processes that records are submitted to; the first whose criteria fit is used.',
    }),
    records: z
      .array(
        z.object({
          key,
          object: z.string(),
          owner,
          fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
            description:
              'Native field names; a reference takes the key of a record or the handle of a person.',
          }),
        }),
      )
      .default([]),
  })
  .meta({ id: 'CrmCustomizationBlueprint' })
export type CrmCustomization = z.infer<typeof CrmCustomizationBlueprint>

export const CrmEscalationBlueprint = z
  .object({
    priority: z.enum(casePriorities).nullable().default(null).meta({ description: 'Any when left out.' }),
    ageOverMinutes: z
      .int()
      .meta({ minimum: 1, maximum: 525_600, description: 'How long a case may be open.' }),
    assignTo: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Handle of the person who gets the case; its owner keeps it when left out.' }),
  })
  .meta({ id: 'CrmEscalationBlueprint' })

export const section = z
  .object({
    accounts: z.array(CrmAccountBlueprint).meta({ minItems: 3, maxItems: 8 }),
    contacts: z.array(CrmContactBlueprint),
    opportunities: z.array(CrmOpportunityBlueprint),
    cases: z.array(CrmCaseBlueprint).default([]),
    leads: z.array(CrmLeadBlueprint).default([]),
    customization: CrmCustomizationBlueprint.optional().meta({
      description: 'Custom objects and fields, record types, validation rules, and records of any object.',
    }),
    escalation: z.array(CrmEscalationBlueprint).meta({ maxItems: 20 }).optional().meta({
      description: 'When open cases are escalated automatically; the first rule that fits a case counts.',
    }),
    security: CrmSecurityBlueprint.optional().meta({
      description: 'Who may see and change what; without it everybody may do everything.',
    }),
  })
  .meta({ id: 'CrmSection' })
export type CrmSection = z.infer<typeof section>
