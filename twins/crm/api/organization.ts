import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { organizationId } from '../actor.ts'
import { nativeSecond } from '../dates.ts'
import { dailyRequests } from '../operations/metadata.ts'
import { str } from '../records/writing.ts'
import type { ApiCall, Body } from './context.ts'

/** How many calls the day has seen. Reads leave no trace in a twin, so the count goes by the clock instead. */
export const requestsUsed = (now: number): number => 1 + Math.floor((now % 86_400_000) / 60_000)

export const limitInfo = (now: number): string => `api-usage=${requestsUsed(now)}/${dailyRequests}`

const resourceNames = [
  'composite',
  'jobs',
  'limits',
  'parameterizedSearch',
  'query',
  'queryAll',
  'recent',
  'search',
  'sobjects',
  'tooling',
]

const resources = (api: ApiCall): RestReply => ({
  status: 200,
  body: {
    ...Object.fromEntries(resourceNames.map((name) => [name, `/services/data/v${api.version}/${name}`])),
    identity: identityUrl(
      api.session.baseUrl,
      organizationId(api.session.views),
      api.session.actor?.id ?? '',
    ),
  },
})

export const identityUrl = (baseUrl: string, organization: string, user: string): string =>
  `${baseUrl}/id/${organization}/${user}`

/** Who is calling, as both identity and userinfo tell it. */
export const identityOf = (
  api: { session: Pick<ApiCall['session'], 'baseUrl' | 'views' | 'now'> },
  userId: string,
): Body => {
  const { baseUrl, views, now } = api.session
  const organization = organizationId(views)
  const user = views.User?.get(userId)
  const data = `${baseUrl}/services/data/v{version}/`
  return {
    id: identityUrl(baseUrl, organization, userId),
    asserted_user: true,
    user_id: userId,
    organization_id: organization,
    username: str(user, 'Username') ?? '',
    nick_name: str(user, 'CommunityNickname') ?? str(user, 'Alias') ?? '',
    display_name: str(user, 'Name') ?? '',
    email: str(user, 'Email') ?? '',
    email_verified: true,
    first_name: str(user, 'FirstName') ?? null,
    last_name: str(user, 'LastName') ?? '',
    timezone: str(user, 'TimeZoneSidKey') ?? 'GMT',
    photos: {
      picture: `${baseUrl}/profilephoto/${userId}/F`,
      thumbnail: `${baseUrl}/profilephoto/${userId}/T`,
    },
    addr_street: null,
    addr_city: null,
    addr_state: null,
    addr_country: null,
    addr_zip: null,
    mobile_phone: null,
    mobile_phone_verified: false,
    is_lightning_login_user: false,
    status: { created_date: null, body: null },
    urls: {
      enterprise: `${baseUrl}/services/Soap/c/{version}/${organization}`,
      metadata: `${baseUrl}/services/Soap/m/{version}/${organization}`,
      partner: `${baseUrl}/services/Soap/u/{version}/${organization}`,
      rest: data,
      sobjects: `${data}sobjects/`,
      search: `${data}search/`,
      query: `${data}query/`,
      recent: `${data}recent/`,
      tooling_soap: `${baseUrl}/services/Soap/T/{version}/${organization}`,
      tooling_rest: `${data}tooling/`,
      profile: `${baseUrl}/${userId}`,
      feeds: `${data}chatter/feeds`,
      custom_domain: baseUrl,
    },
    active: user?.IsActive !== false,
    user_type: 'STANDARD',
    language: 'en_US',
    locale: 'en_US',
    utcOffset: 0,
    last_modified_date: str(user, 'LastModifiedDate') ?? nativeSecond(now),
    is_app_installed: true,
  }
}

export const organizationRoutes: readonly Route<ApiCall>[] = [
  { method: 'GET', path: '/', handle: (_params, api) => resources(api) },
  {
    method: 'GET',
    path: '/limits',
    handle: (_params, api) => ({
      status: 200,
      body: api.session.call('limits', { used: requestsUsed(api.session.now) }),
    }),
  },
  {
    method: 'GET',
    path: '/limits/recordCount',
    handle: (_params, api) => ({
      status: 200,
      body: api.session.call('recordCount', {
        objects: (api.query.get('sObjects') ?? '').split(',').filter((name) => name !== ''),
      }),
    }),
  },
  {
    method: 'GET',
    path: '/recent',
    handle: (_params, api) => {
      const limit = Number(api.query.get('limit') ?? 200)
      const rows = api.session.call<readonly Body[]>('recent', {
        limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, 2_000) : 200,
      })
      return {
        status: 200,
        body: rows.map(({ object, Id, Name }) => ({
          attributes: {
            type: object,
            url: `/services/data/v${api.version}/sobjects/${String(object)}/${String(Id)}`,
          },
          Id,
          Name,
        })),
      }
    },
  },
  {
    method: 'GET',
    path: '/tooling',
    handle: (_params, api) => ({
      status: 200,
      body: Object.fromEntries(
        ['query', 'sobjects'].map((name) => [name, `/services/data/v${api.version}/tooling/${name}/`]),
      ),
    }),
  },
  {
    method: 'GET',
    path: '/tooling/sobjects',
    handle: (_params, api) => ({
      status: 200,
      body: api.session.call('describeGlobal', { version: api.version }),
    }),
  },
  {
    method: 'GET',
    path: '/tooling/sobjects/:object/describe',
    handle: (params, api) => ({
      status: 200,
      body: api.session.call('describeSObject', { object: params('object'), version: api.version }),
    }),
  },
]
