import type { Socket } from 'node:net'
import type { ControlGroups } from '../limits/control-groups.ts'
import { type JobGroup, jobNiceness } from '../limits/job-group.ts'
import type { ProcessWatch } from '../limits/process-watch.ts'
import { type Ended, SandboxFault, type SandboxJob, type SandboxOutcome } from '../sandbox.ts'
import type { Descriptor, Ending, Started, Starter } from '../starter/starter.ts'
import type { Arrangement } from './arrangement.ts'
import { bytesOf } from './launcher-input.ts'
import { ReportReader, signalName } from './launcher-report.ts'
import { captureChannel, OutputCapture } from './output.ts'

/** How long the launcher may take to end the rest and send the artifacts after a time-out. */
const stopGraceMs = 5_000
/** How long the kernel may take to tear a killed namespace down before we call it a fault. */
const deathGraceMs = 10_000
const nothingCollected = { files: [], refused: [], truncated: false }

interface RunParts {
  readonly job: SandboxJob
  readonly arrangement: Arrangement
  readonly argv: readonly string[]
  readonly user: number | undefined
  readonly starter: Starter
  readonly watch: ProcessWatch
  /** Absent where the service may make none. */
  readonly groups: ControlGroups | undefined
  readonly signal: AbortSignal | undefined
  /** By which `endTree` knows the job's processes. */
  readonly mark?: Readonly<Record<string, string>>
  /** Ends what the first process leaves behind, where no namespace does it. */
  readonly endTree?: () => Promise<void>
}

/**
 * A job's connections: the launcher's report or the command's channel, what is printed, and our orders to the launcher.
 * Orders have their own: where the other side is gone, a failed write closes a socket with all that was not read.
 */
const channelConnection = 0
const stdoutConnection = 1
const stderrConnection = 2
const ordersConnection = 3

/** What a process may hold in mapped files, which belong to no process but count in the kernel's peak. */
const mappedBytes = 256 * 2 ** 20

/**
 * One job from start to end, whatever the driver. File descriptors: 0 the command's input or our orders to the
 * launcher, 3 the channel or the launcher's report, 4 and 5 bwrap's status and arguments, 6 and up the bytes of files.
 */
export class JobRun {
  readonly #parts: RunParts
  readonly #reader: ReportReader
  #ended: Ended | undefined
  /** Set when the job's user and group may be the next job's: nothing of ours may reach them any longer. */
  #isOver = false
  /** Set when the one who runs the job has no more use for it. */
  #isFinished = false
  #peakMemoryBytes = 0
  #peakProcesses = 0
  /** Those under way. */
  readonly #sweeps: Promise<unknown>[] = []
  #kill: () => void = () => undefined
  #askToStop: () => void = () => undefined
  #lookAgain: () => void = () => undefined

