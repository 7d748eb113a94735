import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { constants } from 'node:os'
import type { Arrangement } from './arrangement.ts'
import { captureChannel, OutputCapture } from './output.ts'
import { ReportReader } from './report.ts'
import { type Ended, SandboxFault, type SandboxJob, type SandboxOutcome } from './sandbox.ts'
import type { ProcessWatch } from './watch.ts'

const { signals } = constants

/** How long the launcher may take to end the rest and send the artifacts after a time-out. */
const STOP_GRACE_MS = 5_000
/** How long the kernel may take to tear a killed namespace down before we call it a fault. */
const DEATH_GRACE_MS = 10_000
/** What our own launcher may hold while it carries connections and artifacts; not the job's memory. */
const LAUNCHER_BYTES = 160 * 2 ** 20

const NO_COLLECTION = { files: [], refused: [], truncated: false }

interface RunParts {
  readonly job: SandboxJob
  readonly arrangement: Arrangement
  readonly argv: readonly string[]
  readonly watch: ProcessWatch
  readonly signal: AbortSignal | undefined
  /** Ends what the first process leaves behind, where no namespace does it. */
  readonly endTree?: () => Promise<void>
  /** The null device, for each descriptor that we inherited and no job may hold. */
  readonly covers: readonly number[]
}

/**
 * One job from start to end, whatever the driver. File descriptors: 3 the channel or the launcher's report, 4 and 5
 * bwrap's status and arguments, 6 and up the bytes of files.
 */
export class JobRun {
  readonly #parts: RunParts
  readonly #reader: ReportReader
  #ended: Ended | undefined
  #peakMemoryBytes = 0
  #peakProcesses = 0
  #kill: () => void = () => undefined
  #askToStop: () => void = () => undefined

  constructor(parts: RunParts) {
    this.#parts = parts
    const collect = parts.job.collect ?? { maxFiles: 0, maxBytes: 0 }
    this.#reader = new ReportReader({ ...collect, channelBytes: parts.job.channelBytes ?? 0 })
  }

