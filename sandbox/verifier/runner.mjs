/** Runs one TypeScript scorer. The verdict goes out on file descriptor 3, apart from anything the scorer prints. */
import { readFileSync, writeSync } from 'node:fs'
import { registerHooks, setSourceMapsSupport, stripTypeScriptTypes } from 'node:module'

const INPUTS = process.env.SANDBOX_INPUTS
let given = false

registerHooks({
  resolve(specifier, context, next) {
    return specifier === 'world-state'
      ? {
          url: new URL(`./world-state.mjs?inputs=${encodeURIComponent(INPUTS)}`, import.meta.url).href,
          shortCircuit: true,
        }
      : next(specifier, context)
  },
})

function give(verdict) {
  if (given) return
  given = true
  let text
  try {
    text = JSON.stringify(verdict, (_name, value) => {
      if (typeof value === 'bigint') throw new TypeError('a bigint')
      if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(String(value))
      return value
    })
  } catch (error) {
    text = JSON.stringify({
      error: `The scorer returned something that is not JSON: ${error.message}`.slice(0, 2000),
    })
  }
  send(text)
}

function send(text) {
  const data = Buffer.from(`${text}\n`)
  for (let at = 0; at < data.length; ) {
    try {
      at += writeSync(3, data, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

function describe(error) {
  if (!(error instanceof Error)) return `The scorer threw ${String(error)}`
  const line = /scorer\.(?:mjs|ts):(\d+)/.exec(error.stack ?? '')?.[1]
  return `${error.name}: ${error.message}${line ? ` (scorer.ts line ${line})` : ''}`
}

process.on('uncaughtException', (error) => {
  give({ error: describe(error) })
  process.exit(0)
})
process.on('exit', (code) =>
  give({ error: `The scorer ended its process with ${code} instead of returning a score.` }),
)

/** Runs the scorer and sends its verdict. */
async function score() {
  const call = JSON.parse(readFileSync(`${INPUTS}/call.json`, 'utf8'))
  if (readFileSync(`${INPUTS}/scorer.mjs`, 'utf8').includes('//# sourceMappingURL='))
    setSourceMapsSupport(true)
  const scorer = await import(`${INPUTS}/scorer.mjs`)
  const handler = scorer.handler ?? scorer.default
  if (typeof handler !== 'function') {
    return { error: 'The code exports no function named handler(input, output, expected, metadata).' }
  }
  const value = await handler(call.input, call.output, call.expected, call.metadata)
  const accounting = globalThis[Symbol.for('diorama.accounting')]
  const accounted = typeof accounting === 'function' ? { accounted: accounting() } : {}
  return { value: value === undefined ? null : value, ...accounted }
}

/**
 * Taking the types out costs more than starting Node, so it is done once for each scorer, in a run in which nothing of
 * the scorer's code is executed; the platform keeps the result and hands it in as scorer.mjs.
 */
function strip() {
  const code = readFileSync(`${INPUTS}/scorer.ts`, 'utf8')
  try {
    return { stripped: stripTypeScriptTypes(code) }
  } catch (error) {
    // Enums and the like are code, not types: they are turned into JavaScript, with a map to the lines as written.
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
    const options = { mode: 'transform', sourceMap: true, sourceUrl: 'scorer.ts' }
    return { stripped: stripTypeScriptTypes(code, options) }
  }
}

try {
  give(process.argv[2] === 'strip' ? strip() : await score())
} catch (error) {
  give({ error: describe(error) })
}
process.exit(0)
