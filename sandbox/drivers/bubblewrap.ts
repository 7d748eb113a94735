import { execFile } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ControlGroups } from '../limits/control-groups.ts'
import { ProcessWatch, watchEveryMs } from '../limits/process-watch.ts'
import { systemCallFilter } from '../limits/seccomp.ts'
import { Containers, type ContainersParts, type JobOwner } from '../runtime/containers.ts'
import {
  type OpenedSandbox,
  type Sandbox,
  SandboxFault,
  type SandboxJob,
  type SandboxOptions,
  type SandboxOutcome,
  scorerLimits,
} from '../sandbox.ts'
import { findExecutable, findInterpreters, type Interpreters } from '../stage/interpreters.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { Starter } from '../starter/starter.ts'
import { type Arrangement, arrangeDirect, arrangeLaunched } from './arrangement.ts'
import { JobRun } from './job-run.ts'
import { JobUsers } from './job-users.ts'

const execute = promisify(execFile)

const userRange = { first: 900_000_000, processes: 1_000_000 }
/** Each file of a job without a launcher takes a pipe; past this many the launcher is cheaper. */
const maxDirectFiles = 16

/** Finds out once, by trying it, whether bubblewrap works here. */
export const openBubblewrap = async (
  options: SandboxOptions,
  groups: ControlGroups | undefined,
): Promise<OpenedSandbox> => {
  if (process.platform !== 'linux') return { unavailable: 'bubblewrap needs Linux.' }
  const bwrap = await findExecutable('bwrap', options.searchPath)
  if (!bwrap) return { unavailable: 'the program bwrap is not installed.' }
  for (const tool of ['prlimit', 'setpriv', 'tar', 'python3']) {
    if (!(await findExecutable(tool, options.searchPath))) {
      return { unavailable: `the program ${tool} is not installed.` }
    }
  }
  const isRoot = process.getuid?.() === 0
  const interpreters = await findInterpreters(options.searchPath)
  const python = interpreters.python?.executable
  if (!python) return { unavailable: 'the program python3 does not run.' }
  const { stateDir, hidden = [], log = () => undefined } = options
  const opened = await openStage({ interpreters, stateDir, hidden, log }).catch((error: unknown) => ({
    unavailable: `${reasonOf(error)}.`,
  }))
  if ('unavailable' in opened) return opened
  const stage = opened
  const prefix = [...stage.hidden.enter, ...(isRoot ? setprivArguments(userRange.first) : [])]
  const trial = [...prefix, bwrap, '--unshare-user', '--unshare-all', '--ro-bind', '/usr', '/usr']
  trial.push(
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
  )
  try {
    await attempt([...trial, '--', '/usr/bin/true'])
  } catch (error) {
    await stage[Symbol.asyncDispose]()
    return { unavailable: `bwrap does not work here (${reasonOf(error)}).` }
  }
  const disablesUserns = await attempt([...trial, '--disable-userns', '--', '/usr/bin/true']).then(
    () => true,
    () => false,
  )
  const starter = new Starter({ python, script: stage.starter, enter: () => stage.hidden.enter })
  const { searchPath, imageRuntime = 'auto', imageLimits } = options
  const containers = { choice: imageRuntime, searchPath, ...(imageLimits ? { limits: imageLimits } : {}) }
  const parts = { bwrap, isRoot, interpreters, python, stage, disablesUserns, starter, groups, containers }
  for (const filter of [systemCallFilter(process.arch), undefined]) {
    const sandbox = new BubblewrapSandbox({ ...parts, filter })
    const works = await sandbox.run({ command: ['true'], limits: scorerLimits, network: 'none' }).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    )
    if (!works) continue
    const filtered = filter !== undefined
    log(
      { event: 'sandbox.opened', isolation: 'bubblewrap', filtered, own_users: isRoot },
      'jobs run in bubblewrap',
    )
    return { sandbox }
  }
  await starter[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
  return { unavailable: 'bwrap starts, but a job in it does not run.' }
}

const attempt = async (argv: readonly string[]): Promise<void> => {
  const [program = '', ...args] = argv
  await execute(program, args, { timeout: 10_000, cwd: '/' })
}

const reasonOf = (error: unknown): string => {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return stderr.split('\n')[0] || (error instanceof Error ? error.message : String(error))
}

const setprivArguments = (uid: number): string[] => {
  return ['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--no-new-privs', '--']
}

