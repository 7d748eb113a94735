import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { Broken } from './frame/broken.tsx'
import { Frame } from './frame/frame.tsx'
import { Lost } from './frame/lost.tsx'
import { parseSearch, readSearch, stringifySearch } from './search.ts'

const root = createRootRoute({ component: Frame, validateSearch: readSearch, notFoundComponent: Lost })
const page = <P extends string>(path: P) => ({ getParentRoute: () => root, path }) as const

const home = createRoute({
  ...page('/'),
  beforeLoad: () => {
    throw redirect({ to: '/worlds' })
  },
})
const worlds = createRoute({
  ...page('/worlds'),
  component: lazyRouteComponent(() => import('./worlds/worlds-page.tsx'), 'WorldsPage'),
})
const newWorld = createRoute({
  ...page('/worlds/new'),
  component: lazyRouteComponent(() => import('./worlds/blueprint/new-world-page.tsx'), 'NewWorldPage'),
})
const world = createRoute({
  ...page('/worlds/$worldId'),
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/worlds/$worldId/$tab', params: { ...params, tab: 'story' } })
  },
})
const worldTab = createRoute({
  ...page('/worlds/$worldId/$tab'),
  component: lazyRouteComponent(() => import('./worlds/world-page.tsx'), 'WorldPage'),
})
const evaluations = createRoute({
  ...page('/evaluations'),
  component: lazyRouteComponent(() => import('./evaluations/runs-page.tsx'), 'RunsPage'),
})
const newRun = createRoute({
  ...page('/evaluations/new'),
  component: lazyRouteComponent(() => import('./evaluations/new-run-page.tsx'), 'NewRunPage'),
})
const run = createRoute({
  ...page('/evaluations/$jobId'),
  component: lazyRouteComponent(() => import('./evaluations/run-page.tsx'), 'RunPage'),
})
const trial = createRoute({
  ...page('/evaluations/$jobId/trials/$trialId'),
  component: lazyRouteComponent(() => import('./evaluations/trial/trial-page.tsx'), 'TrialPage'),
})
const suites = createRoute({
  ...page('/suites'),
  component: lazyRouteComponent(() => import('./suites/suites-page.tsx'), 'SuitesPage'),
})
const suite = createRoute({
  ...page('/suites/$suiteId'),
  component: lazyRouteComponent(() => import('./suites/suite-page.tsx'), 'SuitePage'),
})
const scorer = createRoute({
  ...page('/scorers/$scorerId'),
  component: lazyRouteComponent(() => import('./suites/scorer/scorer-page.tsx'), 'ScorerPage'),
})
const agents = createRoute({
  ...page('/agents'),
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
})
const agent = createRoute({
  ...page('/agents/$name'),
  component: lazyRouteComponent(() => import('./agents/agent-page.tsx'), 'AgentPage'),
})
const chat = createRoute({
  ...page('/agents/$name/chat/$sessionId'),
  component: lazyRouteComponent(() => import('./agents/chat-page.tsx'), 'ChatPage'),
})
const telemetry = createRoute({
  ...page('/telemetry'),
  component: lazyRouteComponent(() => import('./telemetry/telemetry-page.tsx'), 'TelemetryPage'),
})
const trace = createRoute({
  ...page('/telemetry/traces/$traceId'),
  component: lazyRouteComponent(() => import('./telemetry/trace-page.tsx'), 'TracePage'),
})
const entity = createRoute({
  ...page('/telemetry/entities/$type/$id'),
  component: lazyRouteComponent(() => import('./telemetry/entity-page.tsx'), 'EntityPage'),
})
const settings = createRoute({
  ...page('/settings'),
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    worlds,
    newWorld,
    world,
    worldTab,
    evaluations,
    newRun,
    run,
    trial,
    suites,
    suite,
    scorer,
    agents,
    agent,
    chat,
    telemetry,
    trace,
    entity,
    settings,
  ]),
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
