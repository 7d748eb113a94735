import { useEmoji, Value } from '@diorama/console/view-kit'
import type { ReactNode } from 'react'

const pattern = /<(@[^>|]+|#[^>|]+|![^>|]+|[^@#!>][^>|]*)(?:\|([^>]*))?>|`([^`\n]+)`|\*([^*\n]+)\*/g
const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }
const unescaped = (text: string) => text.replaceAll(/&(amp|lt|gt);/g, (entity) => entities[entity] ?? entity)

/** A message's text with its mentions, links, code and stress shown as people see them. */
export const ChatText = ({ text, names }: { text: string; names: ReadonlyMap<string, string> }) => {
  const { withEmoji } = useEmoji('chat')
  const plain = (part: string) => withEmoji(unescaped(part))
  const parts: ReactNode[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, target, label, code, stress] = match
    if (match.index > from) parts.push(plain(text.slice(from, match.index)))
    const key = match.index
    if (code !== undefined) parts.push(<code key={key}>{unescaped(code)}</code>)
    else if (stress !== undefined) parts.push(<strong key={key}>{plain(stress)}</strong>)
    else if (target?.startsWith('@'))
      parts.push(
        <span key={key} className="mention">
          @
          <Value text={target.slice(1)} known={label ?? names.get(target.slice(1)) ?? target.slice(1)} />
        </span>,
      )
    else if (target?.startsWith('#'))
      parts.push(
        <span key={key} className="mention">
          #<Value text={target.slice(1)} known={label ?? target.slice(1)} />
        </span>,
      )
    else if (target?.startsWith('!'))
      parts.push(
        <span key={key} className="mention">
          @{label ?? target.slice(1)}
        </span>,
      )
    else
      parts.push(
        <span key={key} className="chat-link">
          {plain(label ?? target ?? '')}
        </span>,
      )
    from = match.index + whole.length
  }
  parts.push(plain(text.slice(from)))
  return <span className="chat-text">{parts}</span>
}
