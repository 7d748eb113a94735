import { agentLimits, type OpenedSandbox } from '@diorama/sandbox/sandbox'

const expected = 'fit'
const wallMs = 20_000
/** More than the blocks that a full disk may still have. */
const padding = ' '.repeat(1_048_576)

/** Runs a job that always works in the sandbox of trials; resolves to why it did not. */
export const tryOut = (open: () => Promise<OpenedSandbox>) => async (): Promise<string | undefined> => {
  const opened = await open()
  if (!('sandbox' in opened)) return opened.unavailable
  const outcome = await opened.sandbox.run({
    command: 'cat probe.txt && head -c 1048576 padding.txt > copied.txt',
    files: { 'probe.txt': expected, 'padding.txt': padding },
    network: 'none',
    limits: { ...agentLimits, wallMs },
  })
  if (outcome.exitCode === 0 && outcome.stdout.text === expected) return undefined
  return `a job in the sandbox ended with ${outcome.exitCode ?? outcome.ended}: ${outcome.stderr.text.slice(0, 500)}`
}
