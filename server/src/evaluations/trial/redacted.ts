import type { SandboxOutcome } from '@diorama/sandbox/sandbox'

/** Shorter values would also be found in texts that have nothing to do with them. */
const minCharacters = 6
const mark = '[secret]'

/** What a command left, without the values of the secrets it was given: in its logs, and in its files that are text. */
export const redacted = (
  outcome: SandboxOutcome,
  secrets: Readonly<Record<string, string>>,
): SandboxOutcome => {
  const values = Object.values(secrets)
    .filter(({ length }) => length >= minCharacters)
    .sort((a, b) => b.length - a.length)
  if (values.length === 0) return outcome
  const hide = (text: string) => values.reduce((left, value) => left.replaceAll(value, mark), text)
  const { stdout, stderr, collected } = outcome
  return {
    ...outcome,
    stdout: { ...stdout, text: hide(stdout.text) },
    stderr: { ...stderr, text: hide(stderr.text) },
    collected: {
      ...collected,
      files: collected.files.map(({ path, bytes }) => ({ path, bytes: hiddenBytes(bytes, values) })),
    },
  }
}

const hiddenBytes = (bytes: Uint8Array, values: readonly string[]): Uint8Array => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (!values.some((value) => buffer.includes(value))) return bytes
  // Latin-1 keeps every byte as it is, whatever the file holds.
  const latin = (text: string) => Buffer.from(text).toString('latin1')
  const text = values.reduce((left, value) => left.replaceAll(latin(value), mark), buffer.toString('latin1'))
  return Buffer.from(text, 'latin1')
}
