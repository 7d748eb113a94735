import type { suiteExchangeRoutes } from '@diorama/contract/suite-exchange'
import type { worldClientRoutes } from '@diorama/contract/world-clients'
import { portableCommand } from '../agents/portable-command.ts'
import { exchangeHandlers } from '../bridges/exchange-routes.ts'
import { createHarborExport } from '../bridges/harbor/export.ts'
import { createSuiteImport } from '../bridges/imports/import-suite.ts'
import { createWorldClients } from '../evaluations/trial/tools/world-clients.ts'
import type { Handlers } from '../http/handler.ts'
import { endpoints } from '../models/wires/endpoints.ts'
import type { Database } from '../storage/schema.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import { toSuite } from '../suites/routes.ts'
import { portableWorld } from '../worlds/portable-world.ts'
import type { Nouns } from './nouns.ts'

export type ExchangeNouns = Pick<
  Nouns,
  'runtime' | 'suitePart' | 'worldPart' | 'agentPart' | 'evaluations'
> & {
  readonly version: string
}

/** Gives the exchange of tasks with other tools what the nouns have. */
export const composeExchange = ({
  runtime,
  suitePart,
  worldPart: { worlds, save },
  agentPart,
  version,
  evaluations: { agentHosts },
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
      createSuite: ({ blobs, ...suite }) =>
        suitePart.createPlanned(suite, async (trx, suiteId) => {
          const owned = transactionFor<Database>(trx)
          await Promise.all(blobs.map((sha256) => agentPart.blobs.own(owned, sha256, `suite ${suiteId}`)))
        }),
      keep: async (bytes) => (await agentPart.blobs.keep(bytes)).sha256,
      installed: async (organizationId) => ({
        hasImage: async (reference) => (await agentPart.hostImages.find(reference)) !== undefined,
        reachable: [
          ...Object.values(endpoints).map(({ host }) => host),
          ...(await agentHosts(organizationId)),
        ],
      }),
      readSuite: async (organizationId, suiteId) =>
        toSuite(await suitePart.suites.require(organizationId, suiteId)),
      saveWorld: save,
    }),
    clients: createWorldClients({ worlds, runtime }),
  })
