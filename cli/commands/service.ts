import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { Complaint, exitCodes } from '../failure.ts'
import { bind, type Cli, type Invocation } from '../invocation.ts'
import { wholeNumber } from '../options.ts'
import { starterOfService } from '../service-program.ts'
import { facts } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface UpOptions {
  readonly port?: number
  readonly dataDir?: string
  readonly sandbox?: string
}

/** Commands about the service itself. */
export const serviceCommands = (program: Command, cli: Cli): void => {
  bind<UpOptions>(
    cli,
    program
      .command('up')
      .option('--port <port>', 'port to listen on (default: 4400)', wholeNumber(0, 65_535))
      .option('--data-dir <folder>', 'data folder (default: .diorama)')
      .option('--sandbox <kind>', 'sandbox for agents: auto, bubblewrap or process (default: auto)')
      .description('start the service on this machine and run it until you press Ctrl-C'),
    up,
  )
  bind(
    cli,
    program.command('status').description('show the organization, the key and current usage'),
    async ({ client, print, paint }) => {
      const [ready, me] = [await client.health.ready(), await client.me.get()]
      print({ baseUrl: client.baseUrl, ...ready, ...me }, () =>
        facts(
          [
            ['service', `${client.baseUrl}  version ${ready.version}`],
            ['organization', `${me.organization.name}  ${me.organization.id}`],
            ['key', `${me.key.name} (${me.key.class})`],
            ['live twins', `${me.usage.liveTwins} of ${me.organization.limits.liveTwins}`],
            ['running trials', `${me.usage.runningTrials} of ${me.organization.limits.concurrentTrials}`],
          ],
          paint,
        ),
      )
    },
  )
  bind<{ print?: boolean }>(
    cli,
    program
      .command('open')
      .argument('[record]', 'id of a world or an evaluation')
      .option('--print', 'print the address instead of opening it')
      .description('open the console in a browser'),
    async (run) => {
      const url = consoleUrl(run.client.baseUrl, run.words[0])
      if (run.terminal.isLive && !run.options.print && !run.json) openBrowser(url)
      run.print({ url }, () => url)
    },
  )
}

/** The page of a record, by the form of its id. */
export const consoleUrl = (baseUrl: string, id: string | undefined): string => {
  if (id === undefined) return `${baseUrl}/`
  const page = id.startsWith('job_') ? 'evaluations' : id.startsWith('wld_') ? 'worlds' : undefined
  if (page === undefined)
    throw new Complaint(`${id} is not the id of a world (wld_…) or an evaluation (job_…).`)
  return `${baseUrl}/${page}/${encodeURIComponent(id)}`
}

const openBrowser = (url: string): void => {
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', ''],
  }
  const [program, ...before] = programs[process.platform] ?? ['xdg-open']
  const opened = spawn(program, [...before, url], { stdio: 'ignore', detached: true })
  // The address is printed too: a machine without a browser has lost nothing.
  opened.on('error', () => {})
  opened.unref()
}

const up = async ({ client, options, terminal, note }: Invocation<UpOptions>): Promise<number> => {
  if (options.port === undefined && (await isReady(client))) {
    note(`The service is up at ${client.baseUrl}`)
    return 0
  }
  const service = spawn(process.execPath, ['--no-warnings', starterOfService()], {
    cwd: terminal.cwd,
    stdio: 'inherit',
    env: { ...terminal.env, ...settings(options) },
  })
  return ended(service, terminal)
}

const isReady = async (client: Invocation<object>['client']): Promise<boolean> =>
  client.health.ready({ retries: 0, timeoutMs: 1_000 }).then(
    () => true,
    () => false,
  )

const settings = ({ port, dataDir, sandbox }: UpOptions): Record<string, string> => ({
  ...(port === undefined ? {} : { PORT: String(port) }),
  ...(dataDir === undefined ? {} : { DIORAMA_DATA_DIR: dataDir }),
  ...(sandbox === undefined ? {} : { DIORAMA_SANDBOX: sandbox }),
})

const ended = (service: ReturnType<typeof spawn>, { signal }: Terminal): Promise<number> =>
  new Promise((resolve, reject) => {
    const stop = () => service.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    service.on('error', reject)
    service.on('exit', (status) => {
      signal.removeEventListener('abort', stop)
      // The service fails with 1, which is a verdict here.
      resolve(status === 0 ? exitCodes.pass : exitCodes.error)
    })
  })
