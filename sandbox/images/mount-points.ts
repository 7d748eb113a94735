import { posix } from 'node:path'
import type { FileNode, FolderNode, ImageTree } from './image-tree.ts'

/** What jobs get in the place of an image's own: folders, and files that the platform writes. */
export interface MountPoints {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** Folders that some jobs cover: made where the image has nothing, and left as they are where it has something. */
  readonly spare?: readonly string[]
}

const emptyFolder = (): FolderNode => ({ kind: 'folder', children: new Map(), layer: 0 })
const emptyFile = (): FileNode => ({
  kind: 'file',
  isExecutable: false,
  mtime: new Date(0),
  size: 0,
  content: undefined,
  layer: 0,
})

/**
 * Makes the places of an image on which a job's mounts go, and returns where they really are: links on the way are
 * followed within the image here, so that no mount depends on how a runtime follows them. What the image has in such a
 * place is left out, as a mount covers it.
 */
export const addMountPoints = (
  tree: ImageTree,
  { folders, files, spare = [] }: MountPoints,
): ReadonlyMap<string, string> => {
  const place = (path: string, node: FileNode | FolderNode): [string, string] => {
    const { folder, trail } = tree.reach(posix.dirname(path))
    folder.children.set(posix.basename(path), node)
    return [path, `/${[...trail, posix.basename(path)].join('/')}`]
  }
  for (const path of spare) if (!tree.find(path)) place(path, emptyFolder())
  return new Map([
    ...folders.map((path) => place(path, emptyFolder())),
    ...files.map((path) => place(path, emptyFile())),
  ])
}
