import { isRecord } from '@diorama/twin-kit/records'
import type { Rule, Value } from './schema.ts'

const isFilled = (value: Value, name: string): boolean => value[name] !== undefined

const names = (fields: readonly string[]): string => fields.map((name) => `\`${name}\``).join(', ')

/** One of the fields is needed; the first is the one that is reported missing. */
export const anyOf =
  (...fields: readonly string[]): Rule =>
  (value) =>
    fields.some((name) => isFilled(value, name))
      ? []
      : [{ message: `missing required field: ${fields[0] ?? ''}` }]

export const exactlyOne =
  (...fields: readonly string[]): Rule =>
  (value, context) => {
    const given = fields.filter((name) => isFilled(value, name))
    if (given.length > 1) return [{ message: 'failed to match exactly one allowed schema' }]
    return anyOf(...fields)(value, context)
  }

export const excludes =
  (...fields: readonly string[]): Rule =>
  (value) =>
    fields.filter((name) => isFilled(value, name)).length > 1
      ? [{ message: `only one of ${names(fields)} is allowed` }]
      : []

/** `low` may not be greater than `high`; both are numbers, or texts that hold numbers. */
export const ordered =
  (low: string, high: string): Rule =>
  (value) =>
    isFilled(value, low) && isFilled(value, high) && Number(value[low]) > Number(value[high])
      ? [{ message: `\`${low}\` must not be greater than \`${high}\``, at: `/${low}` }]
      : []

const records = (value: unknown): Value[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const optionKey = (option: Value): string => {
  const { text } = option
  return JSON.stringify([option.value, isRecord(text) ? text.text : undefined])
}

/** What is chosen at first is one of the options. */
export const initialAmong =
  (field: 'initial_option' | 'initial_options'): Rule =>
  (value) => {
    const chosen = field === 'initial_option' ? [value[field]].filter(isRecord) : records(value[field])
    if (chosen.length === 0) return []
    const groups = records(value.option_groups).flatMap(({ options }) => records(options))
    const known = new Set([...records(value.options), ...groups].map(optionKey))
    return chosen.every((option) => known.has(optionKey(option)))
      ? []
      : [{ message: `\`${field}\` must match the options`, at: `/${field}` }]
  }

export const sectionContent: Rule = (value) =>
  isFilled(value, 'text') || isFilled(value, 'fields')
    ? []
    : [{ message: 'must define either `text` or `fields`', at: '/type' }]

/** Action ids are unique in their block. */
export const uniqueActions: Rule = (value) => {
  const seen = new Set<unknown>()
  return records(value.elements).flatMap(({ action_id }, n) => {
    if (action_id === undefined) return []
    if (seen.has(action_id))
      return [
        { message: `\`action_id\` "${String(action_id)}" already exists`, at: `/elements/${n}/action_id` },
      ]
    seen.add(action_id)
    return []
  })
}

export const noDispatchWithFiles: Rule = (value) =>
  value.dispatch_action === true && isRecord(value.element) && value.element.type === 'file_input'
    ? [{ message: '`dispatch_action` is not allowed with `file_input`', at: '/dispatch_action' }]
    : []

/** A response URL is made only for an input block of a modal. */
export const responseUrl: Rule = (value, { surface }) =>
  surface !== 'modal' && isRecord(value.element) && value.element.response_url_enabled === true
    ? [{ message: '`response_url_enabled` is only allowed in modals', at: '/element/response_url_enabled' }]
    : []

export const noResponseUrl =
  (...places: readonly string[]): Rule =>
  (value) =>
    places.flatMap((place) =>
      (place === 'elements' ? records(value.elements) : [value[place]].filter(isRecord)).flatMap(
        (element, n) =>
          element.response_url_enabled === true
            ? [
                {
                  message: '`response_url_enabled` is only allowed in input blocks',
                  at: `/${place}${place === 'elements' ? `/${n}` : ''}/response_url_enabled`,
                },
              ]
            : [],
      ),
    )

export const uploadedImage: Rule = (value, { isImage }) =>
  isImage(value) ? [] : [{ message: 'invalid slack file' }]

export const remoteFile: Rule = (value, { isRemoteFile }) =>
  isRemoteFile(String(value.external_id)) ? [] : [{ message: 'file not found', at: '/external_id' }]

export const knownCall: Rule = (value, { isCall }) =>
  isCall(String(value.call_id)) ? [] : [{ message: 'invalid call', at: '/call_id' }]

export const collapsible: Rule = (value) =>
  value.default_collapsed === true && value.is_collapsible !== true
    ? [{ message: '`default_collapsed` needs `is_collapsible`', at: '/default_collapsed' }]
    : []

const rowsOf = (value: Value): unknown[][] =>
  Array.isArray(value.rows) ? value.rows.filter((row): row is unknown[] => Array.isArray(row)) : []

const maxTableCharacters = 10_000

/** A data table is a rectangle below a header of plain cells, with bounded text. */
export const dataTable: Rule = (value) => {
  const rows = rowsOf(value)
  const width = rows[0]?.length ?? 0
  const uneven = rows.findIndex((row) => row.length !== width)
  const cells = rows.flat().filter(isRecord)
  const size = cells.reduce((sum, cell) => sum + cellSize(cell), 0)
  const header = rows[0]?.findIndex((cell) => isRecord(cell) && cell.type === 'rich_text') ?? -1
  return [
    ...(uneven === -1
      ? []
      : [{ message: 'all rows must have the same number of cells', at: `/rows/${uneven}` }]),
    ...(header === -1 ? [] : [{ message: 'unsupported type: rich_text', at: `/rows/0/${header}/type` }]),
    ...(size > maxTableCharacters
      ? [{ message: `must be less than ${maxTableCharacters + 1} characters`, at: '/rows' }]
      : []),
  ]
}

const cellSize = (cell: Value): number =>
  typeof cell.text === 'string'
    ? cell.text.length
    : cell.type === 'rich_text'
      ? JSON.stringify(cell).length
      : 0

/** Series have different names, and one point for each category. */
export const chartSeries: Rule = (value) => {
  const series = records(value.series)
  const axis = value.axis_config
  const categories = isRecord(axis) && Array.isArray(axis.categories) ? axis.categories : []
  const seen = new Set<unknown>()
  return series.flatMap(({ name, data }, n) => {
    const isRepeated = seen.has(name)
    seen.add(name)
    const labels = new Set(records(data).map(({ label }) => label))
    const fits = labels.size === categories.length && categories.every((category) => labels.has(category))
    return [
      ...(isRepeated ? [{ message: 'series names must be unique', at: `/series/${n}/name` }] : []),
      ...(fits ? [] : [{ message: 'data must have one point for each category', at: `/series/${n}/data` }]),
    ]
  })
}
