import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { root } from '../setup.mjs'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Locked {
  readonly dev?: boolean
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
}

/** Packages that the service has for x86-64 on Linux and not for arm64. */
const withoutArm = (packages: Readonly<Record<string, Locked>>): string[] =>
  Object.entries(packages)
    .filter(
      ([, { dev, os, cpu }]) => !dev && String(cpu) === 'x64' && (os === undefined || os.includes('linux')),
    )
    .map(([path]) => path)
    .filter((path) => !(path.replaceAll('x64', 'arm64') in packages))

describe('the image', () => {
  const dockerfile = read('Dockerfile')
  const compose = parse(read('compose.yaml'))

  it('runs as an ordinary user, and takes the hosts that it is built from as arguments', () => {
    const [, ...stages] = dockerfile.split(/^FROM /m)
    assert.match(stages.at(-1) ?? '', /^USER 10001:10001$/m)
    const named = [...dockerfile.matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => url)
    const inArguments = [...dockerfile.matchAll(/^ARG \w+=(https?:\/\/[\w.-]+)/gm)].map(([, url = '']) => url)
    const allowed = [...inArguments, 'http://127.0.0.1']
    assert.deepEqual(
      named.filter((url) => !allowed.includes(url)),
      [],
    )
    for (const stage of stages) assert.match(stage, /^\$\{BASE_IMAGE\}/)
  })

  it('has every native package for both architectures', () => {
    const { packages } = JSON.parse(read('package-lock.json'))
    assert.deepEqual(withoutArm(packages), [])
    assert.deepEqual(withoutArm({ 'node_modules/x-linux-x64': { os: ['linux'], cpu: ['x64'] } }), [
      'node_modules/x-linux-x64',
    ])
  })

  it('is started by compose.yaml with the flags that the handbook names, and with a PostgreSQL server', () => {
    const { diorama, database } = compose.services
    const page = read('docs/operating.md')
    for (const option of diorama.security_opt) assert.ok(page.includes(`--security-opt ${option}`), option)
    assert.deepEqual(diorama.cap_drop, ['ALL'])
    assert.ok(page.includes('--cap-drop ALL'))
    assert.equal(diorama.depends_on.database.condition, 'service_healthy')
    assert.match(diorama.environment.DATABASE_URL, /@database:5432\/diorama$/)
    assert.match(database.image, /postgres:/)
  })
})
