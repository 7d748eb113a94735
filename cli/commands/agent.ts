import type { Command } from 'commander'
import { agentTable } from '../agents/agent-list.ts'
import { type AgentOptions, registerAgent } from '../agents/register-agent.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime } from '../local-time.ts'
import { repeated, several, take, wholeNumber } from '../options.ts'
import { rateText } from '../runs/results-text.ts'
import { facts, table } from '../table.ts'
import { paintStatus } from './world.ts'

/** Commands about agents. */
export const agentCommands = (program: Command, cli: Cli): void => {
  const agent = program.command('agent').description('register agents and show their versions')
  bind<AgentOptions>(
    cli,
    agent
      .command('register')
      .argument('<folder>', "folder with the agent's files")
      .requiredOption('--run <command>', 'shell command that starts the agent in its folder')
      .option('--name <name>', 'name of the agent (default: name of the folder)')
      .option(
        '--agent-version <version>',
        'version of the agent (default: that of its package.json, or a digest)',
      )
      .option('--timeout <seconds>', 'time limit of a trial (default: 600)', wholeNumber(1, 3_600))
      .option('--env <NAME=value>', 'environment variable for the agent; can be repeated', repeated)
      .option('--network <kind>', 'network of the agent: world or none (default: world)')
      .option('--instructions <file>', 'text file with the instructions of the agent')
      .option('--description <text>', 'description of the agent')
      .option('--status <status>', 'current, stable, draft or deprecated (default: current)')
      .option(
        '--dependencies <managers>',
        'install dependencies from the lock files of these package managers: npm, pip',
        several,
      )
      .option('--install-scripts', 'allow the install scripts of packages')
      .option('--bundle', 'upload the files as a bundle even if they are small')
      .description('register a version of an agent from a folder'),
    register,
  )
  bind<{ limit: number }>(
    cli,
    agent
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 50)
      .description('list agents, newest first, with their pass rates by suite and version'),
    async ({ client, options, paint, print }) => {
      const items = await take(client.agents.list({ limit: Math.min(200, options.limit) }), options.limit)
      const results = await take(client.evaluations.agentResults({ latest: true, limit: 200 }), 1_000)
      print(items, () => agentTable(items, results, paint))
    },
  )
  bind(
    cli,
    agent
      .command('show')
      .argument('<agent>', 'name, or name@version')
      .description('show an agent and its versions, or one version in full'),
    showAgent,
  )
}

const register = async (run: Invocation<AgentOptions>) => {
  const { client, options, terminal, paint } = run
  const { made, packed } = await registerAgent(client, {
    cwd: terminal.cwd,
    folder: firstWord(run),
    options,
    note: run.note,
    signal: terminal.signal,
  })
  const how = packed.bundle ? `a bundle of ${packed.bundle.bytes.length} bytes` : 'inline'
  run.print({ ...made, fileCount: packed.count }, () =>
    facts(
      [
        ['agent', paint('bold', made.reference)],
        ['status', paintStatus(made.status, paint)],
        ['run', commandText(made.run?.command)],
        ['files', `${packed.count}, ${how}`],
      ],
      paint,
    ),
  )
}

const commandText = (command: string | readonly string[] | undefined): string =>
  command === undefined ? '' : typeof command === 'string' ? command : command.join(' ')

const installedText = (
  dependencies: { status: string; error: string | null; size: number | null } | null,
): string | undefined =>
  dependencies === null
    ? undefined
    : [dependencies.status, dependencies.error ?? (dependencies.size && `${dependencies.size} bytes`)]
        .filter(Boolean)
        .join(', ')

const showAgent = async (run: Invocation<object>) => {
  const { client, paint } = run
  const [name = '', version] = several(firstWord(run).replace('@', ','))
  if (version !== undefined) {
    const one = await client.agents.getVersion(name, version)
    return run.print(one, () =>
      facts(
        [
          ['agent', paint('bold', one.reference)],
          ['status', paintStatus(one.status, paint)],
          ['run', commandText(one.run?.command)],
          ['model', one.model ? `${one.model.provider}/${one.model.id}` : ''],
          ['files', Object.keys(one.files).join(' ')],
          ['bundle', one.bundle?.sha256],
          ['packages', installedText(one.dependencies)],
          ['content', one.contentSha256],
          ['created', localTime(one.createdAt)],
        ],
        paint,
      ),
    )
  }
  const agent = await client.agents.get(name)
  const results = await take(client.evaluations.agentResults({ agent: name, latest: true, limit: 200 }), 200)
  const rows = agent.versions.map((one) => [
    one.version,
    paintStatus(one.status, paint),
    localTime(one.createdAt),
    String(one.runs.count),
    results
      .filter(({ agentVersion }) => agentVersion === one.version)
      .map((result) => `${result.taskSuiteName ?? result.taskSuiteId} ${rateText(result)}`)
      .join(', '),
  ])
  run.print(agent, () =>
    [
      facts(
        [
          ['agent', paint('bold', agent.name)],
          ['about', agent.description],
          ['current', agent.currentVersion],
        ],
        paint,
      ),
      '',
      table(['VERSION', 'STATUS', 'CREATED', 'RUNS', 'PASS RATE BY SUITE'], rows, paint),
    ].join('\n'),
  )
}
