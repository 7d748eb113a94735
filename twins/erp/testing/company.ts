import type { ErpSection } from '../section.ts'
import { testSection } from './section.ts'

const partner = (key: string, name: string): ErpSection['businessPartners'][number] => ({
  key,
  category: 'organization',
  name,
  createdAt: null,
  firstName: null,
  lastName: null,
  searchTerm: null,
})

/** A company with stock, suppliers and purchases: customers 17100001 and 17100002, suppliers 17100003 and 17100004. */
export const logisticsSection: ErpSection = {
  ...testSection,
  businessPartners: [
    partner('bluewater', 'Bluewater Hotels'),
    { ...partner('blocked', 'Blocked Foods'), orderBlock: '01' },
    { ...partner('castings', 'Castings Ltd'), roles: ['supplier'], country: 'GB', city: 'Leeds' },
    { ...partner('late', 'Late Parts'), roles: ['supplier'], purchasingBlock: true },
  ],
  salesOrders: [
    {
      key: 'first',
      soldTo: 'bluewater',
      currency: 'USD',
      requestedDeliveryDate: '2026-03-20',
      status: 'open',
      createdAt: null,
      purchaseOrderByCustomer: 'PO-1',
      salesOrganization: null,
      items: [{ material: 'PUMP', description: 'Pump', quantity: 10, unit: 'PC', netAmount: 1000 }],
    },
  ],
  products: [
    { material: 'PUMP', description: 'Pump', unit: 'PC', cost: 60 },
    { material: 'VALVE', description: 'Valve', unit: 'PC', price: 25, cost: 10 },
  ],
  stock: [
    { material: 'PUMP', quantity: 30 },
    { material: 'VALVE', quantity: 5 },
  ],
  purchaseOrders: [
    {
      key: 'valves',
      supplier: 'castings',
      currency: 'USD',
      deliveryDate: '2026-03-16',
      status: 'open',
      items: [{ material: 'VALVE', description: 'Valve', quantity: 40, unit: 'PC', netPrice: 9.5 }],
    },
  ],
  purchaseRequisitions: [
    {
      key: 'pumps',
      deliveryDate: '2026-03-25',
      currency: 'USD',
      items: [{ material: 'PUMP', description: 'Pump', quantity: 20, unit: 'PC', netPrice: 55 }],
    },
  ],
}
