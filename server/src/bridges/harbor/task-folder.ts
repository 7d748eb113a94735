import type { FrozenTask } from '@diorama/contract'
import {
  agentDockerfile,
  composeFile,
  type ImageChoice,
  mcpUrlOf,
  places,
  sidecarDockerfile,
  verifierDockerfile,
} from './containers.ts'
import { type Files, type FixedFiles, graderEntry } from './grader-files.ts'
import { type OracleSource, solutionFiles } from './solution.ts'
import { tomlOf } from './toml/write.ts'

export const folderFormat = 'diorama-harbor/1'
const defaultAgentSeconds = 600
const verifierSeconds = 600

/** A task with everything that its folder is made of. */
export interface FolderSource {
  /** `org/name`, as registries know it. */
  readonly name: string
  readonly suite: { readonly name: string; readonly description: string }
  /** With `world` as its environment where it has one. */
  readonly task: FrozenTask
  /** The blueprint of its world without tasks; null for a task without a world. */
  readonly blueprint: Readonly<Record<string, unknown>> | null
  readonly services: readonly { readonly service: string; readonly hasMcp: boolean }[]
  readonly images: ImageChoice
  readonly oracle: OracleSource | undefined
}

/** What `tests/diorama/task.json` holds: all that an import needs besides the blueprint and the oracle. */
export interface TaskFile {
  readonly format: typeof folderFormat
  readonly name: string
  readonly suite: FolderSource['suite']
  readonly task: FrozenTask
  readonly services: FolderSource['services']
  readonly images: ImageChoice
  readonly oracle: Omit<OracleSource, 'files' | 'bundle'> | null
}

/** The folder of a task in Harbor's format; the same source always gives the same files. */
export const taskFolder = (source: FolderSource, { grader, preload }: FixedFiles): Files => {
  const { task, blueprint, services, images, oracle } = source
  const files = new Map<string, string | Uint8Array>()
  files.set('task.toml', taskToml(source))
  files.set('instruction.md', instructionOf(task))
  files.set('environment/Dockerfile', agentDockerfile(images))
  if (blueprint) {
    files.set('environment/docker-compose.yaml', composeFile(services))
    files.set('environment/diorama/Dockerfile', sidecarDockerfile(images))
    files.set('environment/diorama/world.json', `${JSON.stringify(blueprint, null, 2)}\n`)
  }
  files.set('tests/Dockerfile', verifierDockerfile(images))
  files.set('tests/test.sh', testScript)
  files.set('tests/diorama/task.json', `${JSON.stringify(taskFile(source), null, 2)}\n`)
  for (const [path, content] of grader) files.set(`tests/diorama/${path}`, content)
  if (oracle)
    for (const [path, content] of solutionFiles(oracle, task, preload)) files.set(`solution/${path}`, content)
  return files
}

const taskFile = ({ name, suite, task, services, images, oracle }: FolderSource): TaskFile => {
  const { files: _, bundle: __, ...named } = oracle ?? { files: {}, bundle: undefined }
  return {
    format: folderFormat,
    name,
    suite,
    task,
    services,
    images,
    oracle: oracle ? (named as TaskFile['oracle']) : null,
  }
}

/** Harbor has no other place for an answer than a file, so the instruction names it. */
const instructionOf = ({ instruction }: FrozenTask): string =>
  `${instruction.trimEnd()}\n\nWrite your final answer to \`${places.output}\`.\n`

const testScript = `#!/bin/sh
set -eu
exec node /tests/diorama/${graderEntry} --task /tests/diorama/task.json --scripts /tests/diorama/scripts \\
  --world ${places.world} --output ${places.output} --rewards /logs/verifier
`

const taskToml = ({ name, suite, task, blueprint, services, oracle }: FolderSource): string => {
  const collected = {
    artifacts: [{ source: places.world, service: places.sidecar }],
  }
  return tomlOf({
    schema_version: '1.4',
    ...(blueprint ? collected : {}),
    task: {
      name,
      description: task.title,
      keywords: ['diorama', ...services.map(({ service }) => service)],
    },
    metadata: { diorama: { format: folderFormat, suite: suite.name, title: task.title } },
    agent: { timeout_sec: oracle?.timeoutSeconds ?? defaultAgentSeconds, user: 'agent' },
    environment: {
      build_timeout_sec: 1_800,
      // As in a trial: the services of the world, and nothing else.
      ...(blueprint
        ? { network_mode: 'allowlist', allowed_hosts: [places.sidecar] }
        : { network_mode: 'no-network' }),
      mcp_servers: services
        .filter(({ hasMcp }) => hasMcp)
        .map(({ service }) => ({ name: service, transport: 'streamable-http', url: mcpUrlOf(service) })),
    },
    verifier: {
      timeout_sec: verifierSeconds,
      environment_mode: 'separate',
      environment: { build_timeout_sec: 1_800, network_mode: 'no-network' },
      ...(blueprint
        ? { collect: [{ command: 'diorama harbor collect', service: places.sidecar, timeout_sec: 120 }] }
        : {}),
    },
  })
}
