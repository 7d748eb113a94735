import type { ReactNode } from 'react'

/** A table that may be wider than the screen: it scrolls on its own, by keyboard as well. */
export const TableScroll = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
  <section className="table-scroll" tabIndex={0} aria-label={label}>
    {children}
  </section>
)
