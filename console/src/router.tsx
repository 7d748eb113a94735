import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
} from '@tanstack/react-router'
import { Broken } from './frame/broken.tsx'
import { Frame } from './frame/frame.tsx'
import { Lost } from './frame/lost.tsx'
import { parseSearch, readSearch, stringifySearch } from './search.ts'

const root = createRootRoute({ component: Frame, validateSearch: readSearch, notFoundComponent: Lost })
const at = <P extends string>(path: P) => ({ getParentRoute: () => root, path }) as const

/** A page of the console: its address, and the module that is loaded when somebody goes there. */
const page = <P extends string>(path: P, component: AsyncRouteComponent<Record<string, unknown>>) =>
  createRoute({ ...at(path), component })

const home = createRoute({
  ...at('/'),
  beforeLoad: () => {
    throw redirect({ to: '/worlds' })
  },
})
const world = createRoute({
  ...at('/worlds/$worldId'),
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/worlds/$worldId/$tab', params: { ...params, tab: 'story' } })
  },
})

/** Every page has one line here; one that the navigation leads to has a second in `frame/places.ts`. */
const routeTree = root.addChildren([
  home,
  world,
  page(
    '/worlds',
    lazy(() => import('./worlds/worlds-page.tsx'), 'WorldsPage'),
  ),
  page(
    '/worlds/new',
    lazy(() => import('./worlds/blueprint/new-world-page.tsx'), 'NewWorldPage'),
  ),
  page(
    '/worlds/$worldId/$tab',
    lazy(() => import('./worlds/world-page.tsx'), 'WorldPage'),
  ),
  page(
    '/evaluations',
    lazy(() => import('./evaluations/runs-page.tsx'), 'RunsPage'),
  ),
  page(
    '/evaluations/new',
    lazy(() => import('./evaluations/new-run-page.tsx'), 'NewRunPage'),
  ),
  page(
    '/evaluations/$jobId',
    lazy(() => import('./evaluations/run-page.tsx'), 'RunPage'),
  ),
  page(
    '/evaluations/$jobId/trials/$trialId',
    lazy(() => import('./evaluations/trial/trial-page.tsx'), 'TrialPage'),
  ),
  page(
    '/suites',
    lazy(() => import('./suites/suites-page.tsx'), 'SuitesPage'),
  ),
  page(
    '/suites/$suiteId',
    lazy(() => import('./suites/suite-page.tsx'), 'SuitePage'),
  ),
  page(
    '/scorers/$scorerId',
    lazy(() => import('./suites/scorer/scorer-page.tsx'), 'ScorerPage'),
  ),
  page(
    '/agents',
    lazy(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
  ),
  page(
    '/agents/$name',
    lazy(() => import('./agents/agent-page.tsx'), 'AgentPage'),
  ),
  page(
    '/agents/$name/chat/$sessionId',
    lazy(() => import('./agents/chat-page.tsx'), 'ChatPage'),
  ),
  page(
    '/telemetry',
    lazy(() => import('./telemetry/telemetry-page.tsx'), 'TelemetryPage'),
  ),
  page(
    '/telemetry/traces/$traceId',
    lazy(() => import('./telemetry/trace-page.tsx'), 'TracePage'),
  ),
  page(
    '/telemetry/entities/$type/$id',
    lazy(() => import('./telemetry/entity-page.tsx'), 'EntityPage'),
  ),
  page(
    '/settings',
    lazy(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
  ),
])

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
