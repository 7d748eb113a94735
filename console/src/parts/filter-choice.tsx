import { type SearchField, useAddress } from '../search.ts'

interface FilterChoiceProps {
  readonly label: string
  readonly field: SearchField
  readonly options: readonly (readonly [value: string, label: string])[]
  /** What is shown while the filter is off. */
  readonly any: string
}

/** A filter with fixed values, kept in the page's address. */
export const FilterChoice = ({ label, field, options, any }: FilterChoiceProps) => {
  const { search, change } = useAddress()
  return (
    <select
      aria-label={label}
      value={search[field] ?? ''}
      onChange={(event) => change({ [field]: event.target.value || undefined })}
    >
      <option value="">{any}</option>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}

interface FilterTextProps {
  readonly label: string
  readonly field: SearchField
  readonly placeholder?: string
}

/** A filter that is typed; it takes effect with Enter and when the field is left. */
export const FilterText = ({ label, field, placeholder = label }: FilterTextProps) => {
  const { search, change } = useAddress()
  return (
    <input
      key={search[field] ?? ''}
      aria-label={label}
      placeholder={placeholder}
      defaultValue={search[field] ?? ''}
      onBlur={(event) => change({ [field]: event.target.value.trim() || undefined })}
      onKeyDown={(event) => (event.key === 'Enter' ? event.currentTarget.blur() : undefined)}
    />
  )
}
