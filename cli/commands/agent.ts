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
  const agent = program.command('agent').description('agents and their versions')
  bind<AgentOptions>(
    cli,
    agent
      .command('register')
      .argument('<folder>', "the agent's files")
      .requiredOption('--run <command>', 'the shell line that starts it, in its folder')
      .option('--name <name>', "its name; the folder's when left out")
      .option('--agent-version <version>', "its version; the files' digest when left out")
      .option('--timeout <seconds>', 'how long a run may take (600)', wholeNumber(1, 3_600))
      .option('--env <NAME=value>', 'an environment variable for the agent; can be repeated', repeated)
      .option('--network <kind>', 'world or none (world)')
      .option('--instructions <file>', 'a text file with its instructions')
      .option('--description <text>', 'what it is for')
      .option('--status <status>', 'current, stable, draft or deprecated (current)')
      .option(
        '--dependencies <managers>',
        'what the service installs from your lock files: npm, pip',
        several,
      )
      .option('--install-scripts', 'let packages run their own programs while they are installed')
      .option('--bundle', 'send the files as a bundle even where they are few')
      .description('register a version of an agent with its files'),
    register,
  )
  bind<{ limit: number }>(
    cli,
    agent
      .command('list')
      .option('-n, --limit <count>', 'how many', wholeNumber(1, 10_000), 50)
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
      .description('show an agent and its versions, or one version whole'),
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
