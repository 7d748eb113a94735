import {
  Answered,
  amount,
  ChangeInspector,
  ChangeMark,
  Chip,
  type Column,
  changeClass,
  column,
  Details,
  Icon,
  type LiveWorld,
  money,
  RecordTable,
  type StateItem,
  type TwinInstanceRecord,
  text,
  Unread,
  useAddress,
  useCollection,
  Value,
} from '@diorama/console/view-kit'
import type { ReactNode } from 'react'
import { EditOrder } from './edit-order.tsx'

interface Parts {
  readonly live: LiveWorld
  readonly twin: TwinInstanceRecord
}

const lists: readonly (readonly [collection: string, label: string, columns: readonly Column[]])[] = [
  [
    'sales_order',
    'Orders',
    [
      column('Order', 'SalesOrder'),
      column('Customer', 'SoldToParty'),
      column('Reference', 'PurchaseOrderByCustomer'),
      column('Order date', 'SalesOrderDate'),
      column('Requested', 'RequestedDeliveryDate'),
      amount('Net value', 'TotalNetAmount', 'TransactionCurrency'),
    ],
  ],
  [
    'business_partner',
    'Partners',
    [
      column('Partner', 'BusinessPartner'),
      column('Name', 'BusinessPartnerFullName'),
      column('Search term', 'SearchTerm1'),
    ],
  ],
  [
    'product',
    'Products',
    [column('Product', 'Product'), column('Type', 'ProductType'), column('Unit', 'BaseUnit')],
  ],
  [
    'outb_delivery_header',
    'Deliveries',
    [
      column('Delivery', 'DeliveryDocument'),
      column('Ship-to', 'ShipToParty'),
      column('Date', 'DeliveryDate'),
    ],
  ],
]

/** Partners and products by name, since nobody knows a number by heart. */
const useNames = (twinId: string): ReadonlyMap<string, string> => {
  const partners = useCollection(twinId, 'business_partner')
  const products = useCollection(twinId, 'product_description')
  return new Map([
    ...(partners.data ?? []).map(({ id, record }) => [id, text(record, 'BusinessPartnerFullName')] as const),
    ...(products.data ?? []).map(
      ({ record }) => [text(record, 'Product'), text(record, 'ProductDescription')] as const,
    ),
  ])
}

const named = (columns: readonly Column[], names: ReadonlyMap<string, string>): Column[] =>
  columns.map((one, index) => ({
    ...one,
    known: (value) => (index === 0 ? undefined : names.get(value)),
  }))

/** The company's orders, with their items, partners and schedule. */
export const View = ({ live, twin }: Parts) => {
  const { search, change } = useAddress()
  const names = useNames(twin.id)
  const [collection, , columns] = lists.find(([name]) => name === search.collection) ??
    lists[0] ?? ['sales_order', '', []]
  const records = useCollection(twin.id, collection)
  const open = records.data?.find(
    ({ id, key }) => id === search.record || (key !== null && key === search.record),
  )
  return (
    <div className="split">
      <div className="split-main scrolls">
        <div className="filters">
          <div className="chips">
            {lists.map(([name, label]) => (
              <Chip
                key={name}
                on={collection === name}
                onClick={() => change({ collection: name, record: undefined, open: undefined }, false)}
              >
                {label}
              </Chip>
            ))}
          </div>
        </div>
        {open && collection === 'sales_order' ? (
          <Order live={live} twin={twin} order={open} names={names} />
        ) : null}
        {open && collection !== 'sales_order' ? (
          <OtherRecord live={live} collection={collection} item={open} names={names} />
        ) : null}
        {open ? null : (
          <div className="page-body">
            <Unread list={records} of="records" />
            <Answered asked={records}>
              {(items) => (
                <RecordTable
                  live={live}
                  service="erp"
                  collection={collection}
                  items={items}
                  columns={named(columns, names)}
                />
              )}
            </Answered>
          </div>
        )}
      </div>
      <ChangeInspector live={live} />
    </div>
  )
}

const Back = ({ label }: { label: string }) => {
  const { change } = useAddress()
  return (
    <button type="button" className="link" onClick={() => change({ record: undefined }, false)}>
      <Icon name="back" size={12} /> {label}
    </button>
  )
}

interface OtherProps {
  readonly live: LiveWorld
  readonly collection: string
  readonly item: StateItem
  readonly names: ReadonlyMap<string, string>
}

