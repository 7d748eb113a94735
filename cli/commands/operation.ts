import { allRoutes, type RouteName, type RouteSpec } from '@diorama/contract'
import { namespaces } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli } from '../invocation.ts'
import { readJson } from '../options.ts'
import { table } from '../table.ts'

/** Every operation of the service by the name it has in the client, such as `worlds.list`. */
export const operations: readonly { readonly name: string; readonly route: RouteName }[] = Object.entries(
  namespaces,
).flatMap(([space, methods]) =>
  Object.entries(methods).map(([method, route]) => ({ name: `${space}.${method}`, route })),
)

/** Any operation of the service: operations without a command can be called here. */
export const operationCommands = (program: Command, cli: Cli): void => {
  bind<{ input?: string }>(
    cli,
    program
      .command('api')
      .argument('[operation]', 'operation, such as worlds.list; lists all operations if omitted')
      .argument('[parameters...]', 'path parameters, in order')
      .option('--input <json>', 'body or query as JSON, or @file')
      .description('call any operation of the API'),
    async (run) => {
      const [name, ...parameters] = run.words
      if (name === undefined) return run.print(operations.map(describe), listing(run.paint))
      const found = operations.find((one) => one.name === name)
      if (!found) throw new Complaint(`There is no operation ${name}. List them with \`diorama api\`.`)
      const input = await readInput(run.options.input, run.terminal)
      const [space = '', method = ''] = name.split('.')
      const spaces: Readonly<Record<string, unknown>> = { ...run.client }
      const methods = spaces[space] as Readonly<Record<string, (...given: unknown[]) => unknown>>
      const route: RouteSpec = allRoutes[found.route]
      const takesInput = route.body !== undefined || route.takes !== undefined || route.query !== undefined
      const given = takesInput ? [...parameters, input] : parameters
      const result = methods[method]?.(...given, { signal: run.terminal.signal })
      if (route.gives === 'text/event-stream') {
        for await (const item of result as AsyncIterable<unknown>)
          run.terminal.out(`${JSON.stringify(item)}\n`)
        return
      }
      const value = await result
      if (typeof value === 'string') return run.terminal.out(value)
      if (value instanceof Uint8Array)
        return run.print(Buffer.from(value).toString('base64'), () => Buffer.from(value).toString('base64'))
      run.print(value ?? null, () => JSON.stringify(value ?? null, null, 2))
    },
  )
}

const describe = ({ name, route }: (typeof operations)[number]) => {
  const { method, path, summary }: RouteSpec = allRoutes[route]
  return { name, method, path, summary }
}

const listing = (paint: Parameters<typeof table>[2]) => () =>
  table(
    ['OPERATION', 'METHOD', 'PATH', 'DOES'],
    operations.map(describe).map(({ name, method, path, summary }) => [name, method, path, summary]),
    paint,
  )

const readInput = async (text: string | undefined, terminal: Parameters<typeof readJson>[1]) => {
  if (text === undefined) return undefined
  if (text.startsWith('@')) return readJson(text.slice(1), terminal)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Complaint(`--input is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
