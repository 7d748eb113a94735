import type { ChatSection } from '../section.ts'

/** Threads are flat: a reply to a reply joins the thread of the first message. */
export const flattenThreads = (section: ChatSection): ChatSection => {
  const { messages } = section
  const parents = new Map(
    messages.flatMap(({ key, replyTo }) => (key === null ? [] : [[key, replyTo] as const])),
  )
  const root = (key: string): string => {
    let first = key
    for (let above = parents.get(first), n = 0; above && n < messages.length; above = parents.get(first), n++)
      first = above
    return first
  }
  return {
    ...section,
    messages: messages.map((message) =>
      message.replyTo === null ? message : { ...message, replyTo: root(message.replyTo) },
    ),
  }
}
