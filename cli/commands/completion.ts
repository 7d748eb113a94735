import { Argument, type Command } from 'commander'
import { bind, type Cli, firstWord } from '../invocation.ts'

interface Place {
  /** The commands before, such as `world launch`; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly { readonly flag: string; readonly about: string }[]
}

/** Every place where something can be completed. */
const placesOf = (command: Command, path = ''): Place[] => {
  const subcommands = command.commands.filter((one) => one.name() !== 'help')
  const options = [...command.options, ...(command.parent ? rootOf(command).options : [])]
  return [
    {
      path,
      commands: subcommands.map((one) => ({ name: one.name(), about: one.description() })),
      options: options.flatMap(({ long, description }) => (long ? [{ flag: long, about: description }] : [])),
    },
    ...subcommands.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim())),
  ]
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)

const bash = (places: readonly Place[]): string => {
  const known = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]))
  const words = places.map(
    ({ path, commands, options }) =>
      `    "${path}") words="${[...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' ')}" ;;`,
  )
  return `_diorama() {
  local path="" words="" word longer i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    longer="\${path:+$path }$word"
    case "$longer" in
      ${known.join('|')}) path="$longer" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _diorama diorama
`
}

const zsh = (places: readonly Place[]): string =>
  `autoload -U +X bashcompinit && bashcompinit\n${bash(places)}`

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, commands, options }) => {
      const seen = path.split(' ').flatMap((word) => (word ? [`__fish_seen_subcommand_from ${word}`] : []))
      const none = commands.map(({ name }) => name).join(' ')
      const here = [...seen, ...(none ? [`not __fish_seen_subcommand_from ${none}`] : [])].join('; and ')
      const at = here ? ` -n ${quoted(here)}` : ''
      return [
        ...commands.map(({ name, about }) => `complete -c diorama -f${at} -a ${name} -d ${quoted(about)}`),
        ...options.map(
          ({ flag, about }) => `complete -c diorama${at} -l ${flag.slice(2)} -d ${quoted(about)}`,
        ),
      ]
    })
    .concat('')
    .join('\n')

const shells: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish }

export const completionCommands = (program: Command, cli: Cli): void => {
  bind(
    cli,
    program
      .command('completion')
      .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(shells)))
      .description('print a completion script for your shell'),
    async (run) => {
      const write = shells[firstWord(run)]
      run.terminal.out(write ? write(placesOf(program)) : '')
    },
  )
}
