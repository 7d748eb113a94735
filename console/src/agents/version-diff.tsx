import type { AgentVersion } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import { useAsk } from '../ask.ts'
import { FieldDiff } from '../parts/differences/field-diff.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { fieldLabel } from '../worlds/records/record-name.ts'

const commandText = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : command.join(' ')

const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0)

/** How a version is started, one line for each setting, by the names of the registration form. */
const runLines = ({ command, timeout_seconds, network, ...more }: NonNullable<AgentVersion['run']>) => ({
  ...(command === undefined ? {} : { Command: commandText(command) }),
  'Time limit': `${timeout_seconds} s`,
  Network: network === 'world' ? 'the services of its world' : 'none',
  ...Object.fromEntries(
    Object.entries(more)
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => [fieldLabel(name), value]),
  ),
})

const content = ({ instructions, model, tools, run, files, framework, bundle }: AgentVersion) => ({
  Instructions: instructions,
  Framework: framework,
  Model: model && `${model.provider}/${model.id}`,
  Tools: tools.map(({ name, description }) => (description ? `${name}: ${description}` : name)).join('\n'),
  ...(run ? runLines(run) : {}),
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`File ${path}`, text])),
  Bundle: bundle && bundle.sha256,
})

/** A version's content, and what differs from the one before. */
export const VersionDiff = ({ name, a, b }: { name: string; a: string | undefined; b: string }) => {
  const before = useAsk('readAgentVersion', { params: { name, version: a ?? '' } }, { when: a !== undefined })
  const after = useAsk('readAgentVersion', { params: { name, version: b } })
  if (after.error) return <Failure error={after.error} />
  if (!after.data || (a !== undefined && !before.data)) return <Skeleton rows={4} />
  return <FieldDiff before={before.data ? content(before.data) : null} after={content(after.data)} />
}
