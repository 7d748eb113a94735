import { type Command, Option } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'
import { localTime } from '../local-time.ts'
import { scorerNamed } from '../names.ts'
import { readText, several, take, wholeNumber } from '../options.ts'
import { languageOf } from '../plan/tasks.ts'
import { cut, facts, table } from '../table.ts'
import { edited } from './editor.ts'

type Client = Invocation<object>['client']
type Scorer = Awaited<ReturnType<Client['scorers']['get']>>
type Definition = Parameters<Client['scorers']['create']>[0]

interface ScorerOptions {
  readonly name?: string
  readonly description?: string
  readonly file?: string
  readonly prompt?: string
  readonly choice?: readonly string[]
  readonly model?: string
  readonly passThreshold?: number
}

const withDefinition = (command: Command): Command =>
  command
    .option('--description <text>', 'description of the scorer')
    .option('--file <file>', 'file with its code (.py or .ts)')
    .option('--prompt <file>', 'for a judge: file with its prompt')
    .option('--choice <label=score>', 'for a judge: a label and its score; can be repeated', several)
    .option('--model <model>', 'for a judge: model as provider/id')
    .addOption(new Option('--pass-threshold <score>', 'minimum score to pass, from 0 to 1').argParser(Number))

/** Commands about the library of scorers. */
export const addScorerLibrary = (scorer: Command, cli: Cli): void => {
  bind<{ limit: number }>(
    cli,
    scorer
      .command('list')
      .option('-n, --limit <count>', 'maximum number of results', wholeNumber(1, 10_000), 50)
      .description('list the scorers of the library, newest first'),
    async ({ client, options, paint, print }) => {
      const items = await take(client.scorers.list({ limit: Math.min(200, options.limit) }), options.limit)
      print(items, () =>
        table(
          ['SCORER', 'NAME', 'KIND', 'VERSION', 'PASSES FROM', 'UPDATED'],
          items.map((one) => [
            one.id,
            cut(one.name, 50),
            one.kind === 'code' ? `code (${one.language})` : 'judge',
            String(one.version),
            one.passThreshold === null ? '' : String(one.passThreshold),
            localTime(one.updatedAt),
          ]),
          paint,
        ),
      )
    },
  )
  bind(
    cli,
    scorer.command('show').argument('<scorer>').description('show a scorer with its code or prompt'),
    async (run) => {
      const found = await run.client.scorers.get(await scorerNamed(run, firstWord(run)))
      run.print(found, () => scorerText(run, found))
    },
  )
  bind<ScorerOptions>(
    cli,
    withDefinition(scorer.command('create').argument('<name>')).description(
      'create a scorer from code, or a judge from a prompt',
    ),
    async (run) => {
      const given = await readDefinition(run)
      if (given.code === undefined && given.prompt === undefined)
        throw new Complaint('Specify its code with --file, or the prompt of a judge with --prompt.')
      const made = await run.client.scorers.create({ ...given, name: firstWord(run) })
      run.print(made, () => `${made.id} ${made.name} is version ${made.version}.`)
    },
  )
  bind<ScorerOptions>(
    cli,
    withDefinition(
      scorer.command('edit').argument('<scorer>').option('--name <name>', 'new name'),
    ).description(
      'change a scorer with options, or its code or prompt in your editor (EDITOR); creates a new version',
    ),
    edit,
  )
  bind(
    cli,
    scorer
      .command('archive')
      .argument('<scorer>')
      .description('archive a scorer; tasks that use it are not affected'),
    async (run) => {
      const archived = await run.client.scorers.archive(await scorerNamed(run, firstWord(run)))
      run.print(archived, () => `${archived.name} is archived.`)
    },
  )
}

const scorerText = ({ paint }: Invocation<object>, found: Scorer): string =>
  [
    facts(
      [
        ['scorer', `${paint('bold', found.name)}  ${found.id}`],
        ['kind', found.kind === 'code' ? `code, ${found.language}` : 'judge'],
        ['version', String(found.version)],
        ['about', found.description],
        ['model', found.model],
        ['passes from', found.passThreshold === null ? null : String(found.passThreshold)],
        ['choices', found.choiceScores.map(({ label, score }) => `${label} ${score}`).join(', ')],
      ],
      paint,
    ),
    '',
    found.code ?? found.prompt ?? '',
  ].join('\n')

/** What the options say of a definition. */
const readDefinition = async ({
  options,
  terminal,
}: Invocation<ScorerOptions>): Promise<Partial<Definition>> => {
  const { file, prompt, choice, name, description, model, passThreshold } = options
  if (file !== undefined && prompt !== undefined)
    throw new Complaint('Specify either --file or --prompt, not both.')
  if (file !== undefined && !/\.(py|ts)$/.test(file)) throw new Complaint('--file must end in .py or .ts.')
  if (passThreshold !== undefined && !(passThreshold >= 0 && passThreshold <= 1))
    throw new Complaint('--pass-threshold must be a number from 0 to 1.')
  const code =
    file === undefined
      ? {}
      : { kind: 'code' as const, language: languageOf(file), code: await readText(file, terminal) }
  const judge =
    prompt === undefined ? {} : { kind: 'llm-judge' as const, prompt: await readText(prompt, terminal) }
  const rest = { name, description, model, passThreshold, choiceScores: choice?.map(readChoice) }
  return { ...code, ...judge, ...(JSON.parse(JSON.stringify(rest)) as Partial<Definition>) }
}

const readChoice = (text: string) => {
  const at = text.lastIndexOf('=')
  const score = Number(text.slice(at + 1))
  if (at < 1 || Number.isNaN(score)) throw new Complaint(`--choice ${text} must have the form label=score.`)
  return { label: text.slice(0, at), score }
}

const edit = async (run: Invocation<ScorerOptions>): Promise<void> => {
  const id = await scorerNamed(run, firstWord(run))
  const found = await run.client.scorers.get(id)
  const { version, createdAt, updatedAt, archivedAt, id: _, ...definition } = found
  let change = await readDefinition(run)
  if (Object.keys(change).length === 0) {
    const isCode = found.kind === 'code'
    const name = isCode ? `scorer.${found.language === 'python' ? 'py' : 'ts'}` : 'prompt.txt'
    const text = await edited(found.code ?? found.prompt ?? '', name, run.terminal)
    if (text === undefined) return run.print({ changed: false }, () => 'Nothing was changed.')
    change = isCode ? { code: text } : { prompt: text }
  }
  const made = await run.client.scorers.update(id, { ...definition, ...change })
  run.print(made, () => `${made.id} ${made.name} is version ${made.version}.`)
}
