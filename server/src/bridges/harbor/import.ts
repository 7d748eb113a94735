import { basename, dirname } from 'node:path/posix'
import { ApiError } from '../../http/api-error.ts'
import type { ReadSuite, ReadTask, Refusal } from '../imports/read-suite.ts'
import { readArchive } from './archive.ts'
import { type Installed, readForeignFolder } from './foreign-folder.ts'
import { type Files, fixedFiles } from './grader-files.ts'
import { isOwnFolder, readOwnFolder } from './own-folder.ts'
import { readToml } from './toml/read.ts'
import { TomlFault } from './toml/values.ts'

/** Reads a task folder, or a dataset of them, packed as .tar.gz. */
export const readHarbor = async (archive: Uint8Array, installed: Installed): Promise<ReadSuite> => {
  const files = await readArchive(archive)
  const folders = foldersOf(files)
  if (folders.size === 0)
    throw new ApiError(
      'malformed',
      'There is no task.toml in the archive: it is no Harbor task and no dataset.',
    )
  const fixed = await fixedFiles()
  const found: { readonly task: ReadTask; readonly own: OwnFacts }[] = []
  const refused: Refusal[] = []
  for (const [folder, content] of folders) {
    const name = nameOf(folder, content)
    const read = isOwnFolder(content)
      ? readOwnFolder(content, fixed)
      : { ...foreignFacts, ...(await readForeignFolder(content, installed)) }
    if ('refused' in read) refused.push({ name, reason: read.refused })
    else found.push({ task: { ...read.task, name }, own: read })
  }
  // One suite has one policy; a task of another would be graded by a rule that is not its own.
  const [first] = found
  const unasked = first?.own.unasked ?? 'ignore'
  const fitting = found.filter(({ own }) => own.unasked === unasked)
  for (const { task, own } of found)
    if (own.unasked !== unasked)
      refused.push({
        name: task.name,
        reason: `its policy on unasked changes is ${own.unasked}, and that of the tasks before it ${unasked}; import it on its own`,
      })
  return {
    name: first?.own.suite.name ?? 'Harbor tasks',
    description: first?.own.suite.description ?? '',
    unasked,
    tasks: fitting.map(({ task }) => task),
    refused,
  }
}

/** A task in a container changes no world. */
const foreignFacts: OwnFacts = { unasked: 'ignore', suite: { name: 'Harbor tasks', description: '' } }

type OwnFacts = Pick<Exclude<ReturnType<typeof readOwnFolder>, { refused: string }>, 'unasked' | 'suite'>

/** The files of each task, by the folder that holds its task.toml. */
const foldersOf = (files: Files): Map<string, Files> => {
  const roots = [...files.keys()]
    .filter((path) => basename(path) === 'task.toml')
    .map(dirname)
    .sort()
  // A task.toml inside of another task, such as one among its tests, is no task.
  const outer = roots.filter((root) => !roots.some((other) => other !== root && isInside(root, other)))
  return new Map(
    outer.map((root) => [
      root,
      new Map(
        [...files]
          .filter(([path]) => isInside(path, root))
          .map(([path, content]) => [root === '.' ? path : path.slice(root.length + 1), content]),
      ),
    ]),
  )
}

const isInside = (path: string, folder: string): boolean => folder === '.' || path.startsWith(`${folder}/`)

/** As the task calls itself, else as its folder is called. */
const nameOf = (folder: string, files: Files): string => {
  try {
    const { task } = readToml(String(files.get('task.toml') ?? ''))
    if (typeof task === 'object' && !Array.isArray(task) && typeof task.name === 'string') return task.name
  } catch (error) {
    if (!(error instanceof TomlFault)) throw error
  }
  return folder === '.' ? 'task' : folder
}
