import type { Client } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { connect } from './connection.ts'
import { type Paint, painter, type Terminal } from './terminal.ts'

/** The command line as a whole, while one command runs. */
export interface Cli {
  readonly terminal: Terminal
  exitCode: number
}

/** What one command works with. */
export interface Invocation<Options> {
  readonly terminal: Terminal
  readonly client: Client
  readonly options: Options
  /** The positional arguments. */
  readonly words: readonly string[]
  readonly json: boolean
  readonly paint: Paint
  /** Prints a result: as JSON when that was asked for, else in words. */
  readonly print: (value: unknown, words: () => string) => void
  /** A note on the way, left out of JSON. */
  readonly note: (text: string) => void
}

interface GlobalOptions {
  readonly url?: string
  readonly key?: string
  readonly json?: boolean
}

/** Binds a command to its work; a number that the work gives back is the exit status. */
export const bind = <Options extends object = object>(
  cli: Cli,
  command: Command,
  work: (run: Invocation<Options>) => Promise<number | undefined> | Promise<void>,
): Command =>
  command.action(async (...given: unknown[]) => {
    const invoked = given.at(-1) as Command
    const options = invoked.optsWithGlobals<Options & GlobalOptions>()
    const { terminal } = cli
    const json = options.json === true
    const status = await work({
      terminal,
      client: connect({ url: options.url, key: options.key }, terminal),
      options,
      words: invoked.args,
      json,
      paint: painter(terminal.colour.out),
      print: (value, words) =>
        terminal.out(`${json ? JSON.stringify(value, null, terminal.isLive ? 2 : undefined) : words()}\n`),
      note: (text) => {
        if (!json) terminal.err(`${text}\n`)
      },
    })
    if (typeof status === 'number') cli.exitCode = status
  })

/** The first word, which commander has made sure of. */
export const firstWord = ({ words }: { readonly words: readonly string[] }): string => words[0] ?? ''
