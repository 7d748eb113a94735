import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, type TrackerCall } from '../../context.ts'
import type { EntityRow, TeamRow } from '../../rows.ts'
import { isMember } from '../../rules/access.ts'
import { inputError } from '../../shapes/refusals.ts'
import { iso } from '../../values/times.ts'
import { changeRecord, type Input, recordInput } from '../records.ts'

/** The template that a new issue begins with: the one named, or the team's default when that is asked for. */
export const issueTemplate = (call: TrackerCall, input: Input, team: TeamRow): EntityRow | undefined =>
  chosenTemplate(call, {
    input,
    kind: 'issue',
    fallback: isMember(call, team.id)
      ? team.defaultTemplateForMembersId
      : team.defaultTemplateForNonMembersId,
  })

/** A template named by id comes before the default of the team. */
export const chosenTemplate = (
  call: TrackerCall,
  { input, kind, fallback }: { input: Input; kind: 'issue' | 'project'; fallback: unknown },
): EntityRow | undefined => {
  const id = input.templateId ?? (input.useDefaultTemplate === true ? fallback : undefined)
  const template = find(call, 'Template', id)
  if (template && template.type !== kind)
    throw inputError('Invalid template', `The template '${template.name}' is not for ${kind}s.`)
  return template
}

/** What the template fills in, under what the caller set; the template remembers that it was applied. */
export const withTemplate = (call: TrackerCall, input: Input, template: EntityRow | undefined): Input => {
  if (!template) return input
  changeRecord(call, 'Template', template, { lastAppliedAt: iso(call.now) })
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  return { ...filled(template.templateData), ...given, lastAppliedTemplateId: template.id }
}

const filled = (data: unknown): Row => {
  if (typeof data !== 'string') return recordInput(data)
  try {
    return recordInput(JSON.parse(data))
  } catch {
    return {}
  }
}
