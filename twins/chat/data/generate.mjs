// Writes the data files of this folder from two public sources:
//
//   git clone https://github.com/slack-ruby/slack-api-ref
//   npm pack emoji-datasource@15.1.2 && tar xzf emoji-datasource-15.1.2.tgz
//   node twins/chat/data/generate.mjs slack-api-ref package/emoji.json [--check]
//
// slack-ruby/slack-api-ref (MIT), commit f4837c0cb6dba1b1122ce66a5b69195ce47213f8 of 2026-08-20: the methods with their
// arguments, scopes, limits and error codes, and the shapes of the reference's examples; none of its text.
// emoji-datasource 15.1.2 (MIT), 2024-05: characters with their short names.
// With --check nothing is written, and the program fails where a file differs from what it would write. The sources
// are too large for the tree: `node twins/chat/data/generate.mjs --check` alone holds the files against the digests
// that the last run from the sources left in sources.json.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = (name) => join(import.meta.dirname, name)
const sha256 = (text) => createHash('sha256').update(text).digest('hex')

if (process.argv.length === 3 && process.argv[2] === '--check') {
  const { files } = JSON.parse(readFileSync(here('sources.json'), 'utf8'))
  const changed = Object.entries(files).filter(
    ([name, digest]) => sha256(readFileSync(here(name))) !== digest,
  )
  for (const [name] of changed) console.error(`${name} is not what was generated from the sources`)
  process.exit(changed.length > 0 ? 1 : 0)
}
const [checkout, emojiFile, mode] = process.argv.slice(2)
if (!checkout || !emojiFile) {
  console.error('usage: node generate.mjs [<checkout of slack-api-ref> <emoji.json>] [--check]')
  process.exit(2)
}
const folder = join(checkout, 'docs.slack.dev', 'methods')
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, name), 'utf8'))])
  .filter(([, page]) => !Array.isArray(page) && page.args)

const firstType = (type) => (type === undefined ? 'any' : [type].flat()[0])

/** An argument as text: its type, `*` where it is required, `=` and its default. */
const argument = (name, { type, anyOf, oneOf, default: standard }, required) =>
  `${firstType(type ?? anyOf?.[0]?.type ?? oneOf?.[0]?.type)}${required.includes(name) ? '*' : ''}${
    standard === undefined || standard === null ? '' : `=${standard}`
  }`

const constraints = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'enum']

/** The bounds that the reference states for arguments, by argument. */
const limitsOf = (properties) =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) => {
      const own = Object.fromEntries(constraints.flatMap((key) => (key in one ? [[key, one[key]]] : [])))
      return Object.keys(own).length > 0 ? [[name, own]] : []
    }),
  )

const methodOf = (page) => {
  const { properties = {}, required = [] } = page.args
  return {
    http: page.http_method,
    json: page.json_input_supported === true,
    tier: Number(/\d/.exec(page.rate_limits ?? '')?.[0] ?? 5),
    bot: page.scope?.bot ?? [],
    user: page.scope?.user ?? [],
    args: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => name !== 'token')
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => [name, argument(name, one, required)]),
    ),
    limits: limitsOf(properties),
    errors: Object.keys(page.errors ?? {}).sort(),
  }
}

const typeOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** Keys that are ids of the example; any key may be in their place. */
const nativeId = /^[A-Z][A-Za-z]?[A-Z0-9]{7,}$/

/** The paths of a value with their types; of a list, what all of its items have. */
const shapeOf = (value, path, shape) => {
  if (path !== '') shape[path] = typeOf(value)
  if (Array.isArray(value)) {
    const shapes = value.map((item) => shapeOf(item, `${path}[]`, {}))
    for (const [name, type] of Object.entries(shapes[0] ?? {}))
      if (shapes.every((one) => one[name] === type)) shape[name] = type
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      shapeOf(item, `${path === '' ? '' : `${path}.`}${nativeId.test(name) ? '*' : name}`, shape)
  return shape
}

const shapesOf = (page) =>
  Object.fromEntries(
    Object.entries(page.examples ?? {})
      .filter(([, { example }]) => example?.ok === true)
      .map(([name, { example }]) => [name, shapeOf(example, '', {})]),
  )

const lines = (record) =>
  `{\n${Object.entries(record)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}\n`

const character = (unified) =>
  String.fromCodePoint(...unified.split('-').map((point) => Number.parseInt(point, 16)))

const emoji = JSON.parse(readFileSync(emojiFile, 'utf8'))
  .sort((a, b) => a.sort_order - b.sort_order)
  .map(({ unified, short_names }) => [character(unified), short_names.join(' ')])

const files = {
  'emoji.generated.json': lines(Object.fromEntries(emoji)),
  'methods.generated.json': lines(Object.fromEntries(pages.map(([name, page]) => [name, methodOf(page)]))),
  'examples.generated.json': lines(
    Object.fromEntries(
      pages
        .map(([name, page]) => [name, shapesOf(page)])
        .filter(([, shapes]) => Object.keys(shapes).length > 0),
    ),
  ),
}

files['sources.json'] = `${JSON.stringify(
  {
    sources: {
      'slack-ruby/slack-api-ref': { commit: 'f4837c0cb6dba1b1122ce66a5b69195ce47213f8', date: '2026-08-20' },
      'emoji-datasource': { version: '15.1.2', date: '2024-05' },
    },
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, sha256(text)])),
  },
  null,
  2,
)}\n`

let isStale = false
for (const [name, text] of Object.entries(files)) {
  const path = here(name)
  if (mode !== '--check') writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${name} differs from its source`)
    isStale = true
  }
}
process.exit(isStale ? 1 : 0)
