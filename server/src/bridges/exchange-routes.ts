import { buffer } from 'node:stream/consumers'
import type { suiteExchangeRoutes } from '@diorama/contract/suite-exchange'
import type { worldClientRoutes } from '@diorama/contract/world-clients'
import type { WorldClients } from '../evaluations/trial/tools/world-clients.ts'
import { Answer, type Handlers } from '../http/handler.ts'
import type { HarborExport } from './harbor/export.ts'
import type { SuiteImporter } from './imports/import-suite.ts'

export interface ExchangeDeps {
  readonly exportHarbor: HarborExport
  readonly importSuite: SuiteImporter
  readonly clients: WorldClients
}

/** Tasks to and from other tools, and what programs beside a world need. */
export const exchangeHandlers = ({
  exportHarbor,
  importSuite,
  clients,
}: ExchangeDeps): Handlers<typeof suiteExchangeRoutes & typeof worldClientRoutes> => ({
  exportSuiteHarbor: async ({ caller, params, query }) =>
    new Answer(
      200,
      await exportHarbor({
        organizationId: caller.organizationId,
        suiteId: params.suiteId,
        registryOrganization: query.organization,
        oracle: query.oracle,
        skip: query.skip ?? false,
      }),
    ),
  importSuite: async ({ caller, query, bytes, stream }) => {
    const body = stream ? await buffer(stream) : Buffer.from(bytes)
    return new Answer(201, await importSuite({ caller, body, ...query, name: query.name }))
  },
  listWorldClients: async ({ caller, params }) => ({
    items: await clients.list(caller.organizationId, params.worldId),
  }),
  readWorldState: async ({ caller, params }) =>
    new Answer(200, Buffer.from(await clients.state(caller.organizationId, params.worldId))),
})
