import assert from 'node:assert/strict'
import { z } from 'zod'
import { readArchive } from './archive.ts'
import { readTaskConfig } from './task-config.ts'

/** The folders of a dataset archive: files of each by their path in it. */
export const unpacked = async (archive: Uint8Array): Promise<Map<string, Map<string, string>>> => {
  const folders = new Map<string, Map<string, string>>()
  for (const [path, content] of await readArchive(archive)) {
    const [folder = '', ...rest] = path.split('/')
    if (rest.length === 0) continue
    const files = folders.get(folder) ?? new Map<string, string>()
    folders.set(folder, files.set(rest.join('/'), content.toString('utf8')))
  }
  return folders
}

/** The keys that each table of schema 1.4 has; Harbor passes others over, so one too many is a mistake of ours. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': ['schema_version', 'artifacts', 'task', 'metadata', 'environment', 'agent', 'verifier', 'solution'],
  task: ['name', 'version', 'description', 'authors', 'keywords'],
  environment: ['build_timeout_sec', 'network_mode', 'allowed_hosts', 'mcp_servers', 'env', 'workdir'],
  agent: ['timeout_sec', 'user', 'network_mode', 'allowed_hosts'],
  verifier: ['timeout_sec', 'env', 'user', 'environment_mode', 'environment', 'collect'],
}

const Compose = z.strictObject({
  services: z.record(
    z.string(),
    z.strictObject({
      build: z.strictObject({ context: z.string() }).optional(),
      depends_on: z
        .record(z.string(), z.strictObject({ condition: z.literal('service_healthy') }))
        .optional(),
      environment: z.record(z.string(), z.string()).optional(),
      networks: z.array(z.string()).optional(),
      volumes: z.array(z.string().regex(/^[\w-]+:\/[\w/-]+(:ro)?$/)).optional(),
      healthcheck: z
        .strictObject({
          test: z.array(z.string()),
          interval: z.string(),
          timeout: z.string(),
          retries: z.int(),
        })
        .optional(),
    }),
  ),
  volumes: z.record(z.string(), z.strictObject({})),
})

/** Holds a folder against the published schema (1.4) and the rules of its files; what is wrong is thrown. */
export const checkTaskFolder = (files: ReadonlyMap<string, string>): void => {
  const has = (path: string) => assert.ok(files.has(path), `${path} is missing`)
  for (const path of ['task.toml', 'instruction.md', 'environment/Dockerfile', 'tests/test.sh']) has(path)
  const text = files.get('task.toml') ?? ''
  const config = readTaskConfig(text)
  assert.ok(!('fault' in config), 'fault' in config ? config.fault : '')
  for (const [, header = '', key = ''] of keysOf(text)) {
    const allowed = known[header]
    if (allowed) assert.ok(allowed.includes(key), `${header || 'the document'} has no field ${key}`)
  }
  assert.equal(config.schema_version, '1.4')
  assert.match(config.task?.name ?? '', /^[\w.-]+\/[\w.-]+$/)
  assert.notEqual(files.get('instruction.md')?.trim(), '')
  assert.equal(config.verifier.environment_mode, 'separate')
  const sources = config.artifacts.map(({ source }) => source)
  // What lies under the conventional folder of the main service, or in the logs, would be left behind.
  assert.ok(sources.every((path) => path.startsWith('/') && !path.startsWith('/logs')))
  const composed = files.get('environment/docker-compose.yaml')
  const services = composed === undefined ? ['main'] : Object.keys(checkCompose(composed, files))
  for (const { service = 'main' } of [...config.artifacts, ...config.verifier.collect])
    assert.ok(services.includes(service), `there is no service ${service}`)
  for (const { url = '' } of config.environment.mcp_servers)
    assert.ok(services.includes(new URL(url).hostname), `${url} leads to no service`)
}

const checkCompose = (text: string, files: ReadonlyMap<string, string>) => {
  const { services, volumes } = Compose.parse(JSON.parse(text))
  for (const [name, { build, depends_on = {}, volumes: mounted = [] }] of Object.entries(services)) {
    if (build) {
      const path = `environment/${build.context.replace(/^\.\//, '')}/Dockerfile`
      assert.ok(files.has(path), `${name} is built from ${path}, which is missing`)
    }
    for (const other of Object.keys(depends_on))
      assert.ok(services[other]?.healthcheck, `${other} has no health`)
    for (const mount of mounted) assert.ok(mount.split(':')[0] ?? '' in volumes)
  }
  return services
}

/** Each key of the document with the header that it is below. */
const keysOf = (toml: string): [string, string, string][] => {
  let header = ''
  return toml.split('\n').flatMap((line): [string, string, string][] => {
    const opened = /^\[+([\w.-]+)\]+$/.exec(line)?.[1]
    if (opened !== undefined) header = opened
    const key = /^([\w-]+) = /.exec(line)?.[1]
    return key === undefined ? [] : [[line, header, key]]
  })
}
