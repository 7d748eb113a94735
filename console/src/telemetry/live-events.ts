import type { Event } from '@diorama/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { addressOf } from '../api.ts'
import { follow } from '../stream.ts'

const maxKept = 1_000

/** New events as they arrive, newest first. */
export const useLiveEvents = (on: boolean, filters: Readonly<Record<string, string | undefined>>) => {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly Event[]>([])
  const [connected, setConnected] = useState(false)
  const text = JSON.stringify(filters)
  useEffect(() => {
    setEvents([])
    if (!on) return
    const gone = new AbortController()
    void follow({
      address: (after) => addressOf('/v1/events/stream', {}, { ...JSON.parse(text), after }),
      heard: ({ data }) => {
        const happened: Event = JSON.parse(data)
        setEvents((before) => [happened, ...before.filter((one) => one.id !== happened.id)].slice(0, maxKept))
      },
      connected: setConnected,
      missed: () => {
        setEvents([])
        void client.resetQueries({ queryKey: ['list', 'listEvents'] })
      },
      signal: gone.signal,
    })
    return () => gone.abort()
  }, [client, on, text])
  return { events, connected }
}
