// Writes python/diorama/api from the contract's table of routes: `node python/generate.ts`. With --check it only says
// whether the files are up to date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allRoutes, errorCodes, type RouteName, type RouteSpec } from '@diorama/contract'
import { namespaces } from '@diorama/contract/namespaces'
import { fieldName, parameterName, snakeName } from '@diorama/contract/python-names'
import { z } from 'zod'
import { isStream, streamItems } from '../sdk/stream.ts'
import { openTypes, type Schema } from './python-types.ts'

const folder = fileURLToPath(new URL('./diorama/api', import.meta.url))
const heading = '# Made from the contract by `node python/generate.ts`; change it there.\n'

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema

type Answer = 'json' | 'page' | 'stream' | 'text' | 'bytes' | 'nothing'
const answerOf = (name: RouteName, route: RouteSpec): Answer => {
  if (isStream(name)) return 'stream'
  if (route.gives !== undefined) return /^text\/|xml/.test(route.gives) ? 'text' : 'bytes'
  if (route.reply === undefined) return 'nothing'
  const shape = route.reply instanceof z.ZodObject ? route.reply.def.shape : {}
  return 'items' in shape && 'next_cursor' in shape ? 'page' : 'json'
}

const className = (space: string) =>
  space
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const types = openTypes(new Set(Object.keys(namespaces).map((space) => className(snakeName(space)))))
const places = Object.entries(namespaces).flatMap(([space, methods]) =>
  Object.entries(methods).map(([method, name]) => ({
    name: name as RouteName,
    space: snakeName(space),
    method: snakeName(method),
  })),
)
const routeOf = (name: RouteName): RouteSpec => allRoutes[name]
const partsOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => part)
const objectOf = (schema: Schema): Schema => {
  const name = schema.$ref?.split('/').pop()
  return name ? (schema.$defs?.[name] ?? schema) : schema
}

interface Parameters {
  readonly positional: string[]
  readonly named: string[]
  readonly query: string
  readonly body: string
}

const fieldsOf = (schema: Schema, owner: string, space: string, taken: ReadonlySet<string>) => {
  types.learn(schema, space)
  const whole = objectOf(schema)
  const required = new Set(whole.required ?? [])
  return Object.entries(whole.properties ?? {}).map(([wire, field]) => {
    const name = fieldName(wire, taken)
    const type = types.inputType(field, `${owner}${wire}`)
    return { wire, name, needed: required.has(wire), type }
  })
}

const parametersOf = (name: RouteName, route: RouteSpec, space: string): Parameters => {
  const parts = partsOf(route.path).map(parameterName)
  const positional = parts.map((part) => `${part}: str`)
  const taken = new Set([...parts, 'options', 'self'])
  if (route.takes && !route.query)
    return { positional: [...positional, 'data: bytes'], named: [], query: '{}', body: 'data' }
  const schema = route.body ? jsonSchema(route.body, 'input') : undefined
  if (schema && objectOf(schema).type === 'object' && objectOf(schema).properties === undefined)
    return {
      positional: [...positional, 'fields: Mapping[str, Any]'],
      named: [],
      query: '{}',
      body: 'dict(fields)',
    }
  if (schema && objectOf(schema).properties === undefined)
    return {
      positional: [...positional, 'items: Sequence[Mapping[str, Any]]'],
      named: [],
      query: '{}',
      body: 'list(items)',
    }
  const source = schema ?? (route.query ? jsonSchema(route.query, 'input') : undefined)
  const fields = source ? fieldsOf(source, name, space, taken) : []
  const ordered = [...fields.filter(({ needed }) => needed), ...fields.filter(({ needed }) => !needed)]
  const named = ordered.map((field) => `${field.name}: ${field.type}${field.needed ? '' : ' = UNSET'}`)
  const values = `{${fields.map((field) => `"${field.wire}": ${field.name}`).join(', ')}}`
  if (route.takes)
    return {
      positional: [...positional, 'data: Union[bytes, IO[bytes]]'],
      named,
      query: values,
      body: 'data',
    }
  return {
    positional,
    named,
    query: schema ? '{}' : values,
    body: schema ? values : 'None',
  }
}

