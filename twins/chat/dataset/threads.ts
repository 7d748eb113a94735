import type { DatasetGroup } from '@diorama/twin-kit/datasets/dataset'
import type { ThreadRow } from '../tables.ts'
import { messageId } from '../values/ids.ts'
import { microsOf } from '../values/time.ts'

/** The replies of each thread, counted where the data does not count them itself. */
export const threads: DatasetGroup = {
  into: 'thread',
  member: ({ channel, ts, thread_ts, user }) =>
    typeof thread_ts !== 'string' || thread_ts === ts
      ? undefined
      : { key: messageId(String(channel), thread_ts), value: [String(ts), String(user ?? '')] },
  sum: (id, values) => {
    const replies = values as readonly (readonly [ts: string, user: string])[]
    const latest = replies.reduce((a, b) => (microsOf(b[0]) > microsOf(a[0]) ? b : a))
    const row: ThreadRow = {
      id,
      reply_count: replies.length,
      reply_users: [...new Set(replies.map(([, user]) => user))],
      latest_reply: latest[0],
    }
    return { ...row }
  },
}
