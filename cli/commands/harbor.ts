import { once } from 'node:events'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { connect } from '../connection.ts'
import { Complaint } from '../failure.ts'
import { createFront, type FrontService } from '../harbor/front.ts'
import { worldEnv } from '../harbor/world-env.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { readJson, wholeNumber } from '../options.ts'
import { useService } from '../plan/embedded-service.ts'

interface ServeOptions {
  readonly port: number
  readonly host: string
  readonly clients: string
  readonly out: string
}

/** What `serve` leaves for `collect`, which runs in the same container. */
interface Served {
  readonly worldId: string
  readonly baseUrl: string
  readonly out: string
}

const servedFile = 'harbor-world.json'

/** The programs of the sidecar in an exported Harbor task. */
export const harborCommands = (program: Command, cli: Cli): void => {
  const harbor = program.command('harbor').description('commands that run inside an exported Harbor task')
  bind<ServeOptions>(
    cli,
    harbor
      .command('serve')
      .argument('<blueprint>', 'blueprint of the task')
      .option('--port <port>', 'port at which the agent reaches the services', wholeNumber(0, 65_535), 8_000)
      .option('--host <name>', 'host name of the sidecar, as seen by the agent', 'diorama')
      .option('--clients <folder>', 'folder for the environment variables of clients', '/diorama')
      .option('--out <folder>', 'folder for the state of the world', '/var/lib/diorama/world')
      .description("launch a world and serve it to the agent's container until interrupted"),
    serve,
  )
  bind(
    cli,
    harbor.command('collect').description('save the state of the world for the verifier'),
    async (run) => {
      const path = join(dataFolder(run), servedFile)
      const text = await readFile(path, 'utf8').catch((cause) => {
        throw new Complaint(`No world is running here: ${path} cannot be read.`, { cause })
      })
      const { worldId, baseUrl, out }: Served = JSON.parse(text)
      const client = connect({ url: baseUrl }, run.terminal)
      await put(join(out, 'world.json'), await client.worlds.state(worldId))
      run.print({ worldId, out }, () => `The state of ${worldId} is in ${out}`)
    },
  )
}

const dataFolder = ({ terminal }: Invocation<object>): string =>
  resolve(terminal.cwd, terminal.env.DIORAMA_DATA_DIR || '.diorama')

/** Atomically: a reader finds the old file or the new one. */
const put = async (path: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.part`, content)
  await rename(`${path}.part`, path)
}

const serve = async (run: Invocation<ServeOptions>): Promise<void> => {
  const { options, terminal, note } = run
  const service = await useService({}, terminal, note)
  try {
    const { client } = service
    const blueprint = (await readJson(firstWord(run), terminal)) as Parameters<
      typeof client.worlds.launch
    >[0]['blueprint']
    const launched = await client.worlds.launch({ blueprint, ttlHours: 720 })
    if (launched.status !== 'ready')
      throw new Complaint(`The world could not be launched: ${launched.launchError ?? launched.status}`)
    const worldId = launched.world.id
    const { items: clients } = await client.worlds.listClients(worldId)
    await put(join(options.out, 'untouched.json'), await client.worlds.state(worldId))
    const served: Served = { worldId, baseUrl: client.baseUrl, out: resolve(terminal.cwd, options.out) }
    await put(join(dataFolder(run), servedFile), JSON.stringify(served))
    const front = createFront(clients.flatMap((one): FrontService[] => frontOf(one)))
    front.listen(options.port)
    await once(front, 'listening')
    const { port } = front.address() as AddressInfo
    // The file is the last thing: who finds it finds everything else in place.
    await put(join(options.clients, 'world.env'), worldEnv(clients, `http://${options.host}:${port}`))
    note(`${worldId} is served on port ${port}`)
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
    front.close()
    front.closeAllConnections()
  } finally {
    await service.stop()
  }
}

const frontOf = ({ baseUrl, ...rest }: Omit<FrontService, 'baseUrl'> & { baseUrl: string | null }) =>
  baseUrl === null ? [] : [{ ...rest, baseUrl }]
