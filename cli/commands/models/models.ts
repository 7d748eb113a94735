import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { Complaint, exitCodes } from '../../failure.ts'
import { bind, type Cli, firstWord } from '../../invocation.ts'
import { several } from '../../options.ts'
import { cut, table } from '../../table.ts'

interface PutOptions {
  readonly wire?: string
  readonly baseUrl?: string
  readonly keyFile?: string
  readonly hosts?: readonly string[]
  readonly models?: readonly string[]
  readonly prices?: string
  readonly agents: boolean
}

/** Commands about models: their providers. */
export const modelCommands = (program: Command, cli: Cli): void => {
  const models = program.command('models').description('configure model providers')
  bind(cli, models.command('list').description('list model providers'), async (run) => {
    const { items } = await run.client.modelProviders.list()
    run.print(items, () =>
      table(
        ['PROVIDER', 'WIRE', 'BASE URL', 'KEY', 'AGENTS', 'FROM'],
        items.map((one) => [
          one.name,
          one.wire,
          cut(one.baseUrl ?? '', 50),
          one.hasKey ? 'set' : run.paint('dim', one.usable ? 'not needed' : 'missing'),
          one.agents ? 'yes' : 'no',
          one.source,
        ]),
        run.paint,
      ),
    )
  })
  putCommand(models, cli)
  bind(
    cli,
    models
      .command('test')
      .argument('<provider>')
      .argument('<model>', 'id of a model')
      .description('send a short request to a model with the stored key; exits with 1 if it fails'),
    async (run) => {
      const [name = '', model = ''] = run.words
      const tested = await run.client.modelProviders.test(name, { model })
      run.print(tested, () =>
        tested.ok ? `${name}/${model} answered: ${cut(tested.reply ?? '', 200)}` : (tested.error ?? ''),
      )
      return tested.ok ? exitCodes.pass : exitCodes.fail
    },
  )
  bind(
    cli,
    models.command('delete').argument('<provider>').description('delete a provider and its key'),
    async (run) => {
      await run.client.modelProviders.delete(firstWord(run))
      run.print({ name: firstWord(run), deleted: true }, () => `${firstWord(run)} is deleted.`)
    },
  )
}

const putCommand = (models: Command, cli: Cli): void => {
  bind<PutOptions>(
    cli,
    models
      .command('put')
      .argument('<provider>', 'name of the provider, such as openai')
      .option('--wire <wire>', 'API of the provider: openai, anthropic or gemini')
      .option('--base-url <url>', "base URL (default: the vendor's own)")
      .option(
        '--key-file <file>',
        'file with the key, or - for standard input (default: keep the stored key)',
      )
      .option('--hosts <hosts>', 'additional host names that agents can use for it', several)
      .option('--models <ids>', 'allowed model ids, with * as a wildcard', several)
      .option('--prices <json>', 'prices by model id, as JSON: {"some-model": {"input": 1, "output": 4}}')
      .option('--no-agents', 'do not let agents use it in trials')
      .description('create a provider or replace its settings'),
    async (run) => {
      const { options, terminal } = run
      const key = options.keyFile && (await readKey(options.keyFile, terminal.cwd))
      // The service knows the wires, and says which there are when one is wrong.
      const asked = JSON.parse(
        JSON.stringify({
          wire: options.wire,
          baseUrl: options.baseUrl,
          hosts: options.hosts,
          models: options.models,
          agents: options.agents,
          prices: options.prices === undefined ? undefined : parsePrices(options.prices),
          apiKey: key,
        }),
      )
      const made = await run.client.modelProviders.put(firstWord(run), asked)
      run.print(made, () => `${made.name} is set${made.hasKey ? ', with a key' : ''}.`)
    },
  )
}

/** Not an option with the key itself, which the shell's history and the list of processes would show. */
const readKey = async (path: string, cwd: string): Promise<string> => {
  try {
    return (await readFile(path === '-' ? '/dev/stdin' : resolve(cwd, path), 'utf8')).trim()
  } catch (cause) {
    throw new Complaint(`${path} cannot be read.`, { cause })
  }
}

const parsePrices = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Complaint('--prices is not JSON.', { cause })
  }
}
