import type { AgentVersion } from '@diorama/contract'
import { useAsk } from '../ask.ts'
import { FieldDiff } from '../parts/differences/field-diff.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'

const content = ({ instructions, model, tools, run, files, framework, bundle }: AgentVersion) => ({
  instructions,
  framework,
  model,
  tools,
  run,
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`file ${path}`, text])),
  bundle,
})

/** A version's content, and what differs from the one before. */
export const VersionDiff = ({ name, a, b }: { name: string; a: string | undefined; b: string }) => {
  const before = useAsk('readAgentVersion', { params: { name, version: a ?? '' } }, { when: a !== undefined })
  const after = useAsk('readAgentVersion', { params: { name, version: b } })
  if (after.error) return <Failure error={after.error} />
  if (!after.data || (a !== undefined && !before.data)) return <Skeleton rows={4} />
  return <FieldDiff before={before.data ? content(before.data) : null} after={content(after.data)} />
}
