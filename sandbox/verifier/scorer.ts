import { createHash } from 'node:crypto'
import { pythonScript } from '../drivers/arrangement.ts'
import {
  type Sandbox,
  SandboxFault,
  type SandboxLimits,
  type SandboxOutcome,
  scorerLimits,
} from '../sandbox.ts'
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
  /** What else the handler returned beside score and reason. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface Verifier {
  runScorer(run: ScorerRun, signal?: AbortSignal): Promise<ScorerVerdict>
}

const maxChannelBytes = 2 * 2 ** 20
const maxCodeBytes = 512 * 2 ** 10
const maxExtraBytes = 64 * 2 ** 10
const maxErrorCharacters = 2_000
const maxCachedScripts = 500

/** Each run has a sandbox of its own with nothing of the agent's in it but the text to be graded. */
export const openVerifier = (sandbox: Sandbox): Verifier => {
  const stripped = new Map<string, string>()
  return {
    async runScorer(run, signal) {
      if (Buffer.byteLength(run.code) > maxCodeBytes) {
        return refusal(`The scorer's code is larger than ${maxCodeBytes} bytes.`)
      }
      const digest = createHash('sha256').update(run.code).digest('hex')
      const limits = { ...scorerLimits, ...run.limits }
      const outcome = await sandbox.run(
        {
          command: ({ scripts }) => commandFor(run.language, scripts),
          inputs: inputsFor(run, stripped.get(digest)),
          limits,
          network: 'none',
          channelBytes: maxChannelBytes,
        },
        signal,
      )
      const lines = Buffer.from(outcome.channel).toString('utf8').split('\n').filter(Boolean)
      if (run.language === 'typescript') keepStripped(stripped, digest, lines[0])
      return verdictOf({ outcome, limits, line: lines.at(-1) })
    },
  }
}

const commandFor = (language: ScorerRun['language'], scripts: string): string[] => {
  // Isolated and without site packages: a scorer means the same on every machine, and starts four times faster.
  if (language === 'python') return pythonScript('python3', scripts, 'runner')
  return ['node', '--disable-warning=ExperimentalWarning', `${scripts}/runner.mjs`]
}

const inputsFor = (run: ScorerRun, known: string | undefined): Record<string, string | Uint8Array> => {
  const { input, output, expected, metadata } = run
  const inputs: Record<string, string | Uint8Array> = {
    'call.json': JSON.stringify({ input, output, expected, metadata }),
  }
  if (run.world) {
    inputs['world.json'] = run.world instanceof Uint8Array ? run.world : JSON.stringify(run.world)
  }
  if (run.language === 'python') inputs['scorer.py'] = run.code
  else if (known !== undefined) inputs['scorer.mjs'] = known
  else inputs['scorer.ts'] = withExport(run.code)
  return inputs
}

/** A handler that was written as a plain function is as good as an exported one. */
const withExport = (code: string): string => {
  const exports =
    /\bexport\s+(default\b|(async\s+)?function\*?\s+handler\b|(const|let|var)\s+handler\b|\{[^}]*\bhandler\b)/
  const declares = /(^|\n)\s*((async\s+)?function\s+handler\b|(const|let|var)\s+handler\b)/
  return !exports.test(code) && declares.test(code) ? `${code}\nexport { handler }\n` : code
}

const keepStripped = (cache: Map<string, string>, digest: string, line: string | undefined): void => {
  const first = line === undefined ? undefined : parseObject(line)
  if (typeof first?.stripped !== 'string') return
  cache.set(digest, first.stripped)
  if (cache.size <= maxCachedScripts) return
  for (const oldest of cache.keys()) {
    cache.delete(oldest)
    break
  }
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
  return { ...base, ...judge(message.value) }
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
  const memory = /out of memory|Cannot allocate|bad_alloc/i.test(outcome.stderr.text)
  if (memory) return 'The scorer ran out of memory.'
  if (outcome.exitCode === 127)
    throw new SandboxFault(`The interpreter is missing: ${outcome.stderr.text.slice(0, 300)}`)
  const how = outcome.signal ? `was killed by ${outcome.signal}` : `ended with exit code ${outcome.exitCode}`
  return `The scorer's process ${how} before it gave a score.`
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
