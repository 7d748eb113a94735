type Args = Readonly<Record<string, unknown>>

/** What a method that is not emulated answers, by its own documented errors. */
interface NativeError {
  /** Whether it needs no credential: the arguments carry one. */
  readonly isOpen?: boolean
  readonly error: (args: Args) => string
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

const grants = new Set(['authorization_code', 'refresh_token'])

/** No app is registered with the twin, so that no client is known. */
const oauth: NativeError = {
  isOpen: true,
  error: ({ grant_type }) =>
    isMissing(grant_type) || grants.has(String(grant_type)) ? 'invalid_client_id' : 'invalid_grant_type',
}

/** Triggers come from people who press buttons, which nobody does in a twin. */
const trigger: NativeError = { error: () => 'invalid_trigger_id' }
const notEnterprise: NativeError = { error: () => 'not_an_enterprise' }
const noExecution: NativeError = { error: () => 'function_execution_not_found' }

export const nativeErrors: Readonly<Record<string, NativeError>> = {
  'oauth.access': { isOpen: true, error: () => 'invalid_client_id' },
  'oauth.v2.user.access': oauth,
  'tooling.tokens.rotate': { isOpen: true, error: () => 'invalid_refresh_token' },
  'dialog.open': {
    error: ({ trigger_id, dialog }) =>
      isMissing(dialog) ? 'missing_dialog' : isMissing(trigger_id) ? 'missing_trigger' : 'invalid_trigger',
  },
  'entity.presentDetails': trigger,
  'entity.presentComments': trigger,
  'functions.completeError': noExecution,
  'functions.completeSuccess': noExecution,
  'migration.exchange': { error: () => 'not_enterprise_team' },
  'users.discoverableContacts.lookup': notEnterprise,
  'files.comments.delete': { error: () => 'cant_delete' },
}
