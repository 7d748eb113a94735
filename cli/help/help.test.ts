import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../program.ts'
import { helpExamples } from './examples.ts'

const silent = {
  out: () => {},
  err: () => {},
  colour: { out: false, err: false },
  isLive: false,
  columns: 80,
  env: {},
  cwd: '/',
  now: Date.now,
  signal: new AbortController().signal,
  readerGone: new AbortController().signal,
}
const program = createProgram({ terminal: silent, exitCode: 0 }, '0.0.0')

/** Every command that does something, by its path. */
const leaves = (command: Command, path: readonly string[] = []): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]))
const commands = new Map(leaves(program))

describe('the help of the command line', () => {
  it('has an example for every command, and no others', () => {
    assert.deepEqual(Object.keys(helpExamples).toSorted(), [...commands.keys()].toSorted())
  })

  it('has examples that the commands take', () => {
    for (const [path, examples] of Object.entries(helpExamples))
      for (const example of examples) {
        const [, line = ''] = example.split(/^.*?diorama /)
        assert.ok(`${line} `.startsWith(`${path} `), example)
        const known = [...(commands.get(path)?.options ?? []), ...program.options]
        const given = [...line.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/ (--?[a-z][\w-]*)/g)]
        for (const [, flag = ''] of given)
          assert.ok(
            known.some(({ short, long }) => flag === short || flag === long),
            `${example}: ${flag}`,
          )
        const needed = known.filter(({ mandatory }) => mandatory)
        for (const { short, long } of needed)
          assert.ok(
            given.some(([, flag]) => flag === short || flag === long),
            `${example}: ${long}`,
          )
      }
  })

  it('describes every command, argument and option in one form', () => {
    for (const [path, command] of commands) {
      const texts = [command.description(), ...command.options.map(({ description }) => description)]
      for (const text of texts) assert.match(text, /^(?!.*\.$)\S/, `${path}: ${text}`)
      assert.match(command.description(), /^[a-z]/, path)
    }
  })
})
