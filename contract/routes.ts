import { healthRoutes } from './health.ts'
import { organizationRoutes } from './organizations.ts'

/** Every operation of the service, by name. */
export const allRoutes = {
  ...healthRoutes,
  ...organizationRoutes,
}
export type Routes = typeof allRoutes
export type RouteName = keyof Routes
