import {
  type Acting,
  type EditedField,
  EditFields,
  type NativeReply,
  type StateItem,
  type TwinInstanceRecord,
  text,
  useActing,
} from '@diorama/console/view-kit'

const set = '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder'

const inside = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  )

const accepted = ({ status, body }: NativeReply): void => {
  if (status < 400) return
  throw new Error(`The service refused it: ${inside(body, 'error', 'message', 'value') ?? status}`)
}

const dates = new Set(['RequestedDeliveryDate', 'CustomerPurchaseOrderDate'])

/** Dates travel as milliseconds in this protocol. */
const native = (field: string, value: string): unknown =>
  dates.has(field) ? (value === '' ? null : `/Date(${Date.parse(`${value}T00:00:00Z`)})/`) : value

/** Writes need a token against forged requests and the version that was read, as the service gives them. */
const changeOrder = async (
  { send }: Acting,
  number: string,
  changed: Readonly<Record<string, string>>,
): Promise<void> => {
  const path = `${set}('${number}')`
  const read = await send({ path: `${path}?$format=json`, headers: { 'x-csrf-token': 'Fetch' } })
  accepted(read)
  const body = Object.fromEntries(
    Object.entries(changed).map(([field, value]) => [field, native(field, value)]),
  )
  accepted(
    await send({
      method: 'PATCH',
      path,
      headers: {
        accept: 'application/json',
        'x-csrf-token': read.headers.get('x-csrf-token') ?? '',
        'if-match': String(inside(read.body, 'd', '__metadata', 'etag') ?? '*'),
      },
      body,
    }),
  )
}

const labels: readonly (readonly [name: string, label: string, kind: EditedField['kind']])[] = [
  ['PurchaseOrderByCustomer', 'Customer reference', 'text'],
  ['RequestedDeliveryDate', 'Requested delivery', 'date'],
  ['DeliveryBlockReason', 'Delivery block', 'text'],
  ['HeaderBillingBlockReason', 'Billing block', 'text'],
  ['CustomerPaymentTerms', 'Payment terms', 'text'],
]

/** The head of an order, edited by the person that the reader acts as. */
export const EditOrder = ({ twin, order }: { twin: TwinInstanceRecord; order: StateItem }) => {
  const acting = useActing(twin)
  const { record } = order
  if (!acting.person) return null
  const number = text(record, 'SalesOrder')
  return (
    <section className="section">
      <h3>Edit as {acting.person.name}</h3>
      <EditFields
        label={`Edit order ${number}`}
        fields={labels.map(([name, label, kind]) => ({
          name,
          label,
          value: text(record, name),
          ...(kind ? { kind } : {}),
        }))}
        onSave={(changed) => changeOrder(acting, number, changed)}
      />
    </section>
  )
}