  constructor(parts: RunParts) {
    this.#parts = parts
    const collect = parts.job.collect ?? { maxFiles: 0, maxBytes: 0 }
    this.#reader = new ReportReader({
      ...collect,
      channelBytes: parts.job.channelBytes ?? 0,
      onWaiting: (nanoseconds) => void this.#passTime(nanoseconds),
    })
  }

  /** The launcher asks once and then waits for the answer. */
  async #passTime(nanoseconds: number): Promise<void> {
    await this.#parts.job.story?.idleUntil(nanoseconds)
    if (!this.#isOver) this.#lookAgain()
  }

  /** The first reason to end a job is the one that counts. */
  #end(reason: Ended): void {
    if (this.#ended) return
    this.#ended = reason
    if (reason === 'timeout' && this.#parts.arrangement.launched) {
      this.#askToStop()
      setTimeout(() => this.#kill(), stopGraceMs).unref()
    } else this.#kill()
  }

  #finish(): void {
    if (this.#ended || this.#isOver || this.#isFinished) return
    this.#isFinished = true
    this.#askToStop()
    setTimeout(() => this.#kill(), stopGraceMs).unref()
  }

  async outcome(): Promise<SandboxOutcome> {
    if (this.#parts.signal?.aborted) return this.#neverStarted()
    const group = this.#group()
    try {
      return await this.#outcome(group)
    } finally {
      this.#isOver = true
      await Promise.allSettled(this.#sweeps)
      if (group) this.#leave(group)
    }
  }

  #sweep(): void {
    const { endTree } = this.#parts
    if (endTree && !this.#isOver) this.#sweeps.push(endTree())
  }

  /** Where no namespace ends what is left of a job, its group does. */
  #leave(group: JobGroup): void {
    const { arrangement, groups } = this.#parts
    if (arrangement.namespaces === 'none') group.kill()
    if (this.#ended) groups?.drop(group)
    else groups?.give(group)
  }

  #group(): JobGroup | undefined {
    const { job, arrangement, groups } = this.#parts
    const { memoryBytes, processes } = job.limits
    try {
      return groups?.take({ memoryBytes: memoryBytes + arrangement.folderBytes, processes })
    } catch (cause) {
      throw new SandboxFault('Could not make a control group for a job.', { cause })
    }
  }

  async #outcome(group: JobGroup | undefined): Promise<SandboxOutcome> {
    const { job, arrangement, watch, signal } = this.#parts
    const startedAt = performance.now()
    const started = await this.#start(group?.entrances ?? [])
    const [channelPipe, stdoutPipe, stderrPipe, ordersPipe] = started.connections
    if (!channelPipe || !stdoutPipe || !stderrPipe) throw new SandboxFault('A connection is missing.')
    this.#kill = () => {
      if (this.#isOver) return
      started.kill()
      group?.kill()
      this.#sweep()
    }
    void started.ended.then(
      () => this.#sweep(),
      () => undefined,
    )
    // Closed only when its last holder is: it is read to know that.
    ordersPipe?.resume()
    this.#askToStop = () => void ordersPipe?.write('stop\n')
    this.#lookAgain = () => void ordersPipe?.write('again\n')
    const capture = new OutputCapture(job.limits.outputBytes, () => this.#end('output'))
    const stdout = capture.attach(stdoutPipe)
    const stderr = capture.attach(stderrPipe)
    const channel = arrangement.launched
      ? this.#readReport(channelPipe)
      : captureChannel(channelPipe, job.channelBytes ?? 0)
    if (arrangement.launched) for (const part of arrangement.input) ordersPipe?.write(part)
    job.onRunning?.({
      dial: (ticket, port) => void ordersPipe?.write(`dial ${ticket} ${port}\n`),
      finish: () => this.#finish(),
    })
    const stopWatching = this.#observe(started.pid, watch, group)
    const timer = setTimeout(() => this.#end('timeout'), job.limits.wallMs)
    const onAbort = () => this.#end('cancelled')
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    let ended: Ending
    try {
      ended = await this.#untilClosed(started)
    } finally {
      stopWatching()
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      for (const socket of started.connections) socket.destroy()
    }
    const durationMs = performance.now() - startedAt
    if (group ? group.ranOutOfMemory() : ended.peakBytes > job.limits.memoryBytes + mappedBytes)
      this.#ended ??= 'memory'
    const ending = this.#ending(ended, stderr().text)
    const problem = this.#reader.report.unfit
    const usage = { peakMemoryBytes: this.#peakMemoryBytes, peakProcesses: this.#peakProcesses }
    const collected = arrangement.launched ? this.#reader.collected() : nothingCollected
    const errors = problem === undefined ? stderr() : { text: problem, truncated: false }
    return { ...ending, stdout: stdout(), stderr: errors, durationMs, usage, collected, channel: channel() }
  }

  #start(groups: readonly string[]): Promise<Started> {
    const { arrangement, argv, user, starter, mark = {} } = this.#parts
    const { launched, namespaces, args, data, input } = arrangement
    const blobs: Buffer[] = []
    const blob = (bytes: Buffer): Descriptor => ['blob', blobs.push(bytes) - 1]
    // The launcher reads its input on the connection for orders; only a command alone has it as a file.
    const given = (): Descriptor => (input.length === 0 ? ['null'] : blob(Buffer.concat(input.map(bytesOf))))
    const descriptors: Descriptor[] = [
      launched ? ['connect', ordersConnection] : given(),
      ['connect', stdoutConnection],
      ['connect', stderrConnection],
      ['connect', channelConnection],
    ]
    if (namespaces === 'bwrap')
      descriptors.push(['status'], blob(Buffer.from(`${args.join('\0')}\0`)), ...data.map(blob))
    const niceness = this.#parts.groups?.controllers.includes('cpu') ? 0 : jobNiceness
    const session = namespaces !== 'runtime'
    const killsChildren = namespaces === 'runtime'
    const reads = launched ? { reads: ordersConnection } : {}
    const how = { session, killsChildren, ...reads, mark, groups, niceness }
    return starter.start({ argv, user, ...how, descriptors, blobs })
  }

  #readReport(pipe: NodeJS.ReadableStream): () => Uint8Array {
    pipe.on('data', (chunk: Buffer) => this.#reader.push(chunk))
    return () => this.#reader.report.channel
  }

  #observe(pid: number, watch: ProcessWatch, group: JobGroup | undefined): () => void {
    const { limits } = this.#parts.job
    return watch.add({
      rootPid: pid,
      // Before the command come what makes namespaces and the first process in them, or our launcher alone.
      skipGenerations: this.#parts.arrangement.namespaces === 'none' ? 1 : 2,
      folders: this.#parts.arrangement.watchedFolders,
      group,
      onSample: (sample) => {
        this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, sample.memoryBytes)
        this.#peakProcesses = Math.max(this.#peakProcesses, sample.processes)
        // Where the kernel ended one of its processes for the lack of it, what is left may look as if it fitted.
        if (sample.memoryBytes > limits.memoryBytes || group?.ranOutOfMemory()) this.#end('memory')
        else if (sample.files > limits.workFiles) this.#end('files')
      },
    })
  }

  /** Until the first process is over and everything it said has arrived. */
  async #untilClosed({ ended, connections }: Started): Promise<Ending> {
    const late = this.#parts.job.limits.wallMs + stopGraceMs + deathGraceMs
    let timer: NodeJS.Timeout | undefined
    const overdue = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new SandboxFault('A killed sandbox did not end.')), late)
    })
    const whole = Promise.all([ended, ...connections.map(heardOut)])
    try {
      const [ending] = await Promise.race([whole, overdue])
      return ending
    } finally {
      clearTimeout(timer)
    }
  }

  #ending(ended: Ending, stderr: string): Pick<SandboxOutcome, 'ended' | 'exitCode' | 'signal'> {
    const { report } = this.#reader
    // A command that ended on its own while its artifacts were still coming was not too slow.
    if (this.#ended === 'timeout' && report.ending) return endingOf(report.ending)
    if (this.#ended) return { ended: this.#ended, exitCode: null, signal: null }
    if (this.#isFinished) return endingOf(report.ending ?? { exitCode: 0, signal: null })
    const { arrangement } = this.#parts
    const code = /"exit-code":\s*(\d+)/.exec(ended.status)?.[1]
    if (code === undefined && arrangement.namespaces === 'bwrap')
      throw new SandboxFault(`The sandbox could not start: ${stderr.trim().slice(0, 500)}`)
    if (!arrangement.launched) return endingOf(fromShellStatus(Number(code)))
    if (report.ending) return endingOf(report.ending)
    if (report.unfit) return { ended: 'unfit', exitCode: null, signal: null }
    if (!report.started) throw new SandboxFault(`The launcher failed: ${stderr.trim().slice(0, 500)}`)
    // The launcher reports before it exits, so one that exited without a word was not killed by its job.
    const exitCode = code === undefined ? ended.code : Number(code)
    if (exitCode === 0) throw new SandboxFault('The launcher ended without a report.')
    return { ended: 'killed', exitCode: null, signal: 'SIGKILL' }
  }

  #neverStarted(): SandboxOutcome {
    const nothing = { text: '', truncated: false }
    return {
      ended: 'cancelled',
      exitCode: null,
      signal: null,
      stdout: nothing,
      stderr: nothing,
      durationMs: 0,
      usage: { peakMemoryBytes: 0, peakProcesses: 0 },
      collected: nothingCollected,
      channel: new Uint8Array(),
    }
  }
}

const heardOut = (socket: Socket): Promise<void> => {
  return new Promise((resolve) => {
    if (socket.readableEnded || socket.destroyed) resolve()
    socket.once('end', resolve)
    socket.once('close', () => resolve())
  })
}

/** bwrap reports a signal the way a shell does. */
const fromShellStatus = (code: number): { exitCode: number | null; signal: string | null } => {
  if (code <= 128) return { exitCode: code, signal: null }
  const name = signalName(code - 128)
  return name ? { exitCode: null, signal: name } : { exitCode: code, signal: null }
}

const endingOf = (end: {
  exitCode: number | null
  signal: string | null
}): Pick<SandboxOutcome, 'ended' | 'exitCode' | 'signal'> => {
  return { ended: end.signal ? 'killed' : 'exited', ...end }
}
