import { whyNotWritable } from '@diorama/sandbox/images/writable-folders'
import type { ReadContainer, ReadTask } from '../imports/read-suite.ts'
import type { Files } from './grader-files.ts'
import { rewardScorer } from './reward-scorer.ts'
import { type HarborEnvironment, type HarborTask, readTaskConfig } from './task-config.ts'

const knownSchema = { major: 1, minor: 4 }
const maxMemoryMb = 2_048
const maxVerifierSeconds = 3_600
const maxTestBytes = 16 * 1_048_576
const hostVariable = /\$\{[A-Za-z_]/

/** What this deployment has for tasks of others. */
export interface Installed {
  readonly hasImage: (reference: string) => Promise<boolean>
  /** Hosts outside of worlds that trials may reach. */
  readonly reachable: readonly string[]
}

/**
 * A task that was not exported by Diorama: what a trial needs to run it as it was meant, or why that cannot be done here.
 * It runs where its image is installed, its agent and its verifier have separate containers, and its network policies
 * are ones that trials are held to. Nothing of a task is left out or made weaker to run it; the most telling reason comes
 * first.
 */
export const readForeignFolder = async (
  files: Files,
  installed: Installed,
): Promise<{ readonly task: Omit<ReadTask, 'name'> } | { readonly refused: string }> => {
  const config = readTaskConfig(textOf(files, 'task.toml'))
  if ('fault' in config) return { refused: `task.toml cannot be read: ${config.fault}` }
  const refused =
    schemaFault(config) ??
    stepFault(config, files) ??
    hardwareFault(config) ??
    composeFault(config, files) ??
    networkFault(config, installed.reachable) ??
    verifierFault(config, files) ??
    (await imageFault(config, installed)) ??
    environmentFault(config, files) ??
    folderFault(config) ??
    testsFault(files)
  return refused === undefined ? { task: taskOf(config, files) } : { refused }
}

const textOf = (files: Files, path: string): string => Buffer.from(files.get(path) ?? '').toString('utf8')

const schemaFault = ({ schema_version, version }: HarborTask): string | undefined => {
  const written = schema_version ?? version ?? '1.4'
  const [major = 0, minor = 0] = written.split('.').map(Number)
  const isKnown = major < knownSchema.major || (major === knownSchema.major && minor <= knownSchema.minor)
  return isKnown
    ? undefined
    : `schema_version ${written} is newer than 1.4, and may hold policies unknown here`
}

const stepFault = ({ steps }: HarborTask, files: Files): string | undefined => {
  if (steps && steps.length > 0) return 'steps: tasks of several steps are not run here'
  return textOf(files, 'instruction.md').trim() === '' ? 'instruction.md is missing' : undefined
}

const environmentsOf = ({ environment, verifier }: HarborTask) =>
  Object.entries({ environment, 'verifier.environment': verifier.environment }).flatMap(([name, one]) =>
    one ? [[name, one] as const] : [],
  )

const hardwareFault = (config: HarborTask): string | undefined => {
  for (const [name, { os, gpus = 0, tpu, memory_mb = 0, memory }] of environmentsOf(config)) {
    if (os === 'windows') return `${name}.os: there is no Windows here`
    if (gpus > 0) return `${name}.gpus: it needs ${gpus}, and the sandbox has none`
    if (tpu) return `${name}.tpu: the sandbox has none`
    if (memory !== undefined) return `${name}.memory is an old field; write memory_mb`
    if (memory_mb > maxMemoryMb)
      return `${name}.memory_mb: it needs ${memory_mb}, and a trial has ${maxMemoryMb}`
  }
  return undefined
}

const composeFault = ({ verifier, artifacts }: HarborTask, files: Files): string | undefined => {
  if (files.has('environment/docker-compose.yaml'))
    return 'environment/docker-compose.yaml: its services cannot be started here'
  const [collect] = verifier.collect
  if (collect && collect.service !== 'main')
    return `verifier.collect: there is no service ${collect.service} to run a command in`
  if (collect) return 'verifier.collect: the container of the agent ends with the agent here'
  const artifact = artifacts.find(({ service = 'main' }) => service !== 'main')
  return artifact && `artifacts: there is no service ${artifact.service} to take ${artifact.source} from`
}

/** What Harbor holds a phase to: its own policy, else that of its environment, which is public when nothing is said. */
const policyOf = (
  environment: HarborEnvironment,
  phase: Pick<HarborTask['agent'], 'network_mode' | 'allowed_hosts'>,
) => {
  const from = phase.network_mode === undefined ? environment : phase
  const legacy = environment.allow_internet === false ? 'no-network' : 'public'
  return { mode: from.network_mode ?? legacy, hosts: from.allowed_hosts ?? [] }
}

const networkFault = (
  { environment, agent, verifier }: HarborTask,
  reachable: readonly string[],
): string | undefined => {
  const { mode, hosts } = policyOf(environment, agent)
  if (mode === 'public') return 'network_mode of the agent is public: a trial does not reach the internet'
  const unknown = mode === 'allowlist' ? hosts.find((host) => !reachable.includes(host)) : undefined
  if (unknown !== undefined)
    return `allowed_hosts of the agent names ${unknown}, which trials cannot reach here`
  const { mode: verifierMode } = policyOf(verifier.environment ?? environment, verifier)
  return verifierMode === 'no-network'
    ? undefined
    : `network_mode of the verifier is ${verifierMode}, and verifiers have no network here`
}

const verifierFault = ({ verifier }: HarborTask, files: Files): string | undefined => {
  const isSeparate = verifier.environment_mode === 'separate' || verifier.environment !== undefined
  if (!isSeparate)
    return 'verifier.environment_mode is shared: the agent could write its own reward, and its processes end with it here'
  for (const name of ['tests/Dockerfile', 'tests/docker-compose.yaml'])
    if (files.has(name) && !verifier.environment?.docker_image) return `${name}: images are not built here`
  if (!hasOwnTests({ verifier }) && !files.has('tests/test.sh')) return 'tests/test.sh is missing'
  if (verifier.timeout_sec > maxVerifierSeconds)
    return `verifier.timeout_sec: it needs ${verifier.timeout_sec} seconds, and a verifier has ${maxVerifierSeconds}`
  return undefined
}

/** An image of the verifier itself brings its tests. */
const hasOwnTests = ({ verifier }: Pick<HarborTask, 'verifier'>): boolean =>
  verifier.environment?.docker_image !== undefined

const imageFault = async (config: HarborTask, { hasImage }: Installed): Promise<string | undefined> => {
  const { docker_image } = config.environment
  if (docker_image === undefined) return 'environment/Dockerfile: images are not built here'
  for (const [name, one] of environmentsOf(config))
    if (one.docker_image !== undefined && !(await hasImage(one.docker_image)))
      return `${name}.docker_image ${one.docker_image}: images are not pulled here, and the operator has not installed it (DIORAMA_IMAGES)`
  return undefined
}

/** What a container would have to be given, and is not. */
const environmentFault = (config: HarborTask, files: Files): string | undefined => {
  const loose = [...files.keys()].find((path) => path.startsWith('environment/'))
  if (loose !== undefined && !files.has('environment/Dockerfile'))
    return `${loose}: files are not laid into an image here`
  for (const [name, one] of environmentsOf(config)) {
    if (one.mcp_servers.length > 0) return `${name}.mcp_servers: they cannot be started here`
    if (one.skills_dir !== undefined) return `${name}.skills_dir: agents are not given skills here`
    if (one.healthcheck) return `${name}.healthcheck: nothing runs in a container before the agent here`
  }
  const { environment, verifier, agent } = config
  const variables = { 'environment.env': environment.env, 'verifier.env': verifier.env }
  for (const [name, env] of Object.entries({
    ...variables,
    'verifier.environment.env': verifier.environment?.env,
  }))
    for (const [variable, value] of Object.entries(env ?? {}))
      if (hostVariable.test(value))
        return `${name}.${variable}: variables of this machine are not given to tasks`
  for (const [name, { user }] of Object.entries({ agent, verifier }))
    if (user !== undefined && user !== 'root' && user !== 0)
      return `${name}.user: a container has one user here`
  return undefined
}

/** Which folders of its image the agent may write: where it works, and where it leaves things. */
const folderFault = ({ environment, verifier, artifacts }: HarborTask): string | undefined => {
  const workdirs = {
    'environment.workdir': environment.workdir,
    'verifier.environment.workdir': verifier.environment?.workdir,
  }
  for (const [name, folder] of Object.entries(workdirs)) {
    const why = folder === undefined ? undefined : whyNotWritable(folder)
    if (why !== undefined) return `${name} ${folder} ${why}`
  }
  const workdir = environment.workdir ?? '/'
  const kept = ['/tests', '/logs'].find((folder) => isInside(workdir, folder))
  if (kept !== undefined) return `environment.workdir ${workdir} is in ${kept}, which the verifier relies on`
  for (const { source, exclude } of artifacts) {
    if (exclude.length > 0) return `artifacts: exclude patterns of ${source} are not read here`
    const isLog = source === '/logs/artifacts' || source.startsWith('/logs/artifacts/')
    const isWork = environment.workdir !== undefined && isInside(source, environment.workdir)
    if (!isLog && !isWork)
      return `artifacts: ${source} is neither in environment.workdir nor in /logs/artifacts, which are what an agent can write here`
    if (source.split('/').some((part) => part === '..')) return `artifacts: ${source} leads out of its folder`
  }
  return undefined
}

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

const testsFault = (files: Files): string | undefined => {
  if ([...files.keys()].some((path) => path.endsWith('.harborignore')))
    return '.harborignore: which files a verifier gets is not narrowed here'
  const bytes = [...testsOf(files).values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0)
  return bytes > maxTestBytes ? `tests/ holds ${bytes} bytes, and an import takes ${maxTestBytes}` : undefined
}

const testsOf = (files: Files): Files =>
  new Map(
    [...files].flatMap(([path, content]) =>
      path.startsWith('tests/') ? [[path.slice('tests/'.length), content] as const] : [],
    ),
  )

const taskOf = (config: HarborTask, files: Files): Omit<ReadTask, 'name'> => {
  const { environment, agent, verifier, artifacts } = config
  const graded = verifier.environment
  const container: ReadContainer = {
    image: environment.docker_image ?? '',
    workdir: environment.workdir ?? null,
    env: environment.env,
    timeout_seconds: agent.timeout_sec ?? null,
    allowed_hosts:
      policyOf(environment, agent).mode === 'allowlist' ? policyOf(environment, agent).hosts : [],
    artifacts: artifacts.map(({ source }) => source).filter((source) => source !== '/logs/artifacts'),
    verifier: {
      image: graded?.docker_image ?? environment.docker_image ?? '',
      workdir: (graded ?? environment).workdir ?? null,
      env: { ...(graded ?? environment).env, ...verifier.env },
      timeout_seconds: verifier.timeout_sec,
      tests: hasOwnTests(config) ? null : testsOf(files),
    },
  }
  return {
    key: null,
    title: (config.task?.description || config.task?.name || 'Harbor task').slice(0, 300),
    instruction: textOf(files, 'instruction.md'),
    expected_outcome: '',
    metadata: { harbor: { name: config.task?.name ?? null, ...config.metadata } },
    blueprint: null,
    container,
    scorers: [{ definition: rewardScorer, weight: 'med', pass_threshold: 1 }],
  }
}
