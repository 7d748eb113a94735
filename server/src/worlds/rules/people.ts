import type { WorldBlueprint } from '@diorama/contract'
import { type Findings, unique } from '@diorama/twin-kit/kernel/findings'

export const checkPeople = ({ identities }: WorldBlueprint, findings: Findings): void => {
  unique(
    findings,
    identities.map(({ handle }, n) => ({ name: handle, pointer: `/identities/${n}/handle` })),
    'handle',
  )
  unique(
    findings,
    identities.map(({ emailLocalPart, handle }, n) => ({
      name: (emailLocalPart ?? handle).toLowerCase(),
      pointer: emailLocalPart === null ? `/identities/${n}/handle` : `/identities/${n}/emailLocalPart`,
    })),
    'e-mail name',
  )
  identities.forEach(({ handle }, n) => {
    if (handle === 'bot')
      findings.error(`/identities/${n}/handle`, 'cannot be "bot", which names the integration bot')
  })
  const owners = identities.flatMap(({ isApiOwner }, n) => (isApiOwner ? [n] : []))
  for (const n of owners.slice(1))
    findings.error(
      `/identities/${n}/isApiOwner`,
      `is set beside /identities/${owners[0]}/isApiOwner; exactly one identity owns the API`,
    )
}
