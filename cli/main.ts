import { readFileSync } from 'node:fs'
import { runProgram } from './program.ts'
import { wantsColour } from './terminal.ts'

/** The one place that reads the environment and the clock. */
const { stdout, stderr, env } = process
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error('Interrupted.')))
// A reader that has seen enough, such as `head`, is no failure and no verdict either: a command that follows ends, and
// any other goes on to its own exit status.
const readerGone = new AbortController()
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === stdout) readerGone.abort()
  })

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
)
process.exitCode = await runProgram(
  process.argv.slice(2),
  {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    colour: { out: wantsColour(env, stdout), err: wantsColour(env, stderr) },
    isLive: stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI,
    columns: stderr.columns || 80,
    env,
    cwd: process.cwd(),
    now: Date.now,
    signal: interrupted.signal,
    readerGone: readerGone.signal,
  },
  manifest.version,
)
