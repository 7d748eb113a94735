import { type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { Chat, ChatTables } from '../tables.ts'

/** How one argument is read. Clients send all of them as text in forms, and as what they are in JSON. */
export interface Arg<V> {
  readonly read: (value: unknown, name: string) => V
  /** The error for an argument that is not there; undefined where it may be left out. */
  readonly missing: string | undefined
}
type Args<A> = { readonly [K in keyof A]: A[K] extends Arg<infer V> ? V : never }
type Optional<V> = Arg<V | undefined>
// biome-ignore lint/suspicious/noExplicitAny: a record of arguments of different types.
type AnyArgs = Readonly<Record<string, Arg<any>>>

export type Answer = Readonly<Record<string, unknown>>

export const invalidArguments = (...messages: readonly string[]): VendorError =>
  new VendorError('invalid_arguments', messages.join('; '), {
    data: { response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) } },
  })

const mistyped = (what: string, name: string): VendorError =>
  invalidArguments(`must provide ${what} [json-pointer:/${name}]`)

const optional = <V>(read: (value: unknown, name: string) => V): Optional<V> => ({
  read: (value, name) => (value === undefined || value === null ? undefined : read(value, name)),
  missing: undefined,
})

/** An argument that must be there; `code` where the method has its own word for that. */
export const must = <V>(arg: Optional<V>, code = 'invalid_arguments'): Arg<V> => ({
  read: (value, name) => {
    const read = arg.read(value, name)
    if (read === undefined) throw mistyped('a value', name)
    return read
  },
  missing: code,
})

export const str: Optional<string> = optional((value, name) => {
  if (typeof value === 'string') return value
  throw mistyped('a string', name)
})

export const int: Optional<number> = optional((value, name) => {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (value === '') return 0
  if (typeof read === 'number' && Number.isFinite(read)) return Math.trunc(read)
  throw mistyped('an integer', name)
})

/** True for what the service takes as true; anything else that is no boolean counts as false. */
export const flag: Optional<boolean> = optional(
  (value) => value === true || value === 1 || /^(1|true|yes|on)$/i.test(String(value)),
)

/** Ids in one text with commas, in a JSON text, or as a list. */
export const list: Optional<string[]> = optional((value, name) => {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string') throw mistyped('a string', name)
  const parsed = value.trim().startsWith('[') ? parseJson(value) : undefined
  if (Array.isArray(parsed)) return parsed.map(String)
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
})

/** An object or a list; in a form it comes as JSON text. */
export const json = (code = 'invalid_arguments'): Optional<unknown> =>
  optional((value) => {
    if (typeof value !== 'string') return value
    if (value.trim() === '') return undefined
    const parsed = parseJson(value)
    if (parsed === undefined) throw new VendorError(code)
    return parsed
  })

/** The bytes of a file in a multipart body. */
export const file: Optional<Uint8Array> = optional((value, name) => {
  if (isRecord(value) && value.bytes instanceof Uint8Array) return value.bytes
  throw mistyped('a file', name)
})

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
type ArgList = readonly (readonly [string, Arg<any>])[]

const readArgs = <A extends AnyArgs>(spec: ArgList, raw: unknown): Args<A> => {
  const given = isRecord(raw) ? raw : {}
  const read: Record<string, unknown> = {}
  const missing: string[] = []
  for (const [name, arg] of spec) {
    const value = given[name]
    if (value !== undefined && value !== null) read[name] = arg.read(value, name)
    else if (arg.missing === 'invalid_arguments') missing.push(`missing required field: ${name}`)
    else if (arg.missing !== undefined) throw new VendorError(arg.missing)
  }
  if (missing.length > 0) throw invalidArguments(...missing)
  return read as Args<A>
}

export interface Method extends Operation {
  readonly args: AnyArgs
}

/** Writes a method of the service with the types of its arguments. */
export const method = <A extends AnyArgs>(written: {
  effect: 'read' | 'write'
  args: A
  run: (call: Chat, args: Args<A>) => Answer
}): Method => {
  const spec = Object.entries(written.args)
  return {
    ...operation<ChatTables, Args<A>, Answer>({
      effect: written.effect,
      input: { parse: (value) => readArgs<A>(spec, value) },
      run: written.run,
    }),
    args: written.args,
  }
}
