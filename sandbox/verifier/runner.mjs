/** Runs one TypeScript scorer. The verdict goes out on file descriptor 3, apart from anything the scorer prints. */
import { existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'

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
  const line = /scorer\.mjs:(\d+)/.exec(error.stack ?? '')?.[1]
  return `${error.name}: ${error.message}${line ? ` (scorer.ts line ${line})` : ''}`
}

process.on('uncaughtException', (error) => {
  give({ error: describe(error) })
  process.exit(0)
})
process.on('exit', (code) =>
  give({ error: `The scorer ended its process with ${code} instead of returning a score.` }),
)

/**
 * Taking the types out costs more than starting Node, so it is done once for each scorer: the platform keeps what is
 * sent back here, before any of the scorer's code has run, and hands it in as scorer.mjs the next time.
 */
function scorerPath() {
  if (existsSync(`${INPUTS}/scorer.mjs`)) return `${INPUTS}/scorer.mjs`
  const stripped = stripTypeScriptTypes(readFileSync(`${INPUTS}/scorer.ts`, 'utf8'))
  send(JSON.stringify({ stripped }))
  const path = `${tmpdir()}/scorer.mjs`
  writeFileSync(path, stripped)
  return path
}

const call = JSON.parse(readFileSync(`${INPUTS}/call.json`, 'utf8'))
try {
  const scorer = await import(scorerPath())
  const handler = scorer.handler ?? scorer.default
  if (typeof handler !== 'function') {
    give({ error: 'The code exports no function named handler(input, output, expected, metadata).' })
  } else {
    const value = await handler(call.input, call.output, call.expected, call.metadata)
    give({ value: value === undefined ? null : value })
  }
} catch (error) {
  give({ error: describe(error) })
}
process.exit(0)
