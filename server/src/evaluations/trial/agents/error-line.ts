/** Names an error: the line of a stack trace of Node after the source, and the last one of Python. */
const named = /^(?:Uncaught )?[\w.]*(?:Error|Exception|Interrupt|Exit)\b/

/** The one line of what a program printed that says why it ended: the error that it names, or its last words. */
export const errorLine = (stderr: string): string => {
  const lines = stderr
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^Node\.js v\d/.test(line))
  return (lines.findLast((line) => named.test(line)) ?? lines.at(-1) ?? '').trim()
}
