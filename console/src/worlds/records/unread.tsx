import { count } from '../../words.ts'
import type { Collected } from '../live-world.ts'

/** Says that a collection is longer than what was fetched, and fetches on. */
export const Unread = ({ list, of }: { list: Collected; of: string }) => {
  if (!list.hasMore) return null
  return (
    <p className="unread" role="status">
      <span>
        Showing the first {count(list.data?.length ?? 0)} {of}.
      </span>
      <button type="button" className="button" disabled={list.isGoingOn} onClick={list.goOn}>
        {list.isGoingOn ? 'Loading…' : 'Load more'}
      </button>
    </p>
  )
}
