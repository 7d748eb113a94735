import type { Page } from 'playwright-core'
import { eventually } from '../test/eventually.ts'
import { barriers, furnish, keepPicture, type Visit } from './testing.ts'
import { openChat } from './testing-chat.ts'

const looks = {
  light: { width: 1440, height: 900, colorScheme: 'light' },
  dark: { width: 1440, height: 900, colorScheme: 'dark' },
  phone: { width: 360, height: 740, colorScheme: 'light' },
  phoneDark: { width: 360, height: 740, colorScheme: 'dark' },
  wide: { width: 3840, height: 2160, colorScheme: 'light' },
} as const
export type Look = keyof typeof looks

const sampleEvent = { source: 'shop', topic: 'orders', event_type: 'moved', entities: { order: '7002' } }

const tabs = [
  ...['story', 'chat', 'tracker?record=drift', 'crm', 'erp', 'ledger', 'deliveries', 'diff', 'connect'],
  ...['crm?record=calder-drift-case', 'erp?record=so-calder-spares', 'chat?record=calder-report'],
]

const telemetryPages = [
  '/docs',
  '/telemetry',
  '/telemetry?tab=traces',
  '/telemetry?tab=search',
  '/telemetry/traces/t1',
  '/telemetry/entities/order/7002',
]

const formPages = ['/worlds/new', '/worlds/new?view=form', '/agents/new']

/** What a new installation shows, before there is anything. */
export const emptyPages = ['/worlds', '/datasets', '/evaluations', '/suites', '/agents', '/telemetry']

type Furnished = Awaited<ReturnType<typeof furnish>>