const OtherRecord = ({ live, collection, item, names }: OtherProps) => (
  <article className="page-body record">
    <header className="record-head">
      <Back label="Back to the list" />
      <h2>
        {item.id} {names.get(item.id) ?? ''}{' '}
        <ChangeMark live={live} service="erp" collection={collection} id={item.id} />
      </h2>
    </header>
    <Details record={item.record} of={{ live, service: 'erp', collection, id: item.id }} />
  </article>
)

const functions: Readonly<Record<string, string>> = {
  SP: 'Sold-to party',
  AG: 'Sold-to party',
  SH: 'Ship-to party',
  WE: 'Ship-to party',
  BP: 'Bill-to party',
  RE: 'Bill-to party',
  PY: 'Payer',
  RG: 'Payer',
}

interface OrderProps extends Parts {
  readonly order: StateItem
  readonly names: ReadonlyMap<string, string>
}

const Order = ({ live, twin, order, names }: OrderProps) => {
  const { record, id } = order
  const number = text(record, 'SalesOrder')
  const requested = text(record, 'RequestedDeliveryDate')
  const of = (items: readonly StateItem[] | undefined) =>
    items?.filter((item) => text(item.record, 'SalesOrder') === number)
  const items = of(useCollection(twin.id, 'sales_order_item').data)
  const partners = of(useCollection(twin.id, 'sales_order_header_partner').data)
  const lines = of(useCollection(twin.id, 'sales_order_schedule_line').data)
  return (
    <article
      className={`page-body record ${changeClass({ live, service: 'erp', collection: 'sales_order', id })}`}
    >
      <header className="record-head">
        <Back label="Orders" />
        <h2>
          Order {number} <ChangeMark live={live} service="erp" collection="sales_order" id={id} />
        </h2>
        <dl className="highlights">
          <Highlight
            name="Customer"
            value={
              <Value text={text(record, 'SoldToParty')} known={names.get(text(record, 'SoldToParty'))} />
            }
          />
          <Highlight name="Reference" value={text(record, 'PurchaseOrderByCustomer')} />
          <Highlight name="Requested delivery" value={<Value text={requested} />} />
          <Highlight
            name="Net value"
            value={money(Number(record['TotalNetAmount'] ?? 0), text(record, 'TransactionCurrency'))}
          />
        </dl>
      </header>
      <EditOrder key={id} twin={twin} order={order} />
      <section className="section">
        <h3>Items</h3>
        <RecordTable
          live={live}
          service="erp"
          collection="sales_order_item"
          items={items}
          columns={itemColumns}
          inner
        />
      </section>
      <section className="section">
        <h3>Schedule</h3>
        <RecordTable
          live={live}
          service="erp"
          collection="sales_order_schedule_line"
          items={lines}
          columns={lineColumns}
          inner
        />
      </section>
      <section className="section">
        <h3>Partners</h3>
        <dl className="pairs">
          {(partners ?? []).map((partner) => (
            <div key={partner.id} className="pair">
              <dt>
                {functions[text(partner.record, 'PartnerFunction')] ??
                  text(partner.record, 'PartnerFunction')}
              </dt>
              <dd>
                <Value text={text(partner.record, 'Customer')} />{' '}
                <span className="mono hint">{text(partner.record, 'Customer')}</span>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <details className="change">
        <summary>All fields</summary>
        <Details record={record} of={{ live, service: 'erp', collection: 'sales_order', id }} />
      </details>
    </article>
  )
}

const Highlight = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value || '–'}</dd>
  </div>
)

const itemColumns: readonly Column[] = [
  column('Item', 'SalesOrderItem'),
  column('Material', 'Material'),
  column('Text', 'SalesOrderItemText'),
  amount('Quantity', 'RequestedQuantity', 'RequestedQuantityUnit'),
  amount('Net value', 'NetAmount', 'TransactionCurrency'),
]
const lineColumns: readonly Column[] = [
  column('Item', 'SalesOrderItem'),
  column('Line', 'ScheduleLine'),
  column('Requested', 'RequestedDeliveryDate'),
  column('Confirmed', 'ConfirmedDeliveryDate'),
  amount('Quantity', 'ScheduleLineOrderQuantity', 'OrderQuantityUnit'),
]
