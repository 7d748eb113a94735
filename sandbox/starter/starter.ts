import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SandboxFault } from '../sandbox.ts'

const preambleBytes = 8
const exitTimeoutMs = 5_000
const defaultSilenceMs = 60_000

/** Where a job's file of one number leads. */
export type Descriptor =
  | readonly ['connect', number]
  | readonly ['blob', number]
  | readonly ['status']
  | readonly ['null']

export interface StartOrder {
  readonly argv: readonly string[]
  /** The user it runs as; ours when absent. */
  readonly user: number | undefined
  /** Whether it leads its own process group, which is ended as one. */
  readonly session: boolean
  /** Whether the children of its first process are ended before it, where they would outlive it. */
  readonly killsChildren?: boolean
  /** What its environment has beside the least, so that all its processes are known from their first moment on. */
  readonly mark: Readonly<Record<string, string>>
  /** The entrances of the control groups that hold it. */
  readonly groups: readonly string[]
  /** By how much its priority is lowered, where no control group holds its share of the processors. */
  readonly niceness: number
  readonly descriptors: readonly Descriptor[]
  /** The connection that the job may read; the others it can only write. */
  readonly reads?: number
  readonly blobs: readonly Uint8Array[]
}

export interface Ending {
  readonly code: number | null
  readonly signal: number | null
  /** The most memory that any one of its processes held, mapped files included. */
  readonly peakBytes: number
  /** What the job's first program wrote to its `status` descriptor. */
  readonly status: string
}

/** A job that runs. */
export interface Started {
  readonly pid: number
  /** The connections, by their number in the order. */
  readonly connections: readonly Socket[]
  readonly ended: Promise<Ending>
  readonly kill: () => void
}

interface Waiting {
  readonly connections: (Socket | undefined)[]
  pid: number | undefined
  over: boolean
  readonly started: PromiseWithResolvers<Started>
  readonly ended: PromiseWithResolvers<Ending>
}

export interface StarterParts {
  readonly python: string
  /** Where starter.py is, as seen from there. */
  readonly script: string
  /** What to put before the command, so that it sees the stage's mounts. */
  readonly enter: () => readonly string[]
  /** A starter that is silent for so long is stuck; it is replaced, and its jobs are the platform's fault. */
  readonly silenceMs?: number
}

/**
 * Forking a process as large as the service costs tens of milliseconds, and stops it for that long. So one small
 * process starts every job; jobs connect back to us for what they print and say. See starter.py.
 */
export class Starter implements AsyncDisposable {
  readonly #parts: StarterParts
  readonly #jobs = new Map<number, Waiting>()
  #next = 1
  #ears: Socket | undefined
  #open: Promise<{ child: ChildProcess; server: Server; folder: string }> | undefined

  constructor(parts: StarterParts) {
    this.#parts = parts
  }

  async start(order: StartOrder): Promise<Started> {
    this.#open ??= this.#begin()
    const { child } = await this.#open
    const id = this.#next++
    const connections = new Set(order.descriptors.map(([kind, n]) => (kind === 'connect' ? n : -1)))
    connections.delete(-1)
    const waiting: Waiting = {
      connections: Array.from({ length: connections.size }),
      pid: undefined,
      over: false,
      started: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    }
    waiting.ended.promise.catch(() => undefined)
    this.#jobs.set(id, waiting)
    this.#listen()
    const { blobs, ...rest } = order
    const sizes = blobs.map(({ length }) => length)
    const line = JSON.stringify({ ...rest, start: id, user: order.user ?? null, blobs: sizes })
    child.stdin?.cork()
    child.stdin?.write(`${line}\n`)
    for (const blob of blobs) child.stdin?.write(blob)
    child.stdin?.uncork()
    return this.#patiently(child, waiting.started.promise)
  }

