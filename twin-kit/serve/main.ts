// node twins/serve/main.ts <folder of a twin> [--section file.json] [--port n]
// Runs one twin alone on loopback and prints its tokens and every request.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { AnyManifest } from '../kernel/manifest.ts'
import type { AnyTwin, Company } from '../kernel/twin.ts'
import { serveTwin } from './server.ts'

const usage = 'usage: npm run twin -- <folder of a twin> [--section file.json] [--port n]'

const company: Company = (() => {
  const person = (handle: string, firstName: string, lastName: string) => ({
    handle,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    email: `${handle}@example.com`,
    title: 'Engineer',
    department: 'engineering',
    timezone: 'UTC',
  })
  const people = [
    person('ada', 'Ada', 'Okafor'),
    person('ben', 'Ben', 'Sato'),
    person('cleo', 'Cleo', 'Marsh'),
  ]
  const [apiOwner] = people
  if (!apiOwner) throw new Error('a company needs people')
  return {
    organization: {
      name: 'Example Works',
      slug: 'example',
      description: 'A company for trying a twin.',
      industry: 'Manufacturing',
      emailDomain: 'example.com',
      headquarters: null,
    },
    people,
    apiOwner,
    clock: Date.now(),
  }
})()

const load = async (folder: string): Promise<AnyTwin> => {
  const at = (file: string) => pathToFileURL(join(resolve(folder), file)).href
  const manifests: AnyManifest[] = Object.values(await import(at('manifest.ts')))
  const kind = manifests[0]?.kind ?? ''
  const module: Record<string, AnyTwin | undefined> = await import(at('twin.ts'))
  const twin = module[kind]
  if (!twin) throw new Error(`${folder}/twin.ts exports no twin called ${kind || 'as its manifest says'}`)
  return twin
}

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { section: { type: 'string' }, port: { type: 'string', default: '0' } },
  })
  const [folder] = positionals
  if (!folder) throw new Error(usage)
  const twin = await load(folder)
  const written: unknown = values.section ? JSON.parse(readFileSync(values.section, 'utf8')) : twin.sample
  if (written === undefined)
    throw new Error(`The twin ${twin.kind} brings no sample data; give its blueprint section with --section.`)
  const served = await serveTwin({
    twin,
    section: twin.section.parse(written),
    company,
    port: Number(values.port),
    now: Date.now,
    secret: () => randomBytes(16).toString('hex'),
    onStep: ({ request, reply, operation, changes }) =>
      console.log(`${request.method} ${request.path} ${reply.status} ${operation} changed ${changes.length}`),
    onFailure: (error) => console.error(error),
  })
  console.log(`${twin.label} is ready at ${served.baseUrl}`)
  for (const [subject, token] of Object.entries(served.tokens)) console.log(`  ${subject}: ${token}`)
  const stop = () => void served.close().then(() => process.exit(0))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
