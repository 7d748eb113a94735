import { type SeedContext, stamps } from './context.ts'

export const seedLabel = (
  { seeding, id, userId, company }: SeedContext,
  label: { team: string; teamId: string; name: string; color: string; at: number },
): string => {
  const labelId = id('IssueLabel', label.team, label.name)
  seeding.insert('IssueLabel', {
    id: labelId,
    ...stamps(label.at),
    name: label.name,
    color: label.color,
    description: null,
    isGroup: false,
    teamId: label.teamId,
    parentId: null,
    creatorId: userId(company.apiOwner.handle),
  })
  return labelId
}
