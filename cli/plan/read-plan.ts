import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { Complaint, unreadable } from '../failure.ts'
import { type Fault, faultsOf, type Path } from './faults.ts'
import { EvaluationFile, type PlannedTask, SuiteFile } from './schema.ts'

/**
 * Reads an evaluation file; what is wrong with it, and with the files that it names, is reported with its line and
 * field, all of it at once.
 */
export const readPlan = async (path: string, shownAs: string): Promise<EvaluationFile> => {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(
      shownAs,
      cause,
      cause.code === 'ENOENT' ? ' Create a starter file with `diorama run --init`.' : '',
    )
  })
  const folder = dirname(path)
  return parseYaml(text, shownAs, EvaluationFile, (file) => [
    ...relations(file),
    ...missingFiles(file, folder),
  ])
}

export const parsePlan = (text: string, shownAs: string): EvaluationFile =>
  parseYaml(text, shownAs, EvaluationFile, relations)

export const parseSuite = (text: string, shownAs: string): SuiteFile =>
  parseYaml(text, shownAs, SuiteFile, ({ tasks }) => scorerFaults(tasks))

const parseYaml = <Schema extends z.ZodType>(
  text: string,
  shownAs: string,
  schema: Schema,
  relationsOf: (file: z.infer<Schema>) => Fault[],
): z.infer<Schema> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${shownAs}:${lines.linePos(offset).line}`
  if (document.errors.length > 0)
    throw new Complaint(document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`).join('\n'))
  /** The nearest place in the file that a path leads to: a missing field has none. */
  const placeOf = (wanted: Path): string => {
    for (let length = wanted.length; length > 0; length -= 1) {
      const node = document.getIn(wanted.slice(0, length), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return at(0)
  }
  const parsed = schema.safeParse(document.toJS())
  const faults = parsed.success
    ? relationsOf(parsed.data)
    : parsed.error.issues.flatMap((issue) => faultsOf(issue as z.core.$ZodIssue, schema))
  if (faults.length > 0 || !parsed.success)
    throw new Complaint(
      faults.map(({ path, message }) => `${placeOf(path)}: ${fieldName(path)} ${message}`).join('\n'),
    )
  return parsed.data
}

/** `agents[0].run`, as people write it. */
const fieldName = (path: Path): string =>
  path.length === 0
    ? 'the file'
    : path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
        .join('')
        .slice(1)

/** What the fields need of each other. */
const relations = (file: EvaluationFile): Fault[] => {
  const faults: Fault[] = []
  const fault = (path: Path, message: string) => faults.push({ path, message })
  const { world, suite, tasks, agents } = file
  if ((world === undefined) === (suite === undefined)) fault([], 'needs either world or suite')
  if (world && (world.sample === undefined) === (world.blueprint === undefined))
    fault(['world'], 'needs either sample or blueprint')
  if (tasks && suite !== undefined) fault(['tasks'], 'cannot be given together with suite')
  agents.forEach((agent, n) => {
    if ((agent.folder === undefined) === (agent.reference === undefined))
      fault(['agents', n], 'needs either folder or reference')
    if (agent.folder !== undefined && agent.run === undefined)
      fault(['agents', n, 'run'], 'is needed with folder')
  })
  if (agents.filter(({ baseline }) => baseline).length > 1) fault(['agents'], 'can have one baseline')
  return [...faults, ...scorerFaults(tasks ?? [])]
}

/** Names of files and folders that are not there: found before anything is started for the evaluation. */
const missingFiles = ({ world, tasks, agents }: EvaluationFile, folder: string): Fault[] => {
  const named: [Path, string | undefined, 'file' | 'folder'][] = [
    [['world', 'blueprint'], world?.blueprint, 'file'],
    ...agents.map((agent, n): [Path, string | undefined, 'folder'] => [
      ['agents', n, 'folder'],
      agent.folder,
      'folder',
    ]),
    ...(tasks ?? []).flatMap(({ scorers }, task) =>
      scorers.map(({ file }, n): [Path, string | undefined, 'file'] => [
        ['tasks', task, 'scorers', n, 'file'],
        file,
        'file',
      ]),
    ),
  ]
  return named.flatMap(([path, name, kind]) => {
    if (name === undefined) return []
    const found = statSync(resolve(folder, name), { throwIfNoEntry: false })
    if (!found) return [{ path, message: `names ${name}, which does not exist` }]
    return found.isDirectory() === (kind === 'folder')
      ? []
      : [{ path, message: `names ${name}, which is not a ${kind}` }]
  })
}

const scorerFaults = (tasks: readonly PlannedTask[]): Fault[] => {
  const faults: Fault[] = []
  const fault = (path: Path, message: string) => faults.push({ path, message })
  tasks.forEach(({ scorers }, task) => {
    scorers.forEach((scorer, n) => {
      const given = [scorer.file, scorer.code, scorer.prompt].filter((one) => one !== undefined)
      const place = ['tasks', task, 'scorers', n]
      if (given.length !== 1) fault(place, 'needs one of file, code and prompt')
      if (scorer.code !== undefined && scorer.language === undefined)
        fault([...place, 'language'], 'is needed with code')
      if (scorer.file !== undefined && !/\.(py|ts)$/.test(scorer.file))
        fault([...place, 'file'], 'must end in .py or .ts')
    })
  })
  return faults
}
