import { z } from 'zod'

export const ErpBusinessPartnerBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    category: z.enum(['organization', 'person']),
    name: z.string().meta({ minLength: 1 }),
    createdAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    firstName: z.string().nullable().default(null),
    lastName: z.string().nullable().default(null),
    searchTerm: z
      .string()
      .meta({ pattern: '^[^a-z]*$', maxLength: 20 })
      .nullable()
      .default(null)
      .meta({ description: 'Uppercase; derived from the name when left out.' }),
  })
  .meta({ id: 'ErpBusinessPartnerBlueprint' })

export const ErpSalesAreaBlueprint = z
  .object({
    salesOrganization: z.string().meta({ pattern: '^[0-9]{4}$' }),
    distributionChannel: z.string().meta({ pattern: '^[0-9]{2}$' }),
    division: z.string().meta({ pattern: '^[0-9]{2}$' }),
  })
  .meta({ id: 'ErpSalesAreaBlueprint' })

export const ErpOrderItemBlueprint = z
  .object({
    material: z.string().meta({ minLength: 1 }),
    description: z.string(),
    quantity: z.number(),
    unit: z.string().meta({ minLength: 1 }),
    netAmount: z.number(),
  })
  .meta({ id: 'ErpOrderItemBlueprint' })

export const ErpSalesOrderBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    soldTo: z.string(),
    currency: z.string().meta({ pattern: '^[A-Z]{3}$' }),
    requestedDeliveryDate: z.string().meta({ format: 'date' }),
    status: z.enum(['open', 'in_process', 'completed']),
    items: z.array(ErpOrderItemBlueprint),
    createdAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    purchaseOrderByCustomer: z.string().nullable().default(null),
    salesOrganization: z.string().meta({ pattern: '^[0-9]{4}$' }).nullable().default(null),
  })
  .meta({ id: 'ErpSalesOrderBlueprint' })

export const ErpSection = z
  .object({
    businessPartners: z.array(ErpBusinessPartnerBlueprint),
    salesAreas: z.array(ErpSalesAreaBlueprint).default([]),
    salesOrders: z.array(ErpSalesOrderBlueprint),
  })
  .meta({ id: 'ErpSection' })
export type ErpSection = z.infer<typeof ErpSection>
