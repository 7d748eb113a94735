import { isForTests, type Source } from '../sources.ts'

/**
 * Generated data without a program in the tree that writes it, knows `--check` and is run by a test, or without its
 * sources and their date, in the program or in a `sources.json` beside the data.
 */
export const orphanedData = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => /\.generated\.\w+$/.test(path))
    .flatMap(({ path }) => {
      const file = path.slice(path.lastIndexOf('/') + 1)
      const twin = path.split('/').slice(0, 2).join('/')
      const program = sources.find(
        ({ path: at, text }) =>
          at.startsWith(`${twin}/`) &&
          /\/(?:generate|make)\.\w+$/.test(at) &&
          text.includes(file.split('.')[0] ?? file),
      )
      if (!program?.text.includes('--check')) return [`${path} has no generator with --check`]
      const name = program.path.slice(program.path.lastIndexOf('/') + 1)
      const isTested = sources.some(
        ({ path: at, text }) => isForTests(at) && at !== program.path && text.includes(name),
      )
      const beside = sources.find(({ path: at }) => at === path.replace(/[^/]+$/, 'sources.json'))
      const isDated = [program, beside].some((source) => /\b20\d\d-\d\d\b/.test(source?.text ?? ''))
      return [
        ...(isTested ? [] : [`${path}: no test runs ${program.path}`]),
        ...(isDated ? [] : [`${path}: the date of its sources is not in ${program.path} or sources.json`]),
      ]
    })
