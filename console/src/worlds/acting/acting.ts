import type { TwinInstanceRecord } from '@diorama/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call, markHeaders, type Reply } from '../../api.ts'
import { useAsk } from '../../ask.ts'
import { kindOf } from '../../parts/service.tsx'
import { useAddress } from '../../search.ts'

export type Person = Reply<'listTwinIdentities'>['items'][number]

/** A request in the service's own protocol; its path is below the twin. */
export interface NativeRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface NativeReply {
  readonly status: number
  readonly headers: Headers
  /** Parsed where it is JSON; undefined where there is none. */
  readonly body: unknown
}

export interface Acting {
  readonly person: Person | undefined
  /** Sends a request with the person's own token, so that the ledger has it as theirs. */
  readonly send: (request: NativeRequest) => Promise<NativeReply>
  /** What a person does on screens for which the service has no public API, such as pressing a button. */
  readonly interact: (interaction: Readonly<Record<string, unknown>>) => Promise<void>
}

/** The people of a twin that somebody can act as. Without the scope for their tokens there are none. */
export const usePeople = (twin: TwinInstanceRecord): readonly Person[] => {
  const isRunning = twin.status === 'running'
  const found = useAsk('listTwinIdentities', { params: { twinId: twin.id } }, { when: isRunning })
  const people = isRunning ? (found.data?.items ?? []) : []
  return people.filter(({ subject, token }) => subject !== 'integration' && token !== '')
}

const parsed = (text: string): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Who acts in a twin, as the address says, and how. */
export const useActing = (twin: TwinInstanceRecord): Acting => {
  const { search } = useAddress()
  const client = useQueryClient()
  const person = usePeople(twin).find(({ subject }) => subject === search.person)
  const { id, service } = twin
  const changed = useCallback(
    () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) =>
          queryKey[0] === 'collection' || queryKey[0] === 'diffWorld' || queryKey[0] === 'diffTwin',
      }),
    [client],
  )
  const send = async ({ method = 'GET', path, headers, body }: NativeRequest): Promise<NativeReply> => {
    if (!person) throw new Error('Choose a person to act as.')
    const reply = await fetch(`/t/${id}${path}`, {
      method,
      headers: {
        ...markHeaders,
        authorization: `${kindOf(service)?.sampleRead.scheme ?? 'Bearer '}${person.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
    })
    const text = await reply.text()
    if (method !== 'GET') void changed()
    return { status: reply.status, headers: reply.headers, body: parsed(text) }
  }
  const interact = async (interaction: Readonly<Record<string, unknown>>): Promise<void> => {
    if (!person) throw new Error('Choose a person to act as.')
    await call('interactWithTwin', { params: { twinId: id }, body: { ...interaction, as: person.subject } })
    void changed()
  }
  return { person, send, interact }
}
