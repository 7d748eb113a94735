import { lstat } from 'node:fs/promises'
import { posix } from 'node:path'
import { BadImage } from './image.ts'

/** Folders that hold the system itself; a job never changes them, nor what is inside them. */
const system = [
  ...[
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/boot',
    '/proc',
    '/sys',
    '/dev',
    '/etc',
    '/run',
  ],
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/share'],
]
/** Folders of ours that every job has, and those above them. */
const taken = ['/', '/usr', '/home', '/home/agent', '/work', '/inputs', '/tmp', '/opt']
const ours = ['/home/agent', '/work', '/inputs', '/opt/launcher', '/opt/image', '/opt/sandbox']

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Why jobs cannot be given a copy of a folder of their image that they may change. */
export const whyNotWritable = (path: string): string | undefined => {
  if (!path.startsWith('/') || posix.normalize(path) !== path || (path !== '/' && path.endsWith('/')))
    return 'is not a plain full path'
  if (taken.includes(path) || ours.some((folder) => isWithin(path, folder)))
    return 'is a folder that the sandbox has itself, or holds one'
  return system.some((folder) => isWithin(path, folder))
    ? 'is in a folder of the system, which is read-only in the sandbox'
    : undefined
}

/** Throws where a folder is not one of the image, or is reached through a link: a mount could go elsewhere. */
export const requireWritable = async (root: string, folders: readonly string[]): Promise<void> => {
  for (const folder of folders) {
    const why = whyNotWritable(folder)
    if (why !== undefined) throw new BadImage(`${folder} ${why}.`)
    let at = root
    for (const part of folder.slice(1).split('/')) {
      at = `${at}/${part}`
      const found = await lstat(at).catch(() => undefined)
      if (!found?.isDirectory()) throw new BadImage(`The image has no folder ${folder}.`)
    }
  }
}
