import { type Authenticator, openAuthenticator } from '../auth/authenticate.ts'
import { bootstrap } from '../auth/bootstrap.ts'
import { type KeyWatch, openKeyWatch } from '../auth/key-watch.ts'
import { type OrganizationLimits, openOrganizationLimits } from '../auth/organization-limits.ts'
import { type Organizations, openOrganizations } from '../auth/organizations.ts'
import { type AuthStore, authStore } from '../auth/store.ts'
import type { Config } from '../config.ts'
import { type Idempotency, openIdempotency } from '../http/idempotency/idempotency.ts'
import type { Log } from '../storage/log.ts'
import { openSealing } from '../storage/secrets/encryption-keys.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'

export interface AccessDeps {
  readonly config: Config
  readonly storage: Storage
  readonly log: Log
  readonly holder: string
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

export interface Access {
  readonly store: AuthStore
  readonly organizations: Organizations
  readonly authenticator: Authenticator
  readonly keyWatch: KeyWatch
  readonly limits: OrganizationLimits
  readonly idempotency: Idempotency
  readonly sealing: Sealing
  /** The first key, when this start made it up. */
  readonly firstKey: string | undefined
}

/** Who may call: organizations, keys, and on an empty database the first of both. */
export const composeAccess = async ({
  config,
  storage,
  log,
  holder,
  now,
  random,
}: AccessDeps): Promise<Access> => {
  const { makeId, wake, leases } = storage
  const store = authStore(storage)
  const organizations = openOrganizations({ store, wake, now, random, makeId })
  const authenticator = openAuthenticator({ store, wake, now })
  const keyWatch = openKeyWatch({ isValid: authenticator.isValid, wake, log })
  const limits = openOrganizationLimits({ store, wake })
  const idempotency = openIdempotency({ storage, random, now })
  const { dataDir, apiKey, encryptionKeys } = config
  const sealing = await openSealing({ db: storage.db, configured: encryptionKeys, dataDir, random })
  const firstKey = await bootstrap({ store, organizations, leases, holder, dataDir, apiKey })
  return { store, organizations, authenticator, keyWatch, limits, idempotency, sealing, firstKey }
}