/** One change and one refusal, so that the diff and the ledger have something to show. */
const changeSomething = async (twin: Furnished['twin']): Promise<void> => {
  const chat = openChat(twin('chat'))
  await chat.ask('chat.postMessage', { channel: 'orders', text: 'The probes leave on *Friday*. :eyes:' })
  await chat.ask('chat.postMessage', { channel: 'no-such-channel', text: 'Hello?' })
  const { baseUrl, token } = twin('crm')
  const api = `${baseUrl}/services/data/v60.0`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const query = encodeURIComponent("SELECT Id FROM Case WHERE CaseNumber = '00001001'")
  const { records } = await (await fetch(`${api}/query?q=${query}`, { headers })).json()
  await fetch(`${api}/sobjects/Case/${records[0].Id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ Status: 'Escalated', Priority: 'Medium' }),
  })
}

/** The pages of datasets; the world is kept as one, with rows to browse. */
const datasetPages = async ({ call }: Visit['service'], worldId: string): Promise<string[]> => {
  const { body: kept } = await call('POST', `/v1/builder/worlds/${worldId}/snapshots`, { name: 'Kept' })
  return ['/datasets', '/datasets/new', `/datasets/${kept.id}`]
}

/** A company, a finished comparison and some telemetry: every page has something to show. */
export const everyPage = async ({ service }: Visit) => {
  const { worldId, suiteId, twin } = await furnish(service)
  const { call } = service
  const { body: alone } = await call('POST', '/v1/twins', { service: 'chat' })
  await changeSomething(twin)
  await call('POST', '/v1/events', sampleEvent)
  await call('POST', '/v1/traces/track', {
    trace_id: 't1',
    spans: [{ span_id: 's1', name: 'work', duration_ms: 20 }],
  })
  const agents = ['careless@1.0.0', 'careful@1.0.0']
  const { body: job } = await call('POST', '/v1/backtests/jobs', {
    task_suite_id: suiteId,
    agents,
    mode: 'compare',
  })
  await eventually(
    async () => (await call('GET', `/v1/backtests/jobs/${job.id}`)).body.finished_at !== null,
    'the evaluation did not finish',
  )
  const { body: trials } = await call('GET', `/v1/backtests/jobs/${job.id}/trials`)
  const ended = (wanted: boolean) =>
    trials.items.find(({ passed }: { passed: boolean | null }) => passed === wanted)
  const [failed, passed] = [ended(false), ended(true)]
  const { body: tasks } = await call('GET', `/v1/task-suites/${suiteId}/tasks`)
  const [task] = tasks.items
  const run = `/evaluations/${job.id}`
  const world = `/worlds/${worldId}`
  const pages = [
    ...[
      '/worlds',
      ...formPages,
      '/worlds/wld_none/story',
      '/nowhere/at/all',
      ...['records', 'ledger', 'diff', 'connect'].map((tab) => `/twins/${alone.id}/${tab}`),
      ...tabs.map((tab) => `${world}/${tab}`),
    ],
    ...[
      '/evaluations',
      `/evaluations/new?suite=${suiteId}`,
      run,
      `${run}/benchmark`,
      `${run}?open=${failed.id}`,
      `${run}?edit=rescore`,
      `${run}/trials/${failed.id}`,
      `${run}/trials/${failed.id}?tab=diff`,
      `/evaluations/compare?a=${job.id}&b=${job.id}`,
      `/evaluations/compare/trials?a=${job.id}/${failed.id}&b=${job.id}/${passed.id}`,
    ],
    ...[
      '/suites',
      '/suites?edit=new',
      '/suites?edit=ready',
      `/suites/${suiteId}`,
      `/suites/${suiteId}?edit=new`,
    ],
    ...[`/suites/${suiteId}?edit=trace`, `/suites/${suiteId}?edit=${task.id}`],
    ...['/scorers/new', `/scorers/${task.scorers[0].scorer_id}`],
    ...['/agents', '/agents/careful', '/agents/careful?edit=chat', '/agents/careful?b=1.0.0', '/settings'],
    ...telemetryPages,
    ...(await datasetPages(service, worldId)),
  ]
  const nameOf = (path: string) =>
    path.replaceAll(/(wld|ste|job|trl|scr|tsk|twn|dsv)_(?!none)\w+/g, '$1').replaceAll(/\W+/g, '-')
  return { pages, nameOf }
}

/** Waits until a page shows what it is about. */
export const settled = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.querySelector('main') && !document.querySelector('.skeleton'))
  // Names of records and charts arrive after the page itself. A page with a stream never falls silent.
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined)
}

/** Colours that are still on their way from one theme to the other belong to neither. */
export const endTransitions = (): void => {
  for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish()
}

/** What does not fit its screen: small letters on a wide one, cells without label on a narrow one, cut off commands. */
const misfits = (): string[] => {
  const letters = Number.parseFloat(getComputedStyle(document.body).fontSize)
  const cells = [...document.querySelectorAll('.table:not(.matrix) td[data-label]:not(:empty)')]
  const lost = cells.filter((cell) => getComputedStyle(cell, '::before').content === 'none')
  const cut = [...document.querySelectorAll('.empty *')].filter(
    (part) => part.getBoundingClientRect().right > innerWidth,
  )
  return [
    ...(cut.length > 0 ? ['is empty and cut off'] : []),
    ...(innerWidth > 3_000 && letters < 18 ? [`has letters of ${letters} pixels`] : []),
    ...(innerWidth < 720 && lost.length > 0 ? [`has ${lost.length} cells without a label`] : []),
  ]
}

/** Looks at every page in these ways: what is cut off and, where it is scanned, what keeps people out. */
export const faultsOfPages = async (
  seen: Visit,
  wanted: readonly Look[],
  scanned: readonly Look[] = wanted,
): Promise<string[]> => faultsOf(seen, await everyPage(seen), { wanted, scanned })

/** The same of a new installation, before there is anything. */
export const faultsOfEmptyPages = (seen: Visit, wanted: readonly Look[]): Promise<string[]> => {
  const nameOf = (path: string) => path.replace('/', '-empty-')
  return faultsOf(seen, { pages: emptyPages, nameOf }, { wanted, scanned: wanted })
}

interface Pages {
  readonly pages: readonly string[]
  readonly nameOf: (path: string) => string
}

const faultsOf = async (
  { page, service }: Visit,
  { pages, nameOf }: Pages,
  { wanted, scanned }: { readonly wanted: readonly Look[]; readonly scanned: readonly Look[] },
): Promise<string[]> => {
  const faults: string[] = []
  for (const path of pages) {
    await page.goto(service.baseUrl + path)
    await settled(page)
    for (const name of wanted) {
      const { width, height, colorScheme } = looks[name]
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await page.evaluate(endTransitions)
      if (scanned.includes(name))
        for (const barrier of await barriers(page)) faults.push(`${name} ${path} ${barrier}`)
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1))
        faults.push(`${name} ${path} is wider than the screen`)
      for (const fault of await page.evaluate(misfits)) faults.push(`${name} ${path} ${fault}`)
      await keepPicture(page, `${name}${nameOf(path)}`)
    }
  }
  return faults
}
