import type { Files } from './grader-files.ts'
import { type HarborEnvironment, type HarborTask, readTaskConfig } from './task-config.ts'

const knownSchema = { major: 1, minor: 4 }

/**
 * Why a task that was not exported by Diorama cannot be run here as it was meant. Every task of others needs its own
 * container, which is built from a Dockerfile or pulled from a registry; the sandbox does neither. The most telling
 * reason comes first; nothing of a task is left out or made weaker to run it.
 */
export const whyNotHere = (files: Files): string => {
  const config = readTaskConfig(Buffer.from(files.get('task.toml') ?? '').toString('utf8'))
  if ('fault' in config) return `task.toml cannot be read: ${config.fault}`
  return (
    schemaFault(config) ??
    stepFault(config, files) ??
    hardwareFault(config.environment) ??
    composeFault(config, files) ??
    networkFault(config) ??
    verifierFault(config, files) ??
    imageFault(config.environment)
  )
}

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
  if (!files.has('instruction.md')) return 'instruction.md is missing'
  return undefined
}

const hardwareFault = ({ os, gpus = 0, tpu }: HarborEnvironment): string | undefined => {
  if (os === 'windows') return 'environment.os: there is no Windows here'
  if (gpus > 0) return `environment.gpus: it needs ${gpus}, and the sandbox has none`
  return tpu && 'environment.tpu: the sandbox has none'
}

const composeFault = ({ verifier, artifacts }: HarborTask, files: Files): string | undefined => {
  if (files.has('environment/docker-compose.yaml'))
    return 'environment/docker-compose.yaml: its services cannot be started here'
  const collect = verifier.collect.find(({ service }) => service !== 'main')
  if (collect) return `verifier.collect: there is no service ${collect.service} to run a command in`
  const artifact = artifacts.find(({ service = 'main' }) => service !== 'main')
  return artifact && `artifacts: there is no service ${artifact.service} to take ${artifact.source} from`
}

/** What Harbor holds a phase to: its own policy, else that of its environment, which is public when nothing is said. */
const modeOf = (environment: HarborEnvironment, phase: Pick<HarborTask['agent'], 'network_mode'>): string =>
  phase.network_mode ??
  environment.network_mode ??
  (environment.allow_internet === false ? 'no-network' : 'public')

const networkFault = ({ environment, agent, verifier }: HarborTask): string | undefined => {
  const agentMode = modeOf(environment, agent)
  if (agentMode !== 'no-network')
    return `network_mode of the agent is ${agentMode}: a trial reaches its world, and neither the internet nor a list of hosts of the task's choice`
  const verifierMode = modeOf(verifier.environment ?? environment, verifier)
  return verifierMode === 'no-network'
    ? undefined
    : `network_mode of the verifier is ${verifierMode}, and verifiers have no network here`
}

const verifierFault = ({ verifier }: HarborTask, files: Files): string | undefined => {
  const isSeparate = verifier.environment_mode === 'separate' || verifier.environment !== undefined
  if (!isSeparate) return 'verifier.environment_mode is shared: a container of the agent ends with it here'
  if (!files.has('tests/test.sh') && !files.has('tests/Dockerfile')) return 'tests/test.sh is missing'
  return undefined
}

const imageFault = ({ docker_image }: HarborEnvironment): string =>
  docker_image === undefined
    ? 'environment/Dockerfile: images are not built here'
    : `environment.docker_image ${docker_image}: images are not pulled here`
