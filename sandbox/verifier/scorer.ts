import { createHash } from 'node:crypto'
import { pythonScript } from '../drivers/python-script.ts'
import {
  type Sandbox,
  SandboxFault,
  type SandboxLimits,
  type SandboxOutcome,
  scorerLimits,
} from '../sandbox.ts'
import { withExportedHandler } from './exported-handler.ts'
import type { WorldStateFile } from './world-state.ts'

export interface ScorerRun {
  readonly language: 'python' | 'typescript'
  readonly code: string
  readonly input: unknown
  readonly output: string
  readonly expected: unknown
  readonly metadata: unknown
  /** What the world helpers read, or the bytes of its file; absent when the task has no environment. */
  readonly world?: WorldStateFile | Uint8Array
  readonly limits?: Partial<SandboxLimits>
}

export interface ScorerVerdict {
  readonly score: number | null
  /** What went wrong, in a sentence, whenever the score is null. */
  readonly error: string | null
  readonly printed: string
  readonly durationMs: number
  readonly reason?: string
  /** The changes of the world that the scorer looked at or allowed. */
  readonly accounted?: Accounted
  /** What else the handler returned beside score and reason. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** What a scorer accounts for: updates of records it read, one record a collection it looked for, and single changes. */
export interface Accounted {
  readonly records: readonly string[]
  readonly creates: readonly string[]
  readonly changes: readonly string[]
}

export interface Verifier {
  runScorer(run: ScorerRun, signal?: AbortSignal): Promise<ScorerVerdict>
  /** What is wrong with the syntax of a scorer, if anything; no code of it runs. */
  checkSyntax(code: Pick<ScorerRun, 'language' | 'code'>): Promise<string | undefined>
}

const maxChannelBytes = 2 * 2 ** 20
const maxCodeBytes = 512 * 2 ** 10
const maxExtraBytes = 64 * 2 ** 10
const maxErrorCharacters = 2_000
const maxCachedScripts = 500

/** Each run has its own sandbox with nothing of the agent's in it but the text to be graded. */
export const openVerifier = (sandbox: Pick<Sandbox, 'run'>): Verifier => {
  const stripped = new Map<string, Promise<Stripped>>()
  return {
    async checkSyntax({ language, code }) {
      if (Buffer.byteLength(code) > maxCodeBytes) return `is larger than ${maxCodeBytes} bytes`
      if (language === 'python') return checkPython(sandbox, code)
      const plain = await stripOnce({ sandbox, cache: stripped, code })
      return 'verdict' in plain ? (plain.verdict.error ?? undefined) : undefined
    },
    async runScorer(run, signal) {
      if (Buffer.byteLength(run.code) > maxCodeBytes) {
        return refusal(`The scorer's code is larger than ${maxCodeBytes} bytes.`)
      }
      const limits = { ...scorerLimits, ...run.limits }
      let code = run.code
      if (run.language === 'typescript') {
        const plain = await stripOnce({ sandbox, cache: stripped, code: run.code })
        if ('verdict' in plain) return plain.verdict
        code = plain.code
      }
      const outcome = await sandbox.run(
        {
          command: ({ scripts }) => commandFor(run.language, scripts),
          inputs: inputsFor(run, code),
          limits,
          network: 'none',
          channelBytes: maxChannelBytes,
        },
        signal,
      )
      return verdictOf({ outcome, limits, line: lastLine(outcome) })
    },
  }
}

type Stripped = { readonly code: string } | { readonly verdict: ScorerVerdict }

/**
 * TypeScript without its types, in an LRU cache. It is made in a sandbox in which no code of the scorer runs, so that a
 * scorer cannot put something else in its place.
 */
const stripOnce = async (parts: {
  sandbox: Pick<Sandbox, 'run'>
  cache: Map<string, Promise<Stripped>>
  code: string
}): Promise<Stripped> => {
  const { sandbox, cache, code } = parts
  const digest = createHash('sha256').update(code).digest('hex')
  const known = cache.get(digest)
  const making = known ?? stripTypes(sandbox, code)
  cache.delete(digest)
  cache.set(digest, making)
  const oldest = cache.size > maxCachedScripts ? cache.keys().next().value : undefined
  if (oldest !== undefined) cache.delete(oldest)
  try {
    const made = await making
    if ('verdict' in made) cache.delete(digest)
    return made
  } catch (error) {
    cache.delete(digest)
    throw error
  }
}

const stripTypes = async (sandbox: Pick<Sandbox, 'run'>, code: string): Promise<Stripped> => {
  const limits = scorerLimits
  const outcome = await sandbox.run({
    command: ({ scripts }) => [...commandFor('typescript', scripts), 'strip'],
    inputs: { 'scorer.ts': withExportedHandler(code) },
    limits,
    network: 'none',
    channelBytes: maxChannelBytes,
  })
  const message = parseObject(lastLine(outcome) ?? '')
  if (outcome.ended === 'exited' && typeof message?.stripped === 'string') return { code: message.stripped }
  return { verdict: verdictOf({ outcome, limits, line: lastLine(outcome) }) }
}

const checkPython = async (sandbox: Pick<Sandbox, 'run'>, code: string): Promise<string | undefined> => {
  const outcome = await sandbox.run({
    command: ({ scripts }) => [...commandFor('python', scripts), 'check'],
    inputs: { 'scorer.py': code },
    limits: scorerLimits,
    network: 'none',
    channelBytes: maxChannelBytes,
  })
  const line = lastLine(outcome)
  if (outcome.ended === 'exited' && parseObject(line ?? '')?.checked === true) return undefined
  return verdictOf({ outcome, limits: scorerLimits, line }).error ?? undefined
}

const lastLine = (outcome: SandboxOutcome): string | undefined =>
  Buffer.from(outcome.channel).toString('utf8').split('\n').filter(Boolean).at(-1)

const commandFor = (language: ScorerRun['language'], scripts: string): string[] => {
  // Isolated and without site packages: a scorer means the same on every machine, and starts four times faster.
  if (language === 'python') return pythonScript('python3', scripts, 'runner')
  return ['node', '--disable-warning=ExperimentalWarning', `${scripts}/runner.mjs`]
}

const inputsFor = (run: ScorerRun, code: string): Record<string, string | Uint8Array> => {
  const { input, output, expected, metadata, world } = run
  const inputs: Record<string, string | Uint8Array> = {
    'call.json': JSON.stringify({ input, output, expected, metadata }),
    [run.language === 'python' ? 'scorer.py' : 'scorer.mjs']: code,
  }
  if (world) inputs['world.json'] = world instanceof Uint8Array ? world : JSON.stringify(world)
  return inputs
}

const refusal = (error: string): ScorerVerdict => {
  return { score: null, error, printed: '', durationMs: 0 }
}

const verdictOf = (parts: {
  outcome: SandboxOutcome
  limits: SandboxLimits
  line: string | undefined
}): ScorerVerdict => {
  const { outcome, limits, line } = parts
  const printed = [outcome.stdout.text, outcome.stderr.text].filter(Boolean).join('')
  const cut = outcome.stdout.truncated || outcome.stderr.truncated ? '\n[output cut]' : ''
  const base = { printed: `${printed}${cut}`, durationMs: outcome.durationMs }
  const failed = (error: string): ScorerVerdict => ({
    ...base,
    score: null,
    error: error.slice(0, maxErrorCharacters),
  })
  const ending = endingError(outcome, limits)
  if (ending) return failed(ending)
  const message = line === undefined ? undefined : parseObject(line)
  if (!message || !('value' in message || 'error' in message)) return failed(silentError(outcome))
  if (typeof message.error === 'string') return failed(message.error)
  const accounted = accountedIn(message.accounted)
  return { ...base, ...judge(message.value), ...(accounted ? { accounted } : {}) }
}

/** Why we ended the scorer, if we did. */
const endingError = (outcome: SandboxOutcome, limits: SandboxLimits): string | undefined => {
  switch (outcome.ended) {
    case 'timeout':
      return `The scorer took longer than ${limits.wallMs / 1000} seconds.`
    case 'memory':
      return `The scorer used more than ${Math.round(limits.memoryBytes / 2 ** 20)} MiB of memory.`
    case 'output':
      return `The scorer printed far more than ${Math.round(limits.outputBytes / 1024)} KiB.`
    case 'files':
      return `The scorer wrote more than ${limits.workFiles} files.`
    case 'cancelled':
      return 'The scorer was cancelled.'
    default:
      return undefined
  }
}

const silentError = (outcome: SandboxOutcome): string => {
  if (outcome.signal === 'SIGXFSZ') return 'The scorer wrote a file that is too large.'
  // Node aborts when its heap is full, and what it prints about that may be cut.
  const aborted = outcome.signal === 'SIGABRT' || outcome.signal === 'SIGTRAP'
  const memory = /out of memory|Cannot allocate|bad_alloc/i.test(outcome.stderr.text)
  if (memory || aborted) return 'The scorer ran out of memory.'
  if (outcome.exitCode === 127)
    throw new SandboxFault(`The interpreter is missing: ${outcome.stderr.text.slice(0, 300)}`)
  const how = outcome.signal ? `was killed by ${outcome.signal}` : `ended with exit code ${outcome.exitCode}`
  return `The scorer's process ${how} before it gave a score.`
}

const maxAccounted = 10_000

/** Each as `service collection id`, or `service collection`. */
const accountedIn = (sent: unknown): Accounted | undefined => {
  if (typeof sent !== 'object' || sent === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(sent))
  const read = (name: string): string[] => {
    const listed = fields.get(name)
    if (!Array.isArray(listed)) return []
    return listed
      .slice(0, maxAccounted)
      .flatMap((one) => (Array.isArray(one) ? [one.map(String).join(' ')] : []))
  }
  return { records: read('records'), creates: read('creates'), changes: read('changes') }
}

type Judged = Pick<ScorerVerdict, 'score' | 'error' | 'reason' | 'extra'>

/** A number, a truth value, or an object with a score; nothing else is a verdict. */
const judge = (value: unknown): Judged => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return scored(value)
  const { score, reason, ...rest } = Object.fromEntries(Object.entries(value))
  if (score === undefined)
    return { score: null, error: 'The object that the scorer returned has no field "score".' }
  const judged = scored(score)
  const tooMuch = JSON.stringify(rest).length > maxExtraBytes
  return {
    ...judged,
    ...(typeof reason === 'string' ? { reason: reason.slice(0, 10_000) } : {}),
    ...(Object.keys(rest).length > 0 && !tooMuch ? { extra: rest } : {}),
  }
}

const scored = (value: unknown): Judged => {
  if (typeof value === 'boolean') return { score: value ? 1 : 0, error: null }
  if (value === null || value === undefined) return { score: null, error: 'The scorer returned nothing.' }
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const shown = JSON.stringify(value) ?? String(value)
    return { score: null, error: `The score must be a number from 0 to 1, not ${shown.slice(0, 200)}.` }
  }
  if (value < 0 || value > 1) return { score: null, error: `The score ${value} is outside 0 to 1.` }
  return { score: value, error: null }
}

const parseObject = (line: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    return Object.fromEntries(Object.entries(value))
  } catch {
    return undefined
  }
}
