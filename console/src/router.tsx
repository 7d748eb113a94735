import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Broken } from './frame/broken.tsx'
import { Frame } from './frame/frame.tsx'
import { Lost } from './frame/lost.tsx'
import { PageUnreachable } from './frame/unreachable.ts'
import { parseSearch, readSearch, stringifySearch } from './search.ts'

const root = createRootRoute({ component: Frame, validateSearch: readSearch, notFoundComponent: Lost })
const at = <P extends string>(path: P) => ({ getParentRoute: () => root, path }) as const

/** A page of the console: its address, and the module that is loaded when somebody goes there. */
const page = <P extends string, N extends string>(
  path: P,
  load: () => Promise<Record<N, ComponentType>>,
  name: N,
) => {
  // The router would reload a page whose code is missing, and leave the reader with the browser's own error.
  const loadOrSay = () =>
    load().catch((cause: unknown) => {
      throw new PageUnreachable(cause)
    })
  return createRoute({ ...at(path), component: lazyRouteComponent(loadOrSay, name) })
}

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
  page('/worlds', () => import('./worlds/worlds-page.tsx'), 'WorldsPage'),
  page('/worlds/new', () => import('./worlds/blueprint/new-world-page.tsx'), 'NewWorldPage'),
  page('/worlds/$worldId/$tab', () => import('./worlds/world-page.tsx'), 'WorldPage'),
  page('/datasets', () => import('./datasets/datasets-page.tsx'), 'DatasetsPage'),
  page('/datasets/new', () => import('./datasets/new-dataset-page.tsx'), 'NewDatasetPage'),
  page('/datasets/$versionId', () => import('./datasets/dataset-version-page.tsx'), 'DatasetVersionPage'),
  page('/evaluations', () => import('./evaluations/list/runs-page.tsx'), 'RunsPage'),
  page('/evaluations/new', () => import('./evaluations/new-run-page.tsx'), 'NewRunPage'),
  page(
    '/evaluations/compare',
    () => import('./evaluations/compare/compare-runs-page.tsx'),
    'CompareRunsPage',
  ),
  page(
    '/evaluations/compare/trials',
    () => import('./evaluations/compare/compare-trials-page.tsx'),
    'CompareTrialsPage',
  ),
  page('/evaluations/$jobId', () => import('./evaluations/run-page.tsx'), 'RunPage'),
  page(
    '/evaluations/$jobId/trials/$trialId',
    () => import('./evaluations/trial/trial-page.tsx'),
    'TrialPage',
  ),
  page('/evaluations/$jobId/benchmark', () => import('./evaluations/benchmark-page.tsx'), 'BenchmarkPage'),
  page('/suites', () => import('./suites/suites-page.tsx'), 'SuitesPage'),
  page('/suites/$suiteId', () => import('./suites/suite-page.tsx'), 'SuitePage'),
  page('/scorers/$scorerId', () => import('./suites/scorer/scorer-page.tsx'), 'ScorerPage'),
  page('/agents', () => import('./agents/agents-page.tsx'), 'AgentsPage'),
  page('/agents/new', () => import('./agents/new-agent-page.tsx'), 'NewAgentPage'),
  page('/agents/$name', () => import('./agents/agent-page.tsx'), 'AgentPage'),
  page('/agents/$name/chat/$sessionId', () => import('./agents/chat-page.tsx'), 'ChatPage'),
  page('/telemetry', () => import('./telemetry/telemetry-page.tsx'), 'TelemetryPage'),
  page('/telemetry/traces/$traceId', () => import('./telemetry/trace-page.tsx'), 'TracePage'),
  page('/telemetry/entities/$type/$id', () => import('./telemetry/entity-page.tsx'), 'EntityPage'),
  page('/twins/$twinId/$tab', () => import('./twins/twin-page.tsx'), 'TwinPage'),
  page('/settings', () => import('./settings/settings-page.tsx'), 'SettingsPage'),
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
