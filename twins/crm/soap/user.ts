import type { Session } from '@diorama/twin-kit/kernel/twin'
import { organizationId } from '../actor.ts'
import { str } from '../records/writing.ts'
import type { CrmTables } from '../tables.ts'

/** Who is calling, in this protocol's words. */
export const userInfoOf = (session: Session<CrmTables>, userId: string): Record<string, unknown> => {
  const user = session.views.User?.get(userId)
  const organization = session.views.Organization?.get(organizationId(session.views))
  return {
    accessibilityMode: false,
    currencySymbol: '$',
    orgAttachmentFileSizeLimit: 26_214_400,
    orgDefaultCurrencyIsoCode: 'USD',
    orgDefaultCurrencyLocale: 'en_US',
    orgDisallowHtmlAttachments: false,
    orgHasPersonAccounts: false,
    organizationId: organizationId(session.views),
    organizationMultiCurrency: false,
    organizationName: str(organization, 'Name') ?? '',
    profileId: str(user, 'ProfileId') ?? '',
    roleId: str(user, 'UserRoleId') ?? null,
    sessionSecondsValid: 7_200,
    userDefaultCurrencyIsoCode: null,
    userEmail: str(user, 'Email') ?? '',
    userFullName: str(user, 'Name') ?? '',
    userId,
    userLanguage: 'en_US',
    userLocale: 'en_US',
    userName: str(user, 'Username') ?? '',
    userTimeZone: str(user, 'TimeZoneSidKey') ?? 'GMT',
    userType: 'Standard',
    userUiSkin: 'Theme3',
  }
}
