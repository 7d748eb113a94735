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
import type { Cli } from './invocation.ts'
import { painter, type Terminal } from './terminal.ts'

const help = `
Examples:
  diorama up                                        start the service here
  diorama run                                       the evaluation in diorama.yaml, from start to verdict
  diorama world launch --sample                     a company to try things on
  diorama agent register ./my-agent --run "node agent.mjs"
  diorama eval run --world wld_… -a my-agent@current --watch
  diorama gate ./my-agent --run "node agent.mjs" --sample
                                                    for CI: 0 pass, 1 fail, 2 inconclusive, 3 error

The key and the address come from --key and --url, from DIORAMA_API_KEY and DIORAMA_BASE_URL,
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

/** Runs one command line and gives the status to end with. */
export const runProgram = async (
  words: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> => {
  const cli: Cli = { terminal, exitCode: exitCodes.pass }
  const paint = painter(terminal.colour.out)
  const program = new Command('diorama')
    .description(
      'Simulated companies for finding out whether an AI agent can be trusted with real company systems.',
    )
    .version(version)
    .option('--url <address>', 'where the service is')
    .option('--key <key>', 'an API key')
    .option('--json', 'print results as JSON')
    .addHelpText('after', help)
    .showHelpAfterError('(add --help for what this command takes)')
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
