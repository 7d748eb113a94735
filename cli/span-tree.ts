import type { Reply } from '@diorama/sdk/index.ts'
import { plain } from './table.ts'
import type { Paint } from './terminal.ts'

type Trace = Reply<'readTrace'>
type Span = Trace['spans'][number]

const duration = (ms: number | null): string =>
  ms === null ? '' : ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${Math.round(ms)} ms`

/** A trace as a tree: spans come depth first, so that each line follows its parent's. */
export const spanTree = (trace: Trace, paint: Paint): string => {
  const { totals } = trace
  const head = `${paint('bold', plain(trace.name))}  ${trace.traceId}  ${duration(trace.durationMs)}`
  const counts = `${totals.spans} spans, ${totals.errors} errors, ${totals.modelCalls} model calls, ${totals.toolCalls} tool calls, ${totals.inputTokens} tokens in, ${totals.outputTokens} out`
  const lastChild = new Set(
    [
      ...Map.groupBy(trace.spans, ({ parentSpanId, parentMissing }) =>
        parentMissing ? '' : (parentSpanId ?? ''),
      ).values(),
    ].flatMap((siblings) => siblings.at(-1)?.spanId ?? []),
  )
  // Whether each ancestor of the line has more children to come decides the rails that run past it.
  const ends: boolean[] = []
  const lines = trace.spans.map((span) => {
    const isLast = lastChild.has(span.spanId)
    const rails = ends
      .slice(0, span.depth)
      .map((end) => (end ? '   ' : '│  '))
      .join('')
    ends[span.depth] = isLast
    return `${paint('dim', rails + (isLast ? '└─ ' : '├─ '))}${spanText(span, paint)}`
  })
  const more = trace.truncated ? [paint('yellow', 'There are more spans than are shown.')] : []
  return [head, paint('dim', counts), ...lines, ...more].join('\n')
}

const spanText = ({ name, status, statusMessage, durationMs, genAi }: Span, paint: Paint): string => {
  const failed = /error|fail/i.test(status ?? '')
  const about = [
    genAi?.model,
    genAi?.toolName && `tool ${genAi.toolName}`,
    genAi?.inputTokens != null && `${genAi.inputTokens}→${genAi.outputTokens ?? 0} tokens`,
  ].filter(Boolean)
  return [
    failed ? paint('red', plain(name)) : plain(name),
    paint('dim', duration(durationMs)),
    ...(about.length > 0 ? [paint('cyan', plain(about.join(' ')))] : []),
    ...(failed ? [paint('red', plain(statusMessage ?? status ?? ''))] : []),
  ].join('  ')
}