const returnOf = (name: RouteName, route: RouteSpec, space: string): string => {
  const answer = answerOf(name, route)
  if (isStream(name)) {
    const item = jsonSchema(streamItems[name].item, 'output')
    types.learn(item, space)
    return `Stream[${types.outputType(item, 'RunProgress')}]`
  }
  if (answer === 'text') return 'str'
  if (answer === 'bytes') return 'bytes'
  if (answer === 'nothing' || !route.reply) return 'None'
  const schema = jsonSchema(route.reply, 'output')
  types.learn(schema, space)
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}Reply`
  if (answer === 'json') return types.outputType(schema, title)
  const items = objectOf(schema).properties?.items?.items
  return `Page[${items ? types.outputType({ ...items, ...defsOf(schema) }, `${title}Item`) : 'Any'}]`
}
const defsOf = (schema: Schema) => (schema.$defs ? { $defs: schema.$defs } : {})

const methodText = ({ name, space, method }: (typeof places)[number], awaited = false): string => {
  const route = routeOf(name)
  const { positional, named, query, body } = parametersOf(name, route, space)
  const plain = returnOf(name, route, space)
  const returned = awaited ? plain.replace(/^(Stream|Page)\[/, 'Async$1[') : plain
  const parts = partsOf(route.path)
    .map((part) => `"${part}": ${parameterName(part)}`)
    .join(', ')
  const all = ['self', ...positional, '*', ...named, 'options: Optional[Options] = None']
  const summary = route.summary.replaceAll('"', "'")
  const long = `\n        ${all.join(',\n        ')},\n    `
  const short = all.join(', ')
  const given = short.length + method.length + returned.length > 106 ? long : short
  const streamed = awaited && isStream(name)
  const call = streamed
    ? `self._stream("${name}", {${parts}}, ${query}, options)`
    : `${awaited ? 'await ' : ''}self._call("${name}", {${parts}}, ${query}, ${body}, options)`
  const statement = returned === 'None' ? call : `answer: ${returned} = ${call}\n        return answer`
  return `    ${awaited && !streamed ? 'async ' : ''}def ${method}(${given}) -> ${returned}:
        """${summary}

        ${route.method} ${route.path}
        """
        ${statement}
`
}

const maxLines = 400
const preamble = `${heading}from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union
`

const typeNames = (written: string): string[] =>
  [...written.matchAll(/^(?:class (\w+)\(|(\w+) = )/gm)].map(([, a, b]) => a ?? b ?? '')

const listText = (names: readonly string[]): string => names.map((name) => `    "${name}",`).join('\n')

/** A namespace as one file, or with its types in a file beside it where it would be too long. */
const moduleFiles = (space: string): [string, string][] => {
  const whole = moduleText(space)
  if (whole.split('\n').length <= maxLines) return [[`${space}.py`, whole]]
  const methods = places.filter((place) => place.space === space).map((place) => methodText(place))
  const body = methods.join('\n')
  const written = types.textOf(space)
  const names = typeNames(written)
  const listed = names.map((name) => `    ${name},`).join('\n')
  const exported = listText([className(space), ...names])
  return [
    [`${space}_types.py`, `${preamble}\n${types.importsOf(space, written)}${written}`],
    [
      `${space}.py`,
      `${preamble}
from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
${types.importsOf(space, body)}from .${space}_types import (
${listed}
)

__all__ = [
${exported}
]


class ${className(space)}(Namespace):
${body}`,
    ],
  ]
}

const moduleText = (space: string): string => {
  const methods = places.filter((place) => place.space === space).map((place) => methodText(place))
  const body = methods.join('\n')
  const written = types.textOf(space)
  const imported = types.importsOf(space, `${written}\n${body}`)
  return `${preamble}
