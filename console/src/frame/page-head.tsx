import { type ReactNode, useEffect } from 'react'

/** A page's title, the way back, and what can be done here. */
export const PageHead = ({
  title,
  crumbs,
  children,
  facts,
}: {
  title: string
  crumbs?: ReactNode
  children?: ReactNode
  facts?: ReactNode
}) => {
  useEffect(() => {
    document.title = `${title} · Diorama`
  }, [title])
  return (
    <header className="page-head">
      <div className="page-title">
        {crumbs ? (
          <nav className="crumbs" aria-label="Breadcrumb">
            {crumbs}
          </nav>
        ) : null}
        <h1>{title}</h1>
        {facts ? <div className="facts">{facts}</div> : null}
      </div>
      {children ? <div className="page-actions">{children}</div> : null}
    </header>
  )
}