  /** The first reason to end a job is the one that counts. */
  #end(reason: Ended): void {
    if (this.#ended) return
    this.#ended = reason
    if (reason === 'timeout' && this.#parts.arrangement.launched) {
      this.#askToStop()
      setTimeout(() => this.#kill(), STOP_GRACE_MS).unref()
    } else this.#kill()
  }

  async outcome(): Promise<SandboxOutcome> {
    const { job, arrangement, argv, watch, signal } = this.#parts
    if (signal?.aborted) return this.#neverStarted()
    const [program = '', ...rest] = argv
    const pipesNeeded = Array.from({ length: 6 + arrangement.data.length }, () => 'pipe' as const)
    const child = spawn(program, rest, {
      stdio: [...pipesNeeded, ...this.#parts.covers.slice(pipesNeeded.length)],
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      detached: !arrangement.namespaced,
    })
    const startedAt = performance.now()
    const pipes = child.stdio.filter((pipe) => pipe instanceof Socket)
    const [stdin, stdoutPipe, stderrPipe, channelPipe, statusPipe, argumentPipe, ...dataPipes] = pipes
    if (!stdin || !stdoutPipe || !stderrPipe || !channelPipe || !statusPipe || !argumentPipe) {
      throw new SandboxFault('Could not start the sandbox: a pipe is missing.')
    }
    for (const pipe of pipes) pipe.on('error', () => undefined)
    const closed = new Promise<void>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(new SandboxFault(`Could not start the sandbox: ${cause.message}`, { cause })),
      )
      child.once('close', () => resolve())
    })
    const { endTree } = this.#parts
    this.#kill = () => {
      child.kill('SIGKILL')
      void endTree?.()
    }
    child.once('exit', () => void endTree?.())
    this.#askToStop = () => void stdin.write('stop\n')
    const capture = new OutputCapture(job.limits.outputBytes, () => this.#end('output'))
    const stdout = capture.attach(stdoutPipe)
    const stderr = capture.attach(stderrPipe)
    const status = captureChannel(statusPipe, 64 * 1024)
    const channel = arrangement.launched
      ? this.#readReport(channelPipe)
      : captureChannel(channelPipe, job.channelBytes ?? 0)
    argumentPipe.end(`${arrangement.args.join('\0')}\0`)
    for (const [index, pipe] of dataPipes.entries()) pipe.end(arrangement.data[index] ?? Buffer.alloc(0))
    for (const part of arrangement.input) stdin.write(part)
    if (!arrangement.launched) stdin.end()
    const stopWatching = child.pid === undefined ? () => undefined : this.#observe(child.pid, watch)
    const timer = setTimeout(() => this.#end('timeout'), job.limits.wallMs)
    const onAbort = () => this.#end('cancelled')
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      await this.#untilClosed(closed)
    } finally {
      stopWatching()
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      stdin.destroy()
    }
    const durationMs = performance.now() - startedAt
    const ending = this.#ending(Buffer.from(status()).toString(), stderr().text)
    const problem = this.#reader.report.unfit
    const usage = { peakMemoryBytes: this.#peakMemoryBytes, peakProcesses: this.#peakProcesses }
    const collected = arrangement.launched ? this.#reader.collected() : NO_COLLECTION
    const errors = problem === undefined ? stderr() : { text: problem, truncated: false }
    return { ...ending, stdout: stdout(), stderr: errors, durationMs, usage, collected, channel: channel() }
  }

  #readReport(pipe: NodeJS.ReadableStream): () => Uint8Array {
    pipe.on('data', (chunk: Buffer) => this.#reader.push(chunk))
    return () => this.#reader.report.channel
  }

  #observe(pid: number, watch: ProcessWatch): () => void {
    const { limits } = this.#parts.job
    const ours = this.#parts.arrangement.launched ? LAUNCHER_BYTES : 0
    return watch.add({
      rootPid: pid,
      // Outside a namespace the first process is already ours to count; inside, bwrap and its init come before.
      skipGenerations: this.#parts.arrangement.namespaced ? 2 : 0,
      folders: this.#parts.arrangement.watchedFolders,
      onSample: (sample) => {
        this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, sample.memoryBytes)
        this.#peakProcesses = Math.max(this.#peakProcesses, sample.processes)
        if (sample.memoryBytes > limits.memoryBytes + ours) this.#end('memory')
        else if (sample.files > limits.workFiles) this.#end('files')
      },
    })
  }

  async #untilClosed(closed: Promise<void>): Promise<void> {
    const late = this.#parts.job.limits.wallMs + STOP_GRACE_MS + DEATH_GRACE_MS
    let timer: NodeJS.Timeout | undefined
    const overdue = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new SandboxFault('A killed sandbox did not end.')), late)
    })
    try {
      await Promise.race([closed, overdue])
    } finally {
      clearTimeout(timer)
    }
  }

  #ending(status: string, stderr: string): Pick<SandboxOutcome, 'ended' | 'exitCode' | 'signal'> {
    const { report } = this.#reader
    // A command that ended by itself while its artifacts were still coming was not too slow.
    if (this.#ended === 'timeout' && report.ending) return endingOf(report.ending)
    if (this.#ended) return { ended: this.#ended, exitCode: null, signal: null }
    const { arrangement } = this.#parts
    const code = /"exit-code":\s*(\d+)/.exec(status)?.[1]
    if (code === undefined && arrangement.namespaced)
      throw new SandboxFault(`The sandbox could not start: ${stderr.trim().slice(0, 500)}`)
    if (!arrangement.launched) return endingOf(fromShellStatus(Number(code)))
    if (report.ending) return endingOf(report.ending)
    if (report.unfit) return { ended: 'unfit', exitCode: null, signal: null }
    if (report.failed) throw new SandboxFault(`The command could not be started: ${report.failed}`)
    if (!report.started) throw new SandboxFault(`The launcher failed: ${stderr.trim().slice(0, 500)}`)
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
      collected: NO_COLLECTION,
      channel: new Uint8Array(),
    }
  }
}

/** bwrap reports a signal the way a shell does. */
function fromShellStatus(code: number): { exitCode: number | null; signal: string | null } {
  if (code <= 128) return { exitCode: code, signal: null }
  const name = Object.entries(signals).find(([, number]) => number === code - 128)?.[0]
  return name ? { exitCode: null, signal: name } : { exitCode: code, signal: null }
}

function endingOf(end: {
  exitCode: number | null
  signal: string | null
}): Pick<SandboxOutcome, 'ended' | 'exitCode' | 'signal'> {
  return { ended: end.signal ? 'killed' : 'exited', ...end }
}
