import type { ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { Copy } from './copy.tsx'
import { Icon } from './icon.tsx'

/** Nothing yet: one sentence, and the one thing that changes it. */
export const Empty = ({
  title,
  children,
  command,
}: {
  title: string
  children?: ReactNode
  command?: string
}) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children}
    {command === undefined ? null : (
      <div className="command">
        <code>{command}</code>
        <Copy text={command} label="Copy the command" />
      </div>
    )}
  </div>
)

/** What failed, the request id, what to do, and a retry. */
export const Failure = ({ error, retry }: { error: Error; retry?: () => void }) => (
  <div className="failure" role="alert">
    <p className="failure-title">
      <Icon name="warning" /> {error.message}
    </p>
    {error instanceof ApiError && error.details.length > 0 ? (
      <ul>
        {error.details.slice(0, 20).map(({ pointer, message }) => (
          <li key={pointer + message}>
            <code>{pointer}</code> {message}
          </li>
        ))}
      </ul>
    ) : null}
    <p className="quiet">
      {error instanceof ApiError && error.requestId ? (
        <>
          Request <code>{error.requestId}</code>.{' '}
        </>
      ) : null}
      {retry ? (
        <button type="button" className="link" onClick={retry}>
          Try again
        </button>
      ) : null}
    </p>
  </div>
)

/** Rows of the right height, so that nothing jumps when the real ones come. */
export const Skeleton = ({ rows = 8 }: { rows?: number }) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => `row ${index}`).map((name, index) => (
      <div key={name} className={`skeleton-row width-${index % 4}`} />
    ))}
  </div>
)

/** Fills a page that has nothing but its fault to show. */
const Instead = ({ error, retry }: { error: Error; retry: () => void }) => (
  <div className="page-body instead">
    <h1>{error instanceof ApiError && error.status === 404 ? 'Not found' : 'This page failed to load'}</h1>
    <Failure error={error} retry={retry} />
    {error instanceof ApiError && error.status === 404 ? (
      <p className="quiet">It may belong to another organization or have been deleted. Press ⌘K to search.</p>
    ) : null}
  </div>
)

interface Asked<T> {
  readonly data: T | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** The answer when it is there; until then its skeleton, or why it did not come. */
export const Answered = <T,>({
  asked,
  rows,
  children,
}: {
  asked: Asked<T>
  rows?: number
  children: (data: T) => ReactNode
}) => {
  if (asked.data !== undefined) return <>{children(asked.data)}</>
  if (asked.error) return <Failure error={asked.error} retry={() => void asked.refetch()} />
  return <Skeleton {...(rows === undefined ? {} : { rows })} />
}

/** The same for what a whole page is about. */
export const AnsweredPage = <T,>({
  asked,
  children,
}: {
  asked: Asked<T>
  children: (data: T) => ReactNode
}) => {
  if (asked.data !== undefined) return <>{children(asked.data)}</>
  if (asked.error) return <Instead error={asked.error} retry={() => void asked.refetch()} />
  return (
    <div className="page-body">
      <Skeleton rows={12} />
    </div>
  )
}