  async #begin() {
    const folder = await mkdtemp(join(tmpdir(), `diorama-starter-${process.pid}-`))
    const socketPath = join(folder, 'service.sock')
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#connected(socket))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ path: socketPath, backlog: 1024 }, resolve)
    })
    server.unref()
    const { enter, python, script } = this.#parts
    const [program = '', ...args] = [...enter(), python, '-I', '-S', '-B', script, socketPath]
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    })
    const ready = Promise.withResolvers<void>()
    let isGone = false
    const gone = (reason: string) => {
      if (isGone) return
      isGone = true
      const fault = new SandboxFault(`The process that starts jobs is gone: ${reason}.`)
      ready.reject(fault)
      this.#open = undefined
      server.close()
      void rm(folder, { recursive: true, force: true })
      for (const { started, ended } of this.#jobs.values()) {
        started.reject(fault)
        ended.reject(fault)
      }
      this.#jobs.clear()
    }
    child.once('error', ({ message }) => gone(message))
    child.once('exit', (code, signal) => gone(`it ended with ${signal ?? code}`))
    child.stdin?.on('error', () => undefined)
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => this.#heard(line, ready.resolve))
    await this.#patiently(child, ready.promise)
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
    this.#ears = child.stdout instanceof Socket ? child.stdout : undefined
    return { child, server, folder }
  }

  /** Waits for an answer of the starter, but not indefinitely: one that says nothing is ended, which answers everybody. */
  async #patiently<Answer>(child: ChildProcess, answer: Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#parts.silenceMs ?? defaultSilenceMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }

  /** Keeps the process alive while a job runs; without one, the starter does not prevent exit. */
  #listen(): void {
    if (this.#jobs.size > 0) this.#ears?.ref()
    else this.#ears?.unref()
  }

  #heard(line: string, ready: () => void): void {
    const said = JSON.parse(line)
    if (said.ready) ready()
    const id: number = said.started ?? said.ended ?? said.failed
    const job = this.#jobs.get(id)
    if (!job) return
    if (said.started !== undefined) job.pid = said.pid
    if (said.ended !== undefined) {
      job.over = true
      const { code, signal, peak: peakBytes, status } = said
      job.ended.resolve({ code, signal, peakBytes, status })
    }
    if (said.failed !== undefined) {
      this.#jobs.delete(id)
      for (const socket of job.connections) socket?.destroy()
      job.started.reject(new SandboxFault(`Could not start the sandbox: ${said.reason}`))
      this.#listen()
    }
    this.#whole(id, job)
  }

  /** A job's connection says first whose it is and which. */
  #connected(socket: Socket): void {
    socket.on('error', () => undefined)
    const read = () => {
      const mark: Buffer | null = socket.read(preambleBytes)
      if (!mark) {
        if (!socket.readableEnded) socket.once('readable', read)
        return
      }
      const id = mark.readUInt32BE(0)
      const job = this.#jobs.get(id)
      if (!job) {
        socket.destroy()
        return
      }
      job.connections[mark.readUInt32BE(4)] = socket
      this.#whole(id, job)
    }
    read()
  }

  /** A short job may be over before we have taken its connections; what it printed waits in them. */
  #whole(id: number, { connections, pid, over, started, ended }: Waiting): void {
    const there = connections.filter((socket) => socket !== undefined)
    if (pid === undefined || there.length < connections.length) return
    if (over) this.#jobs.delete(id)
    this.#listen()
    const kill = () => this.#kill(id)
    started.resolve({ pid, connections: there, ended: ended.promise, kill })
  }

  #kill(id: number): void {
    if (this.#jobs.has(id))
      void this.#open?.then(({ child }) => child.stdin?.write(`${JSON.stringify({ kill: id })}\n`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = await this.#open?.catch(() => undefined)
    if (!open) return
    const { child } = open
    child.ref()
    const left = new Promise((resolve) => child.once('exit', resolve))
    child.stdin?.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), exitTimeoutMs)
    await left
    clearTimeout(timer)
  }
}
