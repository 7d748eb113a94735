import { type Placed, type Seen, teamOf } from '../access.ts'
import type { MessageRow } from '../tables.ts'

const vendorHost = /^https:\/\/(?:[a-z0-9-]+\.)*slack\.com$/

/** The workspace's own address, without a trailing slash: the real one where the caller used a real host. */
export const workspaceUrl = (call: Placed): string =>
  vendorHost.test(call.baseUrl) ? `https://${teamOf(call).domain}.slack.com` : call.baseUrl

/** Where files are kept. */
export const filesUrl = (call: Seen): string =>
  vendorHost.test(call.baseUrl) ? 'https://files.slack.com' : call.baseUrl

export const permalink = (call: Seen, row: MessageRow): string => {
  const link = `${workspaceUrl(call)}/archives/${row.channel}/p${row.ts.replace('.', '')}`
  return row.thread_ts ? `${link}?thread_ts=${row.thread_ts}&cid=${row.channel}` : link
}
