import { Command } from 'commander'
import { agentCommands } from './commands/agent.ts'
import { benchCommands } from './commands/bench.ts'
import { blueprintCommands } from './commands/blueprint.ts'
import { completionCommands } from './commands/completion.ts'
import { datasetCommands } from './commands/dataset.ts'
import { evaluationCommands } from './commands/evaluation.ts'
import { harborCommands } from './commands/harbor.ts'
import { keyCommands } from './commands/keys.ts'
import { cassetteCommands } from './commands/models/cassette.ts'
import { modelCommands } from './commands/models/models.ts'
import { scorerCommands } from './commands/models/scorer.ts'
import { gateCommands } from './commands/one-step/gate.ts'
import { runCommands } from './commands/one-step/run.ts'
import { operationCommands } from './commands/operation.ts'
import { serviceCommands } from './commands/service.ts'
import { suiteCommands } from './commands/suite.ts'
import { telemetryCommands } from './commands/telemetry.ts'
import { twinCommands } from './commands/twin.ts'
import { worldCommands } from './commands/world.ts'
import { exitCodes, report } from './failure.ts'
import { helpExamples } from './help/examples.ts'
import type { Cli } from './invocation.ts'
import { painter, type Terminal } from './terminal.ts'

const help = `
Examples:
  diorama up                                        start the service
  diorama run                                       run the evaluation in diorama.yaml
  diorama world launch --sample                     launch the sample company
  diorama agent register ./my-agent --run "node agent.mjs"
  diorama eval run --world wld_… -a my-agent@current --watch
  diorama gate ./my-agent --run "node agent.mjs" --sample

Exit codes: 0 success or pass, 1 fail, 2 inconclusive, 3 error, 130 interrupted.

The address and the key come from --url and --key, from DIORAMA_BASE_URL and DIORAMA_API_KEY,
or from the data folder of a service on this machine.`

const commands = [
  serviceCommands,
  runCommands,
  worldCommands,
  twinCommands,
  blueprintCommands,
  datasetCommands,
  agentCommands,
  suiteCommands,
  scorerCommands,
  benchCommands,
  evaluationCommands,
  gateCommands,
  harborCommands,
  telemetryCommands,
  modelCommands,
  cassetteCommands,
  keyCommands,
  operationCommands,
  completionCommands,
]

/** All commands, with their help. */
export const createProgram = (cli: Cli, version: string): Command => {
  const { terminal } = cli
  const paint = painter(terminal.colour.out)
  const program = new Command('diorama')
    .description(
      'Simulated companies for finding out whether an AI agent can be trusted with real company systems.',
    )
    .version(version)
    .option('--url <address>', 'address of the service')
    .option('--key <key>', 'API key')
    .option('--json', 'print results as JSON')
    .addHelpText('after', help)
    .showHelpAfterError('(run the command with --help for its arguments and options)')
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHasColors: () => terminal.colour.out,
      getErrHasColors: () => terminal.colour.err,
    })
    .configureHelp({ styleTitle: (text) => paint('bold', text), showGlobalOptions: true })
  for (const add of commands) add(program, cli)
  for (const command of program.commands) inherit(command, program)
  for (const [path, examples] of Object.entries(helpExamples))
    commandAt(program, path)?.addHelpText(
      'after',
      `\nExamples:\n${examples.map((one) => `  ${one}`).join('\n')}`,
    )
  return program
}

const commandAt = (program: Command, path: string): Command | undefined =>
  path
    .split(' ')
    .reduce<Command | undefined>((at, name) => at?.commands.find((one) => one.name() === name), program)

/** Runs one command line and returns its exit status. */
export const runProgram = async (
  words: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> => {
  const cli: Cli = { terminal, exitCode: exitCodes.pass }
  const program = createProgram(cli, version)
  try {
    await program.parseAsync([...words], { from: 'user' })
    return terminal.signal.aborted ? exitCodes.interrupted : cli.exitCode
  } catch (error) {
    return report(error, terminal, words.includes('--json'))
  }
}

/** Commander copies settings only to commands that are added after them and in the same call. */
const inherit = (command: Command, parent: Command): void => {
  command.copyInheritedSettings(parent)
  for (const below of command.commands) inherit(below, command)
}
