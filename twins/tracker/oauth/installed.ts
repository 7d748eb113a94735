import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, type Principal } from '@diorama/twin-kit/kernel/twin'
import { slug } from '../values/text.ts'

/** The client id of an application that a blueprint describes: the same in every copy of the world. */
export const clientIdOf = (workspace: string, key: string): string =>
  sha256(JSON.stringify(['client id', workspace, key])).slice(0, 32)

/**
 * Secrets of applications are made from the twin's own token, which is a secret, so that a copy of
 * the world has other secrets and none of them is kept.
 */
export const secretOf = (
  principals: readonly Principal[],
  kind: 'client' | 'webhook',
  { clientId, version }: { clientId: string; version: number },
): string => {
  const token = principals.find(({ subject }) => subject === integration)?.token ?? ''
  const secret = sha256(JSON.stringify([token, kind, clientId, version]))
  return kind === 'client' ? secret.slice(0, 32) : `lin_wh_${secret.slice(0, 40)}`
}

/** An application's account, whether it is seeded or installed later. */
export const appUser = ({
  id,
  clientId,
  name,
  key,
}: {
  id: string
  clientId: string
  name: string
  key?: unknown
}) => ({
  name,
  displayName: slug(name).replaceAll('-', ''),
  handle: `app:${typeof key === 'string' ? key : clientId}`,
  email: `${id}@oauthapp.linear.app`,
  description: null,
  timezone: null,
  active: true,
  admin: false,
  owner: false,
  guest: false,
  avatarUrl: null,
  app: true,
  oauthClientId: id,
})

export const abilitiesOf = (scopes: readonly string[]) => ({
  isAssignable: scopes.includes('app:assignable'),
  isMentionable: scopes.includes('app:mentionable'),
  supportsAgentSessions: scopes.includes('app:assignable') || scopes.includes('app:mentionable'),
})
