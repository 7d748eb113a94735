import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { addressOf } from '../api.ts'
import { follow } from '../stream.ts'

/** Trials that end together are one reason to look again. */
const gatherMs = 300
/** Without the stream the page asks; with it, it asks now and then all the same, since a stream can lie dead. */
const askMs = 1_500
const askBesideStreamMs = 15_000

const askedOfRuns: readonly unknown[] = ['readJob', 'readResults', 'readMatrix', 'readTrial']

const isAbout =
  (jobId: string) =>
  ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
    askedOfRuns.includes(queryKey[0]) && JSON.stringify(queryKey).includes(jobId)

/**
 * Follows an evaluation by its stream: each trial that starts or ends has the answers about the evaluation fetched again. Gives how
 * often to ask besides, which is often where the stream cannot be had.
 */
export const useRunProgress = (jobId: string, over: boolean | undefined): number | false => {
  const client = useQueryClient()
  const [connected, setConnected] = useState(false)
  useEffect(() => {
    // A stream replays everything that happened: useless for an evaluation that is over or not yet loaded.
    if (over !== false) return
    const gone = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const lookAgain = () => {
      timer = undefined
      void client.invalidateQueries({ predicate: isAbout(jobId) })
    }
    void follow({
      address: (after) => addressOf('/v1/backtests/jobs/{jobId}/stream', { jobId }, { after }),
      heard: () => {
        timer ??= setTimeout(lookAgain, gatherMs)
      },
      connected: setConnected,
      signal: gone.signal,
      last: 'run_finished',
    })
    return () => {
      gone.abort()
      clearTimeout(timer)
    }
  }, [client, jobId, over])
  // The evaluation may be over before its last trials are in the other answers: fetch those once more.
  const wasOpen = useRef(false)
  useEffect(() => {
    if (over && wasOpen.current) void client.invalidateQueries({ predicate: isAbout(jobId) })
    wasOpen.current = over === false
  }, [client, jobId, over])
  return over ? false : connected ? askBesideStreamMs : askMs
}
