import type { ModelCallDetail, TrialDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { type DiffLine, lineDiff } from '../../parts/differences/line-diff.ts'
import { Answered } from '../../parts/states.tsx'
import { plural } from '../../words.ts'
import { stepWord } from '../trial/steps.ts'

const callIdsOf = ({ steps }: TrialDetail): readonly string[] =>
  steps.filter(({ kind }) => kind === 'model_call').map((step) => stepWord(step, 'call_id'))

const maxPairs = 50

/** What the two trials sent to models, call by call: only the lines that differ are shown. */
export const Prompts = ({ a, b }: { a: TrialDetail; b: TrialDetail }) => {
  const [first, second] = [callIdsOf(a), callIdsOf(b)]
  const pairs = Array.from({ length: Math.min(maxPairs, Math.max(first.length, second.length)) }, (_, n) => ({
    a: first[n] ?? '',
    b: second[n] ?? '',
  }))
  if (pairs.length === 0) return null
  return (
    <section className="section" aria-label="Prompts">
      <h2>
        Prompts{' '}
        <span className="quiet">
          {plural(first.length, 'model call')} and {plural(second.length, 'model call')}
        </span>
      </h2>
      {pairs.map((pair, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are paired by their place.
        <CallPair key={n} place={n + 1} {...pair} />
      ))}
    </section>
  )
}

const textOf = ({ messages, reply }: ModelCallDetail): string =>
  [
    ...messages.map(({ role, text, tool_calls = [] }) =>
      [`${role}:`, text, ...tool_calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)].join(
        '\n',
      ),
    ),
    [
      'reply:',
      reply.text,
      ...reply.tool_calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`),
    ].join('\n'),
  ].join('\n\n')

const useCall = (callId: string) =>
  useAsk('readModelCall', { params: { callId } }, { when: callId !== '', forever: true })

const CallPair = ({ place, a, b }: { place: number; a: string; b: string }) => {
  const [left, right] = [useCall(a), useCall(b)]
  const isThere = (id: string, data: ModelCallDetail | undefined) => id === '' || data !== undefined
  const both = {
    data: isThere(a, left.data) && isThere(b, right.data) ? { a: left.data, b: right.data } : undefined,
    error: left.error ?? right.error,
    refetch: () => [left.refetch(), right.refetch()],
  }
  return (
    <Answered asked={both} rows={2}>
      {(calls) => {
        const lines = lineDiff(calls.a ? textOf(calls.a) : '', calls.b ? textOf(calls.b) : '')
        const isSame = lines.every(({ kind }) => kind === 'same' || kind === 'gap')
        return (
          <details className="change" open={!isSame}>
            <summary>
              Call {place}: {calls.a?.model ?? 'none'} and {calls.b?.model ?? 'none'}
              {isSame ? ', the same' : ''}
            </summary>
            {isSame ? null : <Lines lines={lines} />}
          </details>
        )
      }}
    </Answered>
  )
}

const signs = { same: ' ', gone: '−', new: '+' } as const

const Lines = ({ lines }: { lines: readonly DiffLine[] }) => (
  <pre className="block wrap">
    {lines.map((line, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place.
      <span key={n} className={`line line-${line.kind}`}>
        {line.kind === 'gap'
          ? `… ${plural(line.count, 'line')} the same`
          : `${signs[line.kind]} ${line.text}`}
      </span>
    ))}
  </pre>
)
