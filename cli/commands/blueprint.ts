import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { Complaint, exitCodes } from '../failure.ts'
import { bind, type Cli, firstWord } from '../invocation.ts'
import { readJson, readText } from '../options.ts'
import { table } from '../table.ts'

/** Commands about blueprints. */
export const blueprintCommands = (program: Command, cli: Cli): void => {
  const blueprint = program
    .command('blueprint')
    .description('write and validate blueprints, from which worlds are launched')
  bind(
    cli,
    blueprint
      .command('validate')
      .argument('<file>', 'JSON file, or - for standard input')
      .description('validate a blueprint without launching it; exits with 1 if it is not valid'),
    async (run) => {
      const sent = await readJson(firstWord(run), run.terminal)
      const found = await run.client.worlds.validate({ blueprint: sent.blueprint ?? sent })
      run.print(found, () => {
        const { paint } = run
        const faults = found.errors.map(
          ({ pointer, message }) => `${paint('red', 'error')}    ${paint('cyan', pointer || '/')} ${message}`,
        )
        const warnings = found.warnings.map((warning) => `${paint('yellow', 'warning')}  ${warning}`)
        const rows = (found.summary?.services ?? []).map(({ service, entityCount, seedSha256 }) => [
          service,
          String(entityCount),
          seedSha256.slice(0, 16),
        ])
        const verdict = found.valid
          ? paint('green', 'The blueprint is valid.')
          : paint('red', `The blueprint is not valid: ${found.errors.length} errors.`)
        const services = rows.length > 0 ? [table(['SERVICE', 'RECORDS', 'SEED'], rows, paint)] : []
        return [...faults, ...warnings, ...services, verdict].join('\n')
      })
      return found.valid ? exitCodes.pass : exitCodes.fail
    },
  )
  bind<{ force?: boolean; name?: string }>(
    cli,
    blueprint
      .command('new')
      .argument('<file>', 'file to write')
      .option('--name <name>', 'name of the world')
      .option('--force', 'overwrite an existing file')
      .description('write the sample company to a file, as a starting point for your own'),
    async (run) => {
      const path = resolve(run.terminal.cwd, firstWord(run))
      const sample = await run.client.worlds.sampleBlueprint()
      const made = { ...sample, ...(run.options.name === undefined ? {} : { name: run.options.name }) }
      const text = `${JSON.stringify(made, null, 2)}\n`
      await writeFile(path, text, { flag: run.options.force ? 'w' : 'wx' }).catch(
        (cause: NodeJS.ErrnoException) => {
          throw new Complaint(
            cause.code === 'EEXIST'
              ? `${path} already exists. Use --force to overwrite it.`
              : `${path} cannot be written: ${cause.message}`,
            { cause },
          )
        },
      )
      run.print({ file: path }, () => `Written to ${path}. Try: diorama blueprint validate ${firstWord(run)}`)
    },
  )
  bind<{ name: string }>(
    cli,
    blueprint
      .command('add-service')
      .argument('<blueprint>', 'JSON file of the blueprint; it is changed in place')
      .argument('<document>', 'OpenAPI 3 document (JSON or YAML) or HAR recording')
      .requiredOption('--name <name>', 'name of the service, such as billing')
      .description('add another service to a blueprint, from an OpenAPI document or a HAR recording'),
    async (run) => {
      const [file = '', document = ''] = run.words
      const { name } = run.options
      const whole = await readJson(file, run.terminal)
      const service = { name, ...(await readService(document, run.terminal)) }
      const { twins = {} } = whole
      const others = (twins.stub?.services ?? []).filter((one: { name: string }) => one.name !== name)
      const made = { ...whole, twins: { ...twins, stub: { services: [...others, service] } } }
      await writeFile(resolve(run.terminal.cwd, file), `${JSON.stringify(made, null, 2)}\n`)
      run.print({ file, service: name }, () => `${name} is added. Try: diorama blueprint validate ${file}`)
    },
  )
  bind(
    cli,
    blueprint.command('schema').description('print the JSON Schema of a blueprint'),
    async ({ client, terminal }) => {
      terminal.out(`${JSON.stringify(await client.worlds.blueprintSchema(), null, 2)}\n`)
    },
  )
}

/** A document by what it holds: a recording has a log, anything else is taken for an API description. */
const readService = async (path: string, terminal: Cli['terminal']) => {
  const text = await readText(path, terminal)
  try {
    const document = parse(text, { maxAliasCount: 1_000 })
    if (document?.log?.entries) return { har: document }
    if (typeof document?.openapi === 'string') return { openapi: document }
  } catch (cause) {
    throw new Complaint(
      `${path} is neither JSON nor YAML: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    )
  }
  throw new Complaint(`${path} is neither an OpenAPI 3 document nor a HAR recording.`)
}
