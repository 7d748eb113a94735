// For companies that move: asking people, and waiting for them in the story's time.
import { slack } from './services.mjs'

/** Waits so long, or until the world says something to the agent; gives back what it said. */
export const wait = async (length, untilTold = true) => {
  const reply = await fetch(`${process.env.SVC_WORLD_URL}/wait`, {
    method: 'POST',
    body: JSON.stringify({ for: length, until_told: untilTold }),
  })
  if (!reply.ok) throw new Error(`wait: ${await reply.text()}`)
  return (await reply.json()).told
}

export const storyNow = async () =>
  Date.parse((await (await fetch(`${process.env.SVC_WORLD_URL}/clock`)).json()).now)

/** Writes to a person; gives back the conversation and the time of the message. */
export const writeTo = async (email, text) => {
  const { user } = await slack('users.lookupByEmail', { email })
  const { channel, ts } = await slack('chat.postMessage', { channel: user.id, text })
  return { channel, ts, user: user.id }
}

/** What the person has written since, oldest first. */
export const answersIn = async ({ channel, ts, user }) => {
  const { messages } = await slack('conversations.history', { channel, oldest: ts, limit: '50' })
  return messages
    .filter((message) => message.user === user)
    .map(({ text }) => text)
    .reverse()
}

/** Waits until the person has written something that matches. */
export const answerFrom = async (conversation, pattern, tries = 8) => {
  for (let n = 0; n < tries; n++) {
    const found = (await answersIn(conversation)).find((text) => pattern.test(text))
    if (found !== undefined) return found
    await wait('1h')
  }
  throw new Error('nobody answered')
}
