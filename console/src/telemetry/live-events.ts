import type { Event } from '@diorama/contract'
import { useEffect, useState } from 'react'
import { addressOf, markHeaders } from '../api.ts'

const mostKept = 1_000
const againMs = 2_000

/** Reads server-sent events from a reply, one JSON line each. */
async function* messages(reply: Response): AsyncGenerator<{ id: string; event: string; data: string }> {
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1] ?? ''
      if (field('data') !== '') yield { id: field('id'), event: field('event'), data: field('data') }
    }
  }
}

/** New events as they arrive, newest first. A lost connection is taken up again where it ended. */
export const useLiveEvents = (on: boolean, filters: Readonly<Record<string, string | undefined>>) => {
  const [events, setEvents] = useState<readonly Event[]>([])
  const [connected, setConnected] = useState(false)
  const text = JSON.stringify(filters)
  useEffect(() => {
    setEvents([])
    if (!on) return
    const gone = new AbortController()
    let after: string | undefined
    const follow = async () => {
      const query: Record<string, string | undefined> = { ...JSON.parse(text), after }
      const reply = await fetch(addressOf('/v1/events/stream', {}, query), {
        headers: markHeaders,
        signal: gone.signal,
      })
      if (!reply.ok) return
      setConnected(true)
      for await (const { id, event, data } of messages(reply)) {
        if (event === 'error') return
        after = id || after
        const happened: Event = JSON.parse(data)
        setEvents((before) =>
          [happened, ...before.filter((one) => one.id !== happened.id)].slice(0, mostKept),
        )
      }
    }
    const keep = async () => {
      while (!gone.signal.aborted) {
        await follow().catch(() => {})
        setConnected(false)
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
    void keep()
    return () => gone.abort()
  }, [on, text])
  return { events, connected }
}
