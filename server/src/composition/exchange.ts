import type { suiteExchangeRoutes } from '@diorama/contract/suite-exchange'
import type { worldClientRoutes } from '@diorama/contract/world-clients'
import { portableCommand } from '../agents/portable-command.ts'
import { exchangeHandlers } from '../bridges/exchange-routes.ts'
import { createHarborExport } from '../bridges/harbor/export.ts'
import { createSuiteImport } from '../bridges/imports/import-suite.ts'
import { createWorldClients } from '../evaluations/trial/tools/world-clients.ts'
import type { Handlers } from '../http/handler.ts'
import { toSuite } from '../suites/routes.ts'
import { portableWorld } from '../worlds/portable-world.ts'
import type { Nouns } from './nouns.ts'

export type ExchangeNouns = Pick<Nouns, 'runtime' | 'suitePart' | 'worldPart' | 'agentPart'> & {
  readonly version: string
}

/** Gives the exchange of tasks with other tools what the nouns have. */
export const composeExchange = ({
  runtime,
  suitePart,
  worldPart: { worlds, save },
  agentPart,
  version,
}: ExchangeNouns): Handlers<typeof suiteExchangeRoutes & typeof worldClientRoutes> =>
  exchangeHandlers({
    exportHarbor: createHarborExport({
      version,
      suite: suitePart.frozen.contentOf,
      world: portableWorld({
        store: worlds.store,
        hasMcp: (service) => runtime.registry.find(service)?.twin.mcp !== undefined,
      }),
      oracle: portableCommand(agentPart),
    }),
    importSuite: createSuiteImport({
      createSuite: suitePart.createPlanned,
      readSuite: async (organizationId, suiteId) =>
        toSuite(await suitePart.suites.require(organizationId, suiteId)),
      saveWorld: save,
    }),
    clients: createWorldClients({ worlds, runtime }),
  })
