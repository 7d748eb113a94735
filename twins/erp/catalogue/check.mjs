// Checks the catalogue: facts (names, types, lengths, flags, labels) of the services' public metadata documents. The
// documents are in the public repositories that sources.json names; most have no licence, so they are not in the tree.
//
//   node twins/erp/catalogue/check.mjs [--check]            every file has the digest of sources.json
//   node twins/erp/catalogue/check.mjs sales-order.json=metadata.xml …   and states the facts of that document
//   node twins/erp/catalogue/check.mjs --write              records the digests, after a file was changed on purpose
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = (name) => join(import.meta.dirname, name)
const sha256 = (name) =>
  createHash('sha256')
    .update(readFileSync(here(name)))
    .digest('hex')
const sources = JSON.parse(readFileSync(here('sources.json'), 'utf8'))
const files = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.json') && name !== 'sources.json',
)

const attribute = (tag, name) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
const tags = (text, name) => text.match(new RegExp(`<${name}\\s[^>]*>`, 'g')) ?? []

/** The sets of a metadata document, each with its keys and its properties as `Name Type(length)`. */
const setsIn = (document) => {
  const types = new Map(
    [...document.matchAll(/<EntityType\s[^>]*>[\s\S]*?<\/EntityType>/g)].map(([text]) => {
      const properties = tags(text, 'Property').map((tag) => {
        const type = attribute(tag, 'Type')?.replace('Edm.', '')
        const length = type === 'String' ? attribute(tag, 'MaxLength') : undefined
        return `${attribute(tag, 'Name')} ${type}${length === undefined ? '' : `(${length})`}`
      })
      return [
        attribute(text, 'Name'),
        { keys: tags(text, 'PropertyRef').map((tag) => attribute(tag, 'Name')), properties },
      ]
    }),
  )
  return new Map(
    tags(document, 'EntitySet').map((tag) => [
      attribute(tag, 'Name'),
      types.get(attribute(tag, 'EntityType')?.split('.').at(-1)),
    ]),
  )
}

/** `Material String(40) required upper = Material` as `Material String(40)`; only texts are compared by length. */
const fact = (line) => {
  const [, name, type, length] = /^(\S+) (\w+)(?:\(([^)]*)\))?/.exec(line) ?? []
  return `${name} ${type}${type === 'String' && length !== undefined ? `(${length})` : ''}`
}

const differences = (name, document) => {
  const known = setsIn(document)
  return Object.entries(JSON.parse(readFileSync(here(name), 'utf8')).sets).flatMap(
    ([set, { keys, properties }]) => {
      const found = known.get(set)
      if (!found) return [`${name}: the document has no set ${set}`]
      const wrong = properties.map(fact).filter((one) => !found.properties.includes(one))
      return [
        ...(keys === found.keys.join(' ') ? [] : [`${name}: ${set} has the keys ${found.keys.join(' ')}`]),
        ...wrong.map((one) => `${name}: ${set} has no property ${one}`),
      ]
    },
  )
}

if (process.argv[2] === '--write') {
  for (const name of files) sources.files[name] = { ...sources.files[name], sha256: sha256(name) }
  writeFileSync(here('sources.json'), `${JSON.stringify(sources, null, 2)}\n`)
} else {
  const faults = [
    ...files
      .filter((name) => sources.files[name]?.sha256 !== sha256(name))
      .map((name) => `${name} is not what sources.json records`),
    ...Object.keys(sources.files)
      .filter((name) => !files.includes(name))
      .map((name) => `${name} is missing`),
    ...process.argv
      .slice(2)
      .filter((word) => word !== '--check')
      .flatMap((pair) => {
        const [name, path] = pair.split('=')
        return differences(name, readFileSync(path, 'utf8'))
      }),
  ]
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
