import { abilitiesOf, appUser, clientIdOf } from '../oauth/installed.ts'
import { minute } from '../values/times.ts'
import { type SeedContext, stamps } from './context.ts'

/** Applications that are installed from the start, each with its account. */
export const seedApps = ({ seeding, section, company, start, id }: SeedContext): void => {
  const { slug, name: developer } = company.organization
  section.apps?.forEach((app, n) => {
    const at = start + (n + 1) * 30 * minute
    const appId = id('OAuthApplication', app.key)
    const clientId = clientIdOf(slug, app.key)
    const userId = id('User', `app:${app.key}`)
    const scopes = [...new Set(['read', ...app.scopes])]
    seeding.insert('OAuthApplication', {
      id: appId,
      ...stamps(at),
      key: app.key,
      clientId,
      name: app.name,
      description: app.description || null,
      developer,
      developerUrl: '',
      imageUrl: null,
      distribution: 'private',
      redirectUris: app.redirectUris,
      grantTypes: [...new Set(['authorization_code', ...app.grantTypes])],
      webhookUrl: app.webhookUrl,
      webhookEnabled: app.webhookUrl !== null,
      webhookResourceTypes: app.webhookResourceTypes,
      scopes,
      appUserId: userId,
      managerId: null,
      secretVersion: 0,
      webhookSecretVersion: 0,
    })
    seeding.key('OAuthApplication', app.key, appId)
    seeding.insert('User', {
      id: userId,
      ...stamps(at),
      ...appUser({ id: appId, clientId, name: app.name, key: app.key }),
      ...abilitiesOf(scopes),
    })
  })
}
