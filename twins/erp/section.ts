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
    roles: z
      .array(z.enum(['customer', 'supplier']))
      .optional()
      .meta({ description: 'A customer when left out.' }),
    country: z.string().meta({ pattern: '^[A-Z]{2}$' }).optional().meta({ description: 'US when left out.' }),
    city: z.string().optional(),
    orderBlock: z
      .string()
      .meta({ pattern: '^[0-9A-Z]{2}$' })
      .optional()
      .meta({ description: 'Blocks new orders of the customer, by a code of the standard configuration.' }),
    purchasingBlock: z
      .boolean()
      .optional()
      .meta({ description: 'Blocks new purchase orders with the supplier.' }),
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
    deliveryBlock: z
      .string()
      .meta({ pattern: '^[0-9A-Z]{2}$' })
      .optional()
      .meta({ description: 'Blocks deliveries of the order, by a code of the standard configuration.' }),
    billingBlock: z.string().meta({ pattern: '^[0-9A-Z]{2}$' }).optional().meta({
      description: 'Blocks billing documents of the order, by a code of the standard configuration.',
    }),
  })
  .meta({ id: 'ErpSalesOrderBlueprint' })

export const ErpProductBlueprint = z
  .object({
    material: z.string().meta({ minLength: 1 }),
    description: z.string(),
    unit: z.string().meta({ minLength: 1 }),
    price: z.number().optional().meta({ description: 'The selling price of one unit.' }),
    currency: z
      .string()
      .meta({ pattern: '^[A-Z]{3}$' })
      .optional()
      .meta({ description: 'The currency of the selling price and of the cost; USD when left out.' }),
    cost: z.number().optional().meta({ description: 'What one unit is valued at.' }),
  })
  .meta({ id: 'ErpProductBlueprint' })

export const ErpStockBlueprint = z
  .object({
    material: z.string().meta({ minLength: 1 }),
    quantity: z.number().meta({ minimum: 0 }),
    plant: z
      .string()
      .meta({ pattern: '^[0-9]{4}$' })
      .optional()
      .meta({ description: 'The plant of the first sales area when left out.' }),
    storageLocation: z.string().meta({ pattern: '^[0-9A-Z]{4}$' }).optional(),
  })
  .meta({ id: 'ErpStockBlueprint' })

export const ErpPurchaseItemBlueprint = z
  .object({
    material: z.string().meta({ minLength: 1 }),
    description: z.string(),
    quantity: z.number(),
    unit: z.string().meta({ minLength: 1 }),
    netPrice: z.number().meta({ description: 'The price of one unit.' }),
  })
  .meta({ id: 'ErpPurchaseItemBlueprint' })

export const ErpPurchaseOrderBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    supplier: z.string().meta({ description: 'The key of a business partner that is a supplier.' }),
    currency: z.string().meta({ pattern: '^[A-Z]{3}$' }),
    deliveryDate: z.string().meta({ format: 'date' }),
    status: z.enum(['open', 'received', 'invoiced']),
    items: z.array(ErpPurchaseItemBlueprint),
    createdAt: z.string().meta({ format: 'date-time' }).optional(),
    plant: z.string().meta({ pattern: '^[0-9]{4}$' }).optional(),
  })
  .meta({ id: 'ErpPurchaseOrderBlueprint' })

export const ErpPurchaseRequisitionBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    deliveryDate: z.string().meta({ format: 'date' }),
    description: z.string().optional(),
    requester: z.string().optional().meta({ description: 'The name of who asks for it.' }),
    supplier: z.string().optional().meta({ description: 'The key of the supplier that is wished for.' }),
    currency: z.string().meta({ pattern: '^[A-Z]{3}$' }),
    items: z.array(ErpPurchaseItemBlueprint),
  })
  .meta({ id: 'ErpPurchaseRequisitionBlueprint' })

export const ErpDeliveryBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    salesOrder: z.string().meta({ description: 'The key of an open sales order, which is delivered whole.' }),
    status: z.enum(['created', 'picked', 'issued']),
  })
  .meta({ id: 'ErpDeliveryBlueprint' })

export const ErpEventWebhookBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    url: z.string(),
    events: z
      .array(z.string())
      .optional()
      .meta({ description: 'Types of events, or beginnings that end in an asterisk; all when left out.' }),
  })
  .meta({ id: 'ErpEventWebhookBlueprint' })

export const section = z
  .object({
    businessPartners: z.array(ErpBusinessPartnerBlueprint),
    salesAreas: z.array(ErpSalesAreaBlueprint).default([]),
    salesOrders: z.array(ErpSalesOrderBlueprint),
    products: z
      .array(ErpProductBlueprint)
      .optional()
      .meta({ description: 'Products besides those that orders name.' }),
    stock: z
      .array(ErpStockBlueprint)
      .optional()
      .meta({ description: 'When left out, what the open orders need and 100 more of each material.' }),
    purchaseOrders: z.array(ErpPurchaseOrderBlueprint).optional(),
    purchaseRequisitions: z.array(ErpPurchaseRequisitionBlueprint).optional(),
    deliveries: z.array(ErpDeliveryBlueprint).optional(),
    eventWebhooks: z
      .array(ErpEventWebhookBlueprint)
      .max(20)
      .optional()
      .meta({ description: 'Where business events are sent as CloudEvents.' }),
  })
  .meta({ id: 'ErpSection' })
export type ErpSection = z.infer<typeof section>
