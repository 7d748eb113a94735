import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { metadataXml } from '@diorama/twin-kit/wires/odata/formats/edmx'
import { generate } from '@sap-cloud-sdk/generator'
import { businessServices } from '../catalogue/services.ts'
import type { Host } from './requests.ts'

const root = join(import.meta.dirname, '../../..')
const cache = join(root, 'node_modules/.cache')

// biome-ignore lint/suspicious/noExplicitAny: the generated code is compiled at run time and has no types here.
export type GeneratedClient = any

export interface GeneratedClients {
  /** The generated module of a service, by the service's name. */
  readonly load: (service: string) => GeneratedClient
  /** What the compiler said, without the known disagreement inside the client library. */
  readonly errors: readonly string[]
}

/**
 * Clients that the vendor's generator makes from our own `$metadata`. They are cached by the hash of that metadata,
 * inside the module folder, since the generated code resolves its libraries from where it is.
 */
export const generatedClients = async (services: readonly string[]): Promise<GeneratedClients> => {
  const described = services.map((name) => {
    const service = businessServices.find((each) => each.name === name)
    if (!service) throw new Error(`there is no service ${name}`)
    return { name, text: metadataXml(service, `https://erp.example/sap/opu/odata/sap/${name}`) }
  })
  const hash = createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 16)
  const folder = join(cache, `diorama-erp-client-${hash}`)
  const errors = existsSync(folder) ? [] : await build(described, folder)
  const load = createRequire(join(folder, 'package.json'))
  return { load: (service) => load(join(folder, 'js', service)), errors }
}

const build = async (
  described: readonly { readonly name: string; readonly text: string }[],
  folder: string,
): Promise<readonly string[]> => {
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'diorama-erp-draft-'))
  try {
    await mkdir(join(draft, 'edmx'))
    for (const { name, text } of described) await writeFile(join(draft, 'edmx', `${name}.edmx`), text)
    await generate({
      input: join(draft, 'edmx'),
      outputDir: join(draft, 'ts'),
      overwrite: true,
      transpile: false,
    })
    const errors = await compile(draft)
    // Only clients that compile are kept. Two test files may build at once: the first rename wins.
    if (errors.length === 0) await rename(draft, folder).catch(() => undefined)
    return errors
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const compile = async (folder: string): Promise<readonly string[]> => {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    lib: ['es2022', 'dom'],
    rootDir: 'ts',
    outDir: 'js',
  }
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['ts/**/*.ts'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '-p', folder], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout: string }) => error)
  // The installed client library and its number library disagree about one type; nothing of ours is in it.
  return compiled.stdout
    .split('\n')
    .filter((line) => line.includes('error TS') && !line.includes("'BigNumber' refers to a value"))
}

export const destinationOf = (host: Host) => ({
  url: host.baseUrl,
  username: 'CC0000000001',
  password: host.token,
})
