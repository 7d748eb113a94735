import type { ReactNode } from 'react'

const marks = /\*\*([^*\n]+)\*\*|`([^`\n]+)`/g

const inline = (line: string): ReactNode[] => {
  const parts: ReactNode[] = []
  let from = 0
  for (const match of line.matchAll(marks)) {
    parts.push(line.slice(from, match.index))
    const [whole, stress, code] = match
    parts.push(
      code === undefined ? (
        <strong key={match.index}>{stress}</strong>
      ) : (
        <code key={match.index}>{code}</code>
      ),
    )
    from = match.index + whole.length
  }
  return [...parts, line.slice(from)]
}

/** What people write in Markdown most: paragraphs, lists, stress and code. The rest is shown as it was written. */
export const Markdown = ({ text }: { text: string }) => (
  <div className="prose">
    {text.split('\n').map((line, index) => {
      const item = /^\s*[-*] (.*)$/.exec(line)
      const key = `${index}:${line}`
      return item ? (
        <p key={key} className="bullet">
          {inline(item[1] ?? '')}
        </p>
      ) : (
        <p key={key}>{inline(line.replace(/^#+ /, ''))}&nbsp;</p>
      )
    })}
  </div>
)
