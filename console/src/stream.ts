import { readMessages } from '@diorama/contract/server-sent-events'
import { markHeaders } from './api.ts'

export interface StreamMessage {
  readonly id: string
  readonly event: string
  readonly data: string
}

interface Following {
  /** Where to read from, after the message with this id. */
  readonly address: (after: string | undefined) => string
  readonly heard: (message: StreamMessage) => void
  readonly connected: (is: boolean) => void
  /** More was missed than the stream replays: what is shown must be fetched again. */
  readonly missed?: () => void
  readonly signal: AbortSignal
  /** The kind of message after which there is nothing more. */
  readonly last?: string
}

const firstWaitMs = 1_000
const maxWaitMs = 15_000
/** The service beats every 15 seconds; a connection that is silent for longer is dead without saying so. */
const silentMs = 45_000

interface Line {
  readonly signal: AbortSignal
  /** Called with each message: the connection is not silent. */
  readonly alive: () => void
  readonly close: () => void
}

/** Opens one connection, which ends when it falls silent, when its page is out of sight, or with the signal. */
const openLine = (signal: AbortSignal): Line => {
  const line = new AbortController()
  const end = () => line.abort()
  const hide = () => {
    if (document.hidden) end()
  }
  let timer = setTimeout(end, silentMs)
  signal.addEventListener('abort', end)
  document.addEventListener('visibilitychange', hide)
  return {
    signal: line.signal,
    alive: () => {
      clearTimeout(timer)
      timer = setTimeout(end, silentMs)
    },
    close: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      document.removeEventListener('visibilitychange', hide)
      end()
    },
  }
}

/** A browser opens few connections to one origin: a hidden page gives its own up. */
const seen = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', look)
      signal.removeEventListener('abort', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    signal.addEventListener('abort', look)
    look()
  })

const resumePoint = (data: string): string | undefined => {
  const error: { resume_from?: string } = JSON.parse(data)
  return error.resume_from
}

/** Follows a stream until it ends or is aborted. A lost connection resumes after the last message seen. */
export const follow = async (following: Following): Promise<void> => {
  const { address, heard, connected, missed, signal, last } = following
  let after: string | undefined
  let waitMs = firstWaitMs
  const readOnce = async (line: Line): Promise<boolean> => {
    const reply = await fetch(address(after), { headers: markHeaders, signal: line.signal })
    if (!reply.ok) return false
    connected(true)
    if (!reply.body) return false
    for await (const { id = '', event, data = '' } of readMessages(reply.body, line.alive)) {
      waitMs = firstWaitMs
      if (event === 'error') {
        after = resumePoint(data)
        missed?.()
        return false
      }
      after = id || after
      if (data !== '') heard({ id, event, data })
      if (event === last) return true
    }
    return false
  }
  for (;;) {
    await seen(signal)
    if (signal.aborted) return
    const line = openLine(signal)
    const over = await readOnce(line).catch(() => false)
    line.close()
    if (signal.aborted) return
    connected(false)
    if (over) return
    if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, maxWaitMs)
  }
}
