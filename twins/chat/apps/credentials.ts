import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, type Principal } from '@diorama/twin-kit/kernel/twin'

/** What an app proves itself with. Made of the bot's token, which they do not give away. */
export interface AppCredentials {
  readonly client_id: string
  readonly client_secret: string
  readonly signing_secret: string
  readonly verification_token: string
  readonly app_token: string
}

export const credentialsOf = (
  appId: string,
  principals: readonly Principal[],
  own?: string,
): AppCredentials => {
  const token = principals.find(({ subject }) => subject === integration)?.token ?? ''
  const secret = (name: string) => sha256(`${name} of ${appId}: ${token}`)
  const digits = (name: string) => String(BigInt(`0x${secret(name).slice(0, 12)}`) + 1_000_000_000_000n)
  return {
    client_id: `${digits('client team')}.${digits('client id')}`,
    client_secret: secret('client secret').slice(0, 32),
    signing_secret: own ?? secret('signing secret').slice(0, 32),
    verification_token: secret('verification token').slice(0, 24),
    app_token: `xapp-1-${appId}-${digits('app token')}-${secret('app token')}`,
  }
}
