import {
  EditFields,
  type NativeReply,
  type StateItem,
  type TwinInstanceRecord,
  text,
  useActing,
} from '@diorama/console/view-kit'
import { highlights } from './highlights.ts'

const api = '/services/data/v62.0'

/** The service answers a list of errors, each with its code. */
const accepted = ({ status, body }: NativeReply): void => {
  if (status < 400) return
  const [first] = Array.isArray(body) ? body : []
  throw new Error(`The service refused it: ${first?.message ?? status}`)
}

const longFields = new Set(['Description', 'Subject'])
const titleOf = (field: string): string => field.replaceAll(/([a-z])([A-Z])/g, '$1 $2')

/** Numbers go out as numbers, and a field that was emptied as null. */
const native = (record: StateItem['record'], field: string, value: string): unknown =>
  value === '' ? null : typeof record[field] === 'number' ? Number(value) : value

interface EditRecordProps {
  readonly twin: TwinInstanceRecord
  readonly collection: string
  readonly item: StateItem
}

/** The telling fields of a record, edited by the person that the reader acts as. */
export const EditRecord = ({ twin, collection, item }: EditRecordProps) => {
  const { person, send } = useActing(twin)
  const { id, record } = item
  if (!person) return null
  const fields = [
    ...('Name' in record && collection !== 'Contact' && collection !== 'Lead' ? ['Name'] : []),
    ...(highlights[collection] ?? []),
    ...('Description' in record ? ['Description'] : []),
  ]
  const save = async (changed: Readonly<Record<string, string>>) =>
    accepted(
      await send({
        method: 'PATCH',
        path: `${api}/sobjects/${collection}/${id}`,
        body: Object.fromEntries(
          Object.entries(changed).map(([field, value]) => [field, native(record, field, value)]),
        ),
      }),
    )
  return (
    <section className="section">
      <h3>Edit as {person.name}</h3>
      <EditFields
        label={`Edit ${collection}`}
        fields={fields.map((name) => ({
          name,
          label: titleOf(name),
          value: text(record, name),
          kind: longFields.has(name) ? 'long' : /Date$/.test(name) ? 'date' : 'text',
        }))}
        onSave={save}
      />
    </section>
  )
}
