import { constants } from 'node:os'
import type { Collected, CollectedFile } from '../sandbox.ts'

/** What the launcher said. It runs beside the agent, so every word of it is checked and bounded here. */
export interface LauncherReport {
  started: boolean
  unfit: string | undefined
  ending: { exitCode: number | null; signal: string | null } | undefined
  complete: boolean
  channel: Uint8Array
  files: CollectedFile[]
  refused: { path: string; reason: string }[]
  truncated: boolean
}

const maxLineBytes = 16 * 1024
const maxRefusals = 200

export interface ReportLimits {
  readonly maxFiles: number
  readonly maxBytes: number
  readonly channelBytes: number
  /** The job is idle until its earliest deadline, so many nanoseconds away. */
  readonly onWaiting?: (nanoseconds: number) => void
}

export class ReportReader {
  readonly report: LauncherReport = {
    started: false,
    unfit: undefined,
    ending: undefined,
    complete: false,
    channel: new Uint8Array(),
    files: [],
    refused: [],
    truncated: false,
  }
  readonly #limits: ReportLimits
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** What the next bytes are: a file, or the command's private channel when there is no path. */
  #file: { path: string | undefined; size: number } | undefined
  #totalBytes = 0
  #broken = false

  constructor(limits: ReportLimits) {
    this.#limits = limits
  }

  push(chunk: Buffer): void {
    if (this.#broken) return
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    while (this.#step()) {
      // Each step consumes a line or a file, so the loop ends with the bytes.
    }
  }

  #step(): boolean {
    if (this.#broken) return false
    if (this.#file) {
      if (this.#pendingBytes < this.#file.size) return false
      const { path, size } = this.#file
      const bytes = this.#take(size)
      if (path === undefined) this.report.channel = bytes
      else this.report.files.push({ path, bytes })
      this.#file = undefined
      return true
    }
    if (this.#pendingBytes === 0) return false
    const all = this.#join()
    const end = all.indexOf(10)
    if (end < 0) {
      if (all.length > maxLineBytes) this.#break()
      return false
    }
    const line = this.#take(end + 1).toString('utf8')
    this.#read(line)
    return true
  }

  #join(): Buffer {
    const all =
      this.#pending.length === 1 && this.#pending[0] ? this.#pending[0] : Buffer.concat(this.#pending)
    this.#pending = [all]
    return all
  }

  #take(size: number): Buffer {
    const all = this.#join()
    this.#pending = [all.subarray(size)]
    this.#pendingBytes = all.length - size
    return all.subarray(0, size)
  }

  #break(): void {
    this.#broken = true
    this.#pending = []
    this.#pendingBytes = 0
    this.report.truncated = true
  }

  #read(line: string): void {
    const event = parseObject(line)
    if (!event) {
      this.#break()
      return
    }
    if (event.started === true) this.report.started = true
    if (typeof event.unfit === 'string') this.report.unfit = event.unfit.slice(0, 1000)
    if ('exited' in event) {
      const exitCode = typeof event.exited === 'number' ? event.exited : null
      const signal = typeof event.signal === 'number' ? (signalName(event.signal) ?? 'SIGKILL') : null
      this.report.ending = { exitCode, signal }
    }
    if (event.collected === true) {
      this.report.complete = true
      if (event.truncated === true) this.report.truncated = true
    }
    if (typeof event.refused === 'string' && this.report.refused.length < maxRefusals) {
      this.report.refused.push({
        path: event.refused.slice(0, 4096),
        reason: String(event.reason).slice(0, 200),
      })
    }
    if (typeof event.channel === 'number') {
      if (event.channel > this.#limits.channelBytes) this.#break()
      else this.#file = { path: undefined, size: event.channel }
    }
    if (typeof event.waiting === 'number') this.#limits.onWaiting?.(event.waiting)
    if ('file' in event) this.#expect(event.file, event.size)
  }

  #expect(path: unknown, size: unknown): void {
    if (typeof path !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
      this.#break()
      return
    }
    this.#totalBytes += size
    const fits = this.#totalBytes <= this.#limits.maxBytes && this.report.files.length < this.#limits.maxFiles
    if (fits && isPlainPath(path)) this.#file = { path, size }
    else this.#break()
  }

  collected(): Collected {
    const { files, refused, truncated } = this.report
    return { files, refused, truncated }
  }
}

/** A relative path with no way up and no odd characters: safe to use as an artifact's name anywhere. */
export const isPlainPath = (path: string): boolean => {
  if (path.length === 0 || path.length > 1024 || path.startsWith('/') || path.includes('\\')) return false
  for (const character of path)
    if (character.charCodeAt(0) < 32 || character.charCodeAt(0) === 127) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** A signal's name by its number on this machine. */
export const signalName = (wanted: number): string | undefined => {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0]
}

const parseObject = (line: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}
