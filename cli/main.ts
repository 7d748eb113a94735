import { readFileSync } from 'node:fs'
import { runProgram } from './program.ts'
import { wantsColour } from './terminal.ts'

/** The one place that reads the environment and the clock. */
const { stdout, stderr, env } = process
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error('Interrupted.')))
// A reader that has seen enough, such as `head`, is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
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
  },
  manifest.version,
)
