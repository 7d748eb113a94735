import type { Header } from 'tar-stream'
import { checkPath, sameFile, textFault } from './paths.ts'

/** Why a bundle is refused. */
export class BadBundle extends Error {
  override readonly name = 'BadBundle'
}

export const maxEntries = 100_000

/**
 * Holds the entries of an archive against the rules, in the order in which they come. Nothing may lie outside of the
 * folder, or come to lie outside through a link, whichever program unpacks it and in whichever order.
 */
export const openManifest = (expandedLimit: number) => {
  const kinds = new Map<string, 'file' | 'folder' | 'link'>()
  const forms = new Map<string, string>()
  const links: { path: string; target: string }[] = []
  let entries = 0
  let bytes = 0

  const enter = (header: Header): void => {
    if (++entries > maxEntries) throw new BadBundle(`The bundle holds more than ${maxEntries} entries.`)
    const checked = checkPath(header.name)
    if ('fault' in checked) throw refused(header.name, checked.fault)
    bytes += header.size
    if (header.size > expandedLimit || bytes > expandedLimit)
      throw new BadBundle(`The bundle expands to more than ${expandedLimit} bytes.`)
    if (header.type === 'directory') folder(checked.path, header.name)
    else if (checked.path === '') throw refused(header.name, 'names the folder itself and is not a folder')
    else if (header.type === 'file' || header.type === 'contiguous-file')
      add(checked.path, 'file', header.name)
    else if (header.type === 'symlink') link(checked.path, header)
    else if (header.type === 'link') hardLink(checked.path, header)
    else
      throw refused(
        header.name,
        `is a ${header.type ?? 'special entry'}; only files, folders and links are taken`,
      )
  }

  const folder = (path: string, name: string) => {
    if (path === '') return
    if (kinds.get(path) === 'folder') return
    add(path, 'folder', name)
  }

  const add = (path: string, kind: 'file' | 'folder' | 'link', name: string) => {
    const other = forms.get(sameFile(path))
    if (other !== undefined)
      throw refused(
        name,
        other === path ? 'comes twice' : `is the same as ${shown(other)} in another spelling`,
      )
    forms.set(sameFile(path), path)
    kinds.set(path, kind)
  }

  const link = (path: string, header: Header) => {
    const target = header.linkname ?? ''
    const fault = textFault(target)
    if (fault) throw refused(header.name, `links to a path that ${fault}`)
    if (target.startsWith('/') && !systemPython.test(target))
      throw refused(header.name, 'links to an absolute path')
    add(path, 'link', header.name)
    if (!target.startsWith('/')) links.push({ path, target })
  }

  const hardLink = (path: string, header: Header) => {
    const target = checkPath(header.linkname ?? '')
    if ('fault' in target) throw refused(header.name, `links to a path that ${target.fault}`)
    if (kinds.get(target.path) !== 'file')
      throw refused(header.name, 'links to a file that is not in the bundle before it')
    add(path, 'file', header.name)
  }

  return {
    enter,
    /** What can be judged only when every entry is known. */
    finish: (): { entries: number; bytes: number } => {
      for (const path of kinds.keys()) checkAncestors(path, kinds)
      for (const one of links) checkTarget(one, kinds)
      if (![...kinds.values()].includes('file')) throw new BadBundle('The bundle holds no file.')
      return { entries, bytes }
    },
  }
}

/** A virtual environment links to the interpreter it was made with; nothing else outside of the bundle is linked to. */
const systemPython = /^\/usr\/(local\/)?bin\/python(\d(\.\d{1,2})?)?$/

type Kinds = ReadonlyMap<string, 'file' | 'folder' | 'link'>

const checkAncestors = (path: string, kinds: Kinds): void => {
  const segments = path.split('/')
  for (let depth = 1; depth < segments.length; depth++) {
    const kind = kinds.get(segments.slice(0, depth).join('/'))
    if (kind === 'link') throw refused(path, 'lies below a link')
    if (kind === 'file') throw refused(path, 'lies below a file')
  }
}

/** Walks a link's target step by step. Through another link a `..` could lead anywhere, so none may be passed. */
const checkTarget = ({ path, target }: { path: string; target: string }, kinds: Kinds): void => {
  const at = path.split('/').slice(0, -1)
  const steps = target.split('/').filter((step) => step !== '' && step !== '.')
  for (const [index, step] of steps.entries()) {
    if (step !== '..') at.push(step.normalize('NFC'))
    else if (at.pop() === undefined) throw refused(path, 'links to a path outside of the bundle')
    if (index < steps.length - 1 && kinds.get(at.join('/')) === 'link')
      throw refused(path, 'links to a path through another link')
  }
}

const shown = (name: string) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
const refused = (name: string, why: string) => new BadBundle(`The entry ${shown(name)} ${why}.`)
