import { useEmoji } from '@diorama/console/view-kit'
import type { Chat, Message } from './read-chat.ts'

/** Who reacted how; the names come up on a hover. */
export const Reactions = ({ message, chat }: { message: Message; chat: Chat }) => {
  const { emojiOf } = useEmoji('chat')
  return message.reactions.map(({ name, count, users }) => {
    const who = users.map((user) => chat.names.get(user) ?? user).join(', ')
    return (
      <span key={name} className="reaction" title={`${who}: ${name.replaceAll('_', ' ')}`}>
        <span aria-hidden="true">
          {emojiOf(name)} {count}
        </span>
        <span className="unseen">
          {name.replaceAll('_', ' ')} from {who}
        </span>
      </span>
    )
  })
}
