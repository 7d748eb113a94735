import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Sandbox, SandboxJob, SandboxOutcome, SandboxPaths } from '@diorama/sandbox/sandbox'

interface Captured {
  readonly bytes: () => Buffer
  readonly truncated: () => boolean
}

/** Keeps the first bytes of a stream and reads the rest away. */
const capture = (stream: Readable, maxBytes: number): Captured => {
  const kept: Buffer[] = []
  let [size, truncated] = [0, false]
  stream.on('data', (chunk: Buffer) => {
    const room = maxBytes - size
    if (chunk.length > room) truncated = true
    if (room > 0) kept.push(chunk.subarray(0, room))
    size += Math.min(room, chunk.length)
  })
  return { bytes: () => Buffer.concat(kept), truncated: () => truncated }
}

/**
 * Runs the scorers of an exported task inside the verifier's container. The container, which the agent was never in, is
 * the isolation: here only time and output are bounded, and memory and processes by the runtime of the container.
 */
export const localSandbox = (scripts: string, path: string, now: () => number): Pick<Sandbox, 'run'> => ({
  run: async (job) => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-scorer-'))
    try {
      const paths: SandboxPaths = {
        home: folder,
        work: folder,
        inputs: join(folder, 'inputs'),
        temporary: folder,
        scripts,
      }
      await layOut(paths.inputs, job.inputs ?? {})
      return await execute(job, paths, { path, now })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

const layOut = async (folder: string, files: NonNullable<SandboxJob['inputs']>): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    const place = join(folder, name)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, content)
  }
}

const execute = (
  job: SandboxJob,
  paths: SandboxPaths,
  { path, now }: { readonly path: string; readonly now: () => number },
): Promise<SandboxOutcome> => {
  const command = typeof job.command === 'function' ? job.command(paths) : job.command
  const [program = '', ...words] = typeof command === 'string' ? ['sh', '-c', command] : command
  const began = now()
  const child = spawn(program, words, {
    cwd: paths.work,
    env: { PATH: path, LANG: 'C.UTF-8', HOME: paths.home, SANDBOX_INPUTS: paths.inputs },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const [, out, err, written] = child.stdio as unknown as [null, Readable, Readable, Readable]
  const stdout = capture(out, job.limits.outputBytes)
  const stderr = capture(err, job.limits.outputBytes)
  const channel = capture(written, job.channelBytes ?? 0)
  let isLate = false
  const endAll = () => {
    // The scorer leads its own process group: what it started ends with it.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isLate = true
    endAll()
  }, job.limits.wallMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer)
      const text = (one: Captured) => ({ text: one.bytes().toString('utf8'), truncated: one.truncated() })
      resolve({
        ended: isLate ? 'timeout' : signal === null ? 'exited' : 'killed',
        exitCode,
        signal,
        stdout: text(stdout),
        stderr: text(stderr),
        durationMs: now() - began,
        usage: { peakMemoryBytes: 0, peakProcesses: 0 },
        collected: { files: [], refused: [], truncated: false },
        channel: channel.bytes(),
      })
    })
  })
}
