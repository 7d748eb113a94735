import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'

const plugins = [remarkGfm]

/** Markdown as people write it. HTML in it is shown as text, and only safe addresses become links. */
export const Markdown = ({ text }: { text: string }) => (
  <div className="prose markdown">
    <ReactMarkdown
      remarkPlugins={plugins}
      components={{
        a: ({ href, children }) => (
          <a href={href} rel="noreferrer noopener" target="_blank">
            {children}
          </a>
        ),
        img: ({ alt }) => <span>{alt}</span>,
      }}
    >
      {text}
    </ReactMarkdown>
  </div>
)
