import examples from '../data/examples.generated.json' with { type: 'json' }

/** Paths of an answer with the types of what is there; `[]` means the items of a list. */
type Shape = Readonly<Record<string, string>>

const shapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = examples

export const documentedMethods: readonly string[] = Object.keys(shapes)

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

/** Every value at a path. */
const valuesAt = (value: unknown, path: string): unknown[] => {
  let found: unknown[] = [value]
  for (const step of path.replaceAll('[]', '.[]').split('.').filter(Boolean))
    found = found.flatMap((one) => {
      if (step === '[]') return Array.isArray(one) ? one : []
      if (step === '*') return typeof one === 'object' && one !== null ? Object.values(one) : []
      if (typeof one !== 'object' || one === null || !Object.hasOwn(one, step)) return [undefined]
      return [(one as Record<string, unknown>)[step]]
    })
  return found
}

/** The documented fields that an answer lacks or has with another type, one line for each. */
export const lacking = (method: string, variant: string, answer: unknown): string[] =>
  Object.entries(shapes[method]?.[variant] ?? {}).flatMap(([path, type]) => {
    // Items of a list that is empty here, and fields below something that is null, cannot be compared.
    const parent = path.replace(/(\.[\w*]+|\[\])$/, '')
    if (
      parent !== path &&
      valuesAt(answer, parent).every((value) => typeof value !== 'object' || value === null)
    )
      return []
    const types = valuesAt(answer, path).map((value) => (value === undefined ? 'absent' : typeOf(value)))
    const wrong = types.find((one) => one !== type && one !== 'null' && type !== 'null')
    return wrong === undefined ? [] : [`${method} ${variant} ${path}: ${wrong}, documented ${type}`]
  })
