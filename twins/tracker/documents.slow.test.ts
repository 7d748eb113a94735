import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { documentsOf, invalid, type SdkDocument } from './testing/documents.ts'

const older = (name: string): SdkDocument[] => {
  const load = createRequire(import.meta.url)
  return documentsOf(load(name).LinearDocument)
}

describe('documents of older versions of the vendor’s client', () => {
  it('validate in older versions, except what the service has since taken away', () => {
    assert.deepEqual(invalid(older('linear-sdk-75')), [
      'AsksWebSetting',
      'AsksWebSetting_IdentityProvider',
      'CreateAsksWebSettings',
      'InitiativeRelation',
      'IntegrationSalesforce',
      'UpdateAsksWebSettings',
      'UpdateInitiativeRelation',
    ])
    assert.deepEqual(invalid(older('linear-sdk-39')), [
      'ApiKeys',
      'ApplicationWithAuthorization',
      'InitiativeRelation',
      'VerifyGitHubEnterpriseServerInstallation',
      'UpdateCustomerNeed',
      'UpdateInitiativeRelation',
      'IntegrationGitHubEnterpriseServerConnect',
      'UserDemoteAdmin',
      'UserDemoteMember',
      'UserPromoteAdmin',
      'UserPromoteMember',
    ])
  })
})
