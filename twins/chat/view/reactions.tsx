import type { Chat, Message } from './read-chat.ts'

const faces: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  thumbsup: '👍',
  thumbsdown: '👎',
  100: '💯',
  bulb: '💡',
  calendar: '📅',
  clap: '👏',
  cry: '😢',
  eyes: '👀',
  fire: '🔥',
  hand: '✋',
  heart: '❤️',
  heavy_check_mark: '✔️',
  hourglass: '⌛',
  joy: '😂',
  muscle: '💪',
  ok_hand: '👌',
  package: '📦',
  point_up: '☝️',
  pray: '🙏',
  question: '❓',
  raised_hands: '🙌',
  rocket: '🚀',
  rotating_light: '🚨',
  slightly_smiling_face: '🙂',
  smile: '😄',
  sob: '😭',
  tada: '🎉',
  thinking_face: '🤔',
  truck: '🚚',
  warning: '⚠️',
  wave: '👋',
  white_check_mark: '✅',
  x: '❌',
}

/** Machines without a font for faces show empty boxes; where a face draws no colour its name is shown instead. */
const drawsFaces = ((): boolean => {
  const canvas = document.createElement('canvas')
  canvas.width = 16
  canvas.height = 16
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (!pen) return false
  pen.font = '14px sans-serif'
  pen.fillText('👍', 0, 13)
  const { data } = pen.getImageData(0, 0, 16, 16)
  for (let at = 0; at < data.length; at += 4) if (data[at] !== data[at + 2]) return true
  return false
})()

const faceOf = (name: string): string => (drawsFaces ? (faces[name] ?? `:${name}:`) : `:${name}:`)

/** Who reacted how; the names come up on a hover. */
export const Reactions = ({ message, chat }: { message: Message; chat: Chat }) =>
  message.reactions.map(({ name, count, users }) => {
    const who = users.map((user) => chat.names.get(user) ?? user).join(', ')
    return (
      <span key={name} className="reaction" title={`${who}: ${name.replaceAll('_', ' ')}`}>
        <span aria-hidden="true">
          {faceOf(name)} {count}
        </span>
        <span className="unseen">
          {name.replaceAll('_', ' ')} from {who}
        </span>
      </span>
    )
  })