interface Parts {
  readonly bwrap: string
  readonly isRoot: boolean
  readonly interpreters: Interpreters
  readonly python: string
  readonly stage: Stage
  readonly disablesUserns: boolean
  readonly filter: Buffer | undefined
  readonly starter: Starter
  readonly groups: ControlGroups | undefined
  readonly containers: Pick<ContainersParts, 'choice' | 'searchPath' | 'limits'>
}

class BubblewrapSandbox implements Sandbox {
  readonly isolation = 'bubblewrap'
  readonly #parts: Parts
  readonly #watch: ProcessWatch
  readonly #users = new JobUsers(userRange)
  readonly images: Containers

  constructor(parts: Parts) {
    this.#parts = parts
    this.#watch = new ProcessWatch(watchEveryMs)
    const { containers, stage, python, filter, groups } = parts
    this.images = new Containers({
      ...containers,
      stage,
      python,
      filter,
      memoryIsHeld: groups !== undefined,
      lease: () => this.#leaseOwner(),
      execute: ({ job, arrangement, argv }, { uid }, signal) => {
        if (job.network !== 'none') this.#openSocketTo(uid, job.network.gatewaySocket)
        return this.#execute({ job, arrangement, argv, uid, signal })
      },
    })
  }

  /** In a container the job's user is root, so it must be one that has nothing; without root there is only ours. */
  #leaseOwner(): JobOwner {
    const user = this.#users.lease()
    const { isRoot } = this.#parts
    const uid = isRoot ? user.uid : (process.getuid?.() ?? 0)
    const gid = isRoot ? user.uid : (process.getgid?.() ?? 0)
    return { place: user.place, uid, gid, isOther: isRoot, [Symbol.dispose]: () => user[Symbol.dispose]() }
  }

  get storyLibrary() {
    return this.#parts.stage.storyLibrary
  }

  async run(job: SandboxJob, signal?: AbortSignal): Promise<SandboxOutcome> {
    if (job.image) return await this.images.run(job, job.image, signal)
    using user = this.#users.lease()
    const { stage, interpreters, python, disablesUserns, filter } = this.#parts
    const network = job.network === 'none' ? { hosts: [], authorities: '' } : job.network
    const etc = await stage.etc(network.hosts, network.authorities)
    if (job.network !== 'none') this.#openSocketTo(user.uid, job.network.gatewaySocket)
    for (const source of Object.values(job.readOnly ?? {})) await stage.hidden.show(source)
    const system = await stage.systemArguments()
    const memoryIsHeld = this.#parts.groups !== undefined
    const { storyLibrary } = stage
    const shown = { etc, system, interpreters, python, storyLibrary }
    const arranging = { memoryIsHeld, job, ...shown, disablesUserns, filter }
    const manyFiles = Object.keys({ ...job.files, ...job.inputs }).length > maxDirectFiles
    const { collect, bundle, dependencies, folder, env, story } = job
    const archived = bundle || dependencies
    const launched = job.network !== 'none' || collect || archived || folder || env || story || manyFiles
    const arrangement = await (launched ? arrangeLaunched(arranging) : arrangeDirect(arranging))
    const argv = [this.#parts.bwrap, '--args', '5', '--', ...arrangement.command]
    return await this.#execute({ job, arrangement, argv, uid: user.uid, signal })
  }

  #openSocketTo(uid: number, socket: string): void {
    try {
      if (this.#parts.isRoot) chownSync(socket, uid, uid)
      chmodSync(socket, 0o600)
    } catch (cause) {
      throw new SandboxFault(`The gateway's socket is not there: ${socket}`, { cause })
    }
  }

  #execute(parts: {
    job: SandboxJob
    arrangement: Arrangement
    argv: readonly string[]
    uid: number
    signal: AbortSignal | undefined
  }): Promise<SandboxOutcome> {
    const { isRoot, starter, groups } = this.#parts
    const { job, arrangement, argv, uid, signal } = parts
    const user = isRoot ? uid : undefined
    const running = { job, arrangement, argv, user, starter, groups, signal, watch: this.#watch }
    return new JobRun(running).outcome()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.starter[Symbol.asyncDispose]()
    await this.#parts.groups?.[Symbol.asyncDispose]()
    await this.#parts.stage[Symbol.asyncDispose]()
  }
}