from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
${imported}
__all__ = [
${listText([className(space), ...typeNames(written)])}
]

${written}
class ${className(space)}(Namespace):
${body}`
}

/** The same namespace for asyncio, with the types of the one beside it. */
const awaitedText = (space: string): string => {
  const methods = places.filter((place) => place.space === space).map((place) => methodText(place, true))
  const body = methods.join('\n')
  return `${preamble}
from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
${types.importsOf(undefined, body, '..')}
__all__ = ["Async${className(space)}"]


class Async${className(space)}(AsyncNamespace):
${body}`
}

const python = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/\bnull\b/g, 'None')
    .replaceAll(/,"/g, ', "')
    .replaceAll(/":/g, '": ')

const streamText = (name: keyof typeof streamItems): string => {
  const { item, last } = streamItems[name]
  const schema = jsonSchema(item, 'output')
  return `item=${python(schema.$ref?.split('/').pop() ?? null)}, last=${python(last ?? null)}`
}

const tableText = (): string => {
  const rows = places.map(({ name, space, method }) => {
    const route = routeOf(name)
    const answer = answerOf(name, route)
    const shape = route.reply && !route.gives ? types.shapeOf(jsonSchema(route.reply, 'output')) : null
    const more = [
      route.creates ? 'creates=True' : '',
      route.takes ? `takes=${python(route.takes)}` : '',
      route.gives ? `gives=${python(route.gives)}` : '',
      shape === null ? '' : `reply=${python(shape)}`,
      isStream(name) ? streamText(name) : '',
    ].filter(Boolean)
    const first = `"${name}", "${route.method}", "${route.path}", "${space}", "${method}", "${answer}"`
    return `        Route(${[first, ...more].join(', ')}),`
  })
  const shapes = Object.entries(types.shapes()).map(([id, shape]) => `    "${id}": ${python(shape)},`)
  return `${heading}from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class Route:
    """One operation of the service, and its place in this client."""

    name: str
    method: str
    path: str
    namespace: str
    function: str
    #: json, page, stream, text, bytes or nothing.
    answer: str
    #: Makes something new, so that the client sends an idempotency key.
    creates: bool = False
    #: Content types of a body of bytes.
    takes: Optional[List[str]] = None
    gives: Optional[str] = None
    #: Which fields of the reply are the service's own.
    reply: Any = None
    #: The same for the items of a stream, and the kind of message after which it is over.
    item: Any = None
    last: Optional[str] = None


ERROR_CODES = frozenset(${python(Object.keys(errorCodes))})

SHAPES: Dict[str, Any] = {
${shapes.join('\n')}
}

ROUTES: Dict[str, Route] = {
    route.name: route
    for route in (
${rows.join('\n')}
    )
}
`
}

/** Every file of the folder, by name. */
const files = (): Map<string, string> => {
  const spaces = [...new Set(places.map(({ space }) => space))]
  const modules = spaces.flatMap(moduleFiles)
  return new Map([
    ...modules,
    ...spaces.map((space) => [join('aio', `${space}.py`), awaitedText(space)] as const),
    [join('aio', '__init__.py'), `"""The same operations for asyncio."""\n`] as const,
    ['table.py', tableText()] as const,
    ['__init__.py', `"""The operations of the service, made from its contract."""\n`] as const,
  ])
}

const wanted = files()
const stale = [...wanted].filter(([name, text]) => {
  const path = join(folder, name)
  return !existsSync(path) || readFileSync(path, 'utf8') !== text
})
mkdirSync(join(folder, 'aio'), { recursive: true })
const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.py') && !wanted.has(name),
)
if (process.argv.includes('--check')) {
  for (const name of [...stale.map(([file]) => file), ...left])
    console.error(`${name} is not what the contract says; run node python/generate.ts`)
  process.exitCode = stale.length + left.length > 0 ? 1 : 0
} else {
  for (const [name, text] of stale) writeFileSync(join(folder, name), text)
  for (const name of left) rmSync(join(folder, name))
}
