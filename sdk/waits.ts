import { DioramaError } from './core/error.ts'
import type { Body, Methods, Reply } from './methods.ts'
import type { RequestOptions, Surroundings } from './transport.ts'

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /** For the whole wait; three minutes for twins and worlds, an hour for an evaluation, when left out. */
  readonly timeoutMs?: number | undefined
  readonly pollMs?: number | undefined
}

type World = Reply<'launchWorld'>
type Twin = Reply<'readTwin'>
type Job = Reply<'readJob'>
type Results = Reply<'readResults'>
type Progress = Reply<'streamJob'> extends AsyncIterable<infer Item> ? Item : never

export interface RunOptions extends WaitOptions {
  /** Called with the current state of the evaluation: once at the start, and after each trial. */
  readonly onProgress?: ((job: Job, step: Progress | undefined) => void) | undefined
}

export interface Finished {
  readonly job: Job
  readonly results: Results
}

const twinWaitMs = 180_000
const runWaitMs = 3_600_000
const ended: readonly string[] = ['succeeded', 'failed', 'cancelled']

/** What people write anyway: start something, wait for it, and learn why it did not work. */
export interface Waits {
  readonly worlds: {
    /** Launches a world and waits until its twins run and its task suite is there. */
    readonly launchAndWait: (request: Body<'launchWorld'>, options?: WaitOptions) => Promise<World>
    readonly waitUntilReady: (worldId: string, options?: WaitOptions) => Promise<World>
  }
  readonly twins: { readonly waitUntilRunning: (twinId: string, options?: WaitOptions) => Promise<Twin> }
  readonly evaluations: {
    readonly runAndWait: (request: Body<'startJob'>, options?: RunOptions) => Promise<Finished>
    readonly wait: (jobId: string, options?: RunOptions) => Promise<Finished>
  }
}

export const createWaits = (methods: Methods, { now, sleep }: Surroundings): Waits => {
  const until = async <T>(
    what: string,
    read: (options: RequestOptions) => Promise<T>,
    done: (value: T) => boolean,
    { signal, timeoutMs = twinWaitMs, pollMs = 250 }: WaitOptions,
  ): Promise<T> => {
    const deadline = now() + timeoutMs
    for (;;) {
      const value = await read({ signal })
      if (done(value)) return value
      if (now() + pollMs > deadline)
        throw new DioramaError(`${what} took longer than ${timeoutMs} ms.`, { status: 0, code: 'timeout' })
      await sleep(pollMs, signal)
    }
  }

  const waitUntilReady = async (worldId: string, options: WaitOptions = {}): Promise<World> => {
    const world = await until(
      `World ${worldId}`,
      (request) => methods.worlds.get(worldId, request),
      ({ status, evaluation }) => status !== 'forging' && evaluation?.status !== 'materializing',
      options,
    )
    if (world.status === 'failed')
      throw failedWait(`World ${worldId} failed: ${world.launchError ?? 'no reason was given'}`)
    if (world.evaluation?.status === 'failed')
      throw failedWait(`The task suite of world ${worldId} failed: ${world.evaluation.error ?? 'no reason'}`)
    return world
  }

  const launchAndWait = async (request: Body<'launchWorld'>, options: WaitOptions = {}): Promise<World> => {
    const launched = await methods.worlds.launch(request, { signal: options.signal })
    const world = await waitUntilReady(launched.world.id, options)
    return { ...world, warnings: launched.warnings ?? [] }
  }

  const waitUntilRunning = async (twinId: string, options: WaitOptions = {}): Promise<Twin> => {
    const twin = await until(
      `Twin ${twinId}`,
      (request) => methods.twins.get(twinId, request),
      ({ status }) => status !== 'provisioning' && status !== 'degraded',
      options,
    )
    if (twin.status !== 'running')
      throw failedWait(`Twin ${twinId} is ${twin.status}${twin.error ? `: ${twin.error}` : ''}`)
    return twin
  }

  /** Follows an evaluation to its end. The stream signals when to look; the evaluation itself is authoritative. */
  const wait = async (jobId: string, options: RunOptions = {}): Promise<Finished> => {
    const { onProgress, timeoutMs = runWaitMs } = options
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
    try {
      const look = async (step: Progress | undefined) => {
        const job = await methods.evaluations.get(jobId, { signal })
        onProgress?.(job, step)
        return job
      }
      let job = await look(undefined)
      if (!ended.includes(job.status))
        for await (const step of methods.evaluations.stream(jobId, {}, { signal }))
          if (step.type === 'trial_finished') job = await look(step)
      // The last message can be ahead of the row that another node reads.
      job = await until(
        `Run ${jobId}`,
        () => look(undefined),
        ({ status }) => ended.includes(status),
        {
          ...options,
          signal,
        },
      )
      return { job, results: await methods.evaluations.results(jobId, {}, { signal }) }
    } catch (error) {
      if (limit.aborted && !options.signal?.aborted)
        throw new DioramaError(`Run ${jobId} took longer than ${timeoutMs} ms.`, {
          status: 0,
          code: 'timeout',
          cause: error,
        })
      throw error
    }
  }

  /** Starts an evaluation and follows it to its end. */
  const runAndWait = async (request: Body<'startJob'>, options: RunOptions = {}): Promise<Finished> => {
    const { id } = await methods.evaluations.start(request, { signal: options.signal })
    return wait(id, options)
  }

  return {
    worlds: { launchAndWait, waitUntilReady },
    twins: { waitUntilRunning },
    evaluations: { runAndWait, wait },
  }
}

const failedWait = (message: string) => new DioramaError(message, { status: 0, code: 'wait_failed' })
