import { serviceSecrets } from '@diorama/contract/kinds'
import type { Log } from '../storage/log.ts'
import { openSpelledTime } from './spelled-time.ts'

/** One JSON object a line. Anything that looks like a secret is replaced before it is written. */
export const openLog = ({ now, write }: { now: () => number; write: (line: string) => void }): Log => {
  const spelledNow = openSpelledTime(now)
  const put = (level: string) => (facts: object, message: string) =>
    write(`${redact(JSON.stringify({ time: spelledNow(), level, message, ...printable(facts) }))}\n`)
  return { info: put('info'), warn: put('warn'), error: put('error') }
}

/** Errors have no own fields that JSON would show; most lines have none and are taken as they are. */
const printable = (facts: object): object => {
  if (!Object.values(facts).some((fact) => fact instanceof Error)) return facts
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, fact instanceof Error ? describe(fact) : fact]),
  )
}

const describe = (error: Error): string =>
  error.cause instanceof Error
    ? `${error.stack ?? error.message}\ncaused by ${describe(error.cause)}`
    : (error.stack ?? error.message)

const ownSecrets = ['dk_[A-Za-z0-9_-]{16,}']
const secrets = new RegExp(
  `\\b(?:${[...ownSecrets, ...serviceSecrets].join('|')})|(?:Bearer|Basic) [\\w.~+/=!-]{8,}`,
  'g',
)

export const redact = (text: string): string => text.replaceAll(secrets, '[redacted]')
