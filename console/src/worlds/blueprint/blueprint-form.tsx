import { isRecord } from '@diorama/contract/records'
import { useId, useState } from 'react'
import { plural } from '../../words.ts'
import { fieldLabel } from '../records/record-name.ts'
import { emptyOf, itemName, resolved, type Schema } from './schema-form.ts'

interface NodeProps {
  readonly schema: Schema
  readonly root: Schema
  readonly name: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const rowOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

interface BlueprintFormProps {
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** The blueprint as a form that follows its schema. Keys keep the order in which their author wrote them. */
export const BlueprintForm = ({ schema, value, onChange }: BlueprintFormProps) => (
  <form className="blueprint-form" aria-label="Blueprint" onSubmit={(event) => event.preventDefault()}>
    <ObjectFields schema={resolved(schema, schema).schema} root={schema} value={value} onChange={onChange} />
  </form>
)

type FieldsProps = Omit<NodeProps, 'name'>

/** The fields of an object: those that are written first in their order, then those that could be added. */
const ObjectFields = ({ schema, root, value, onChange }: FieldsProps) => {
  const row = rowOf(value)
  const properties = schema.properties ?? {}
  const written = Object.keys(row).filter((name) => properties[name])
  const others = Object.keys(properties).filter((name) => !written.includes(name))
  const set = (name: string, next: unknown) => {
    if (next !== undefined) return onChange({ ...row, [name]: next })
    const { [name]: _gone, ...rest } = row
    onChange(rest)
  }
  return [...written, ...others].map((name) => (
    <Node
      key={name}
      schema={properties[name] ?? {}}
      root={root}
      name={name}
      value={row[name]}
      onChange={(next) => set(name, next)}
    />
  ))
}

const Node = (props: NodeProps) => {
  const { schema, isNullable } = resolved(props.schema, props.root)
  if (schema.type === 'object' && schema.properties) return <Group {...props} schema={schema} />
  if (schema.type === 'array') return <List {...props} schema={schema} />
  if (schema.type === 'boolean') return <Check {...props} />
  if (schema.anyOf || schema.type === undefined || schema.type === 'object') return <AsJson {...props} />
  return <Text {...props} schema={schema} isNullable={isNullable} />
}

/** A part that is folded until it is opened: what is inside exists only then. */
const Folded = ({
  title,
  hint,
  children,
}: {
  title: string
  hint: string
  children: () => React.ReactNode
}) => {
  const [open, setOpen] = useState(false)
  return (
    <details className="form-part" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span className="hint">{hint}</span>
      </summary>
      {open ? <div className="form-inside">{children()}</div> : null}
    </details>
  )
}

const Group = (props: NodeProps) => {
  const { schema, root, name, value, onChange } = props
  const isAbsent = value === undefined || value === null
  return (
    <Folded title={fieldLabel(name)} hint={isAbsent ? 'none' : (schema.description ?? '')}>
      {() =>
        isAbsent ? (
          <button
            type="button"
            className="button"
            onClick={() => onChange(emptyOf({ ...schema, default: undefined }, root))}
          >
            Add {fieldLabel(name).toLowerCase()}
          </button>
        ) : (
          <ObjectFields schema={schema} root={root} value={value} onChange={onChange} />
        )
      }
    </Folded>
  )
}

const List = ({ schema, root, name, value, onChange }: NodeProps) => {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const inner = resolved(schema.items ?? {}, root).schema
  const label = fieldLabel(name)
  if (inner.type === 'string') return <Lines name={name} items={items} onChange={onChange} />
  const replace = (index: number, next: unknown) =>
    onChange(items.map((item, place) => (place === index ? next : item)))
  return (
    <Folded title={label} hint={plural(items.length, 'item')}>
      {() => (
        <>
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name than its place.
            <Folded key={index} title={itemName(item, index)} hint="">
              {() => (
                <>
                  {inner.properties ? (
                    <ObjectFields
                      schema={inner}
                      root={root}
                      value={item}
                      onChange={(next) => replace(index, next)}
                    />
                  ) : (
                    <AsJson
                      schema={inner}
                      root={root}
                      name={name}
                      value={item}
                      onChange={(next) => replace(index, next)}
                    />
                  )}
                  <button
                    type="button"
                    className="link is-danger"
                    onClick={() => onChange(items.filter((_, place) => place !== index))}
                  >
                    Remove<span className="unseen"> {itemName(item, index)}</span>
                  </button>
                </>
              )}
            </Folded>
          ))}
          <button
            type="button"
            className="button"
            onClick={() => onChange([...items, emptyOf(schema.items ?? {}, root)])}
          >
            Add to {label.toLowerCase()}
          </button>
        </>
      )}
    </Folded>
  )
}

const Labelled = ({
  name,
  hint,
  children,
}: {
  name: string
  hint?: string | undefined
  children: (id: string) => React.ReactNode
}) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{fieldLabel(name)}</label>
      {children(id)}
      {hint ? <p className="hint">{hint}</p> : null}
    </div>
  )
}

interface LinesProps {
  readonly name: string
  readonly items: readonly unknown[]
  readonly onChange: (value: unknown) => void
}

const Lines = ({ name, items, onChange }: LinesProps) => (
  <Labelled name={name} hint="One on each line.">
    {(id) => (
      <textarea
        id={id}
        defaultValue={items.join('\n')}
        onChange={(event) => onChange(event.target.value.split('\n').filter((line) => line.trim() !== ''))}
      />
    )}
  </Labelled>
)

const Check = ({ name, value, onChange }: NodeProps) => {
  const id = useId()
  return (
    <div className="field field-check">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{fieldLabel(name)}</label>
    </div>
  )
}

const longFields = /narrative|summary|description|instruction|outcome|text|body|code|criteria|prompt/i
const longText = 80

const Text = ({ schema, name, value, onChange, isNullable }: NodeProps & { isNullable: boolean }) => {
  const text = value === null || value === undefined ? '' : String(value)
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  const change = (next: string) => {
    if (next === '' && (isNullable || isNumber)) return onChange(isNullable ? null : undefined)
    onChange(isNumber ? Number(next) : next)
  }
  return (
    <Labelled name={name} hint={schema.description}>
      {(id) =>
        schema.enum ? (
          <select id={id} value={text} onChange={(event) => change(event.target.value)}>
            {isNullable || text === '' ? <option value="">–</option> : null}
            {schema.enum.map((option) => (
              <option key={String(option)} value={String(option)}>
                {String(option).replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        ) : !isNumber && (longFields.test(name) || text.length > longText) ? (
          <textarea id={id} value={text} onChange={(event) => change(event.target.value)} />
        ) : (
          <input
            id={id}
            type={isNumber ? 'number' : 'text'}
            value={text}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    </Labelled>
  )
}

/** What has several shapes is written as JSON. */
const AsJson = ({ name, value, onChange }: NodeProps) => {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [fault, setFault] = useState<string>()
  const change = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setFault(undefined)
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Labelled name={name} hint={fault ?? 'As JSON.'}>
      {(id) => (
        <textarea
          id={id}
          className="mono"
          aria-invalid={fault !== undefined}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </Labelled>
  )
}
