import type { Span } from '@diorama/contract'

export type FlatSpan = Omit<Span, 'depth' | 'child_span_ids' | 'parent_missing'>

/**
 * Puts spans in the order of their tree, depth first and each level by time. A span whose parent is not there stands
 * among the roots and says so; where parents form a ring, the span that started first is taken as its root.
 */
export const treeOf = (spans: readonly FlatSpan[]): { spans: Span[]; roots: string[] } => {
  const ordered = [...spans].sort(byStart)
  const known = new Map(ordered.map((span) => [span.span_id, span]))
  const children = Map.groupBy(ordered, (span) =>
    span.parent_span_id !== null && known.has(span.parent_span_id) ? span.parent_span_id : '',
  )
  const placed = new Set<string>()
  const out: Span[] = []
  const roots: string[] = []

  const place = (root: FlatSpan) => {
    roots.push(root.span_id)
    const stack = [{ span: root, depth: 0 }]
    placed.add(root.span_id)
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { span, depth } = next
      const below = (children.get(span.span_id) ?? []).filter(({ span_id }) => !placed.has(span_id))
      for (const child of below) placed.add(child.span_id)
      out.push({
        ...span,
        depth,
        child_span_ids: below.map(({ span_id }) => span_id),
        parent_missing: span.parent_span_id !== null && !known.has(span.parent_span_id),
      })
      for (const child of below.toReversed()) stack.push({ span: child, depth: depth + 1 })
    }
  }

  for (const root of children.get('') ?? []) place(root)
  for (const span of ordered) if (!placed.has(span.span_id)) place(span)
  return { spans: out, roots }
}

const byStart = (a: FlatSpan, b: FlatSpan): number =>
  a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : a.id < b.id ? -1 : 1
