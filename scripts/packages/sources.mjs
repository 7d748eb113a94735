// Which files a package has, and how their imports read in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { manifestOf, root, scope } from './table.mjs'

const passedOver = new Set(['node_modules', 'dist', 'view', 'compiled', '__pycache__'])
export const isForTests = (path) =>
  /\.test\.tsx?$/.test(path) || /(^|\/)(testing|crash|golden)\b[^/]*(\/|\.\w+$)/.test(path)
const isPublic = (path) => !/(^|\/)(package\.json|tsconfig\.json|generate\.\w+|.*\.d\.mts)$/.test(path)

export const filesUnder = (folder) => {
  if (!existsSync(join(root, folder))) throw new Error(`${folder} is not there; is the console built?`)
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : filesUnder(path)
    return entry.isFile() ? [path] : []
  })
}

/** Nested workspaces are separate packages, and are named where a package has them. */
const ownFiles = (folder, folders) =>
  filesUnder(folder).filter((path) => {
    const nearest = folders.filter((one) => path.startsWith(`${one}/`)).sort((a, b) => b.length - a.length)[0]
    return folder === nearest
  })

const workspaces = () =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces.map((folder) => ({
    folder,
    name: manifestOf(folder).name,
    exports: manifestOf(folder).exports ?? {},
  }))

/** The file that `@diorama/contract/twins` means, from the root. */
export const ourFile = (specifier) => {
  const found = workspaces().find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (!found) return undefined
  const rest = specifier.slice(found.name.length + 1)
  const exact = found.exports[rest === '' ? '.' : `./${rest}`]
  return posix.join(found.folder, exact ?? (/\.m?[jt]s$/.test(rest) ? rest : `${rest}.ts`))
}

const importPattern = /(?:from|import)\s*\(?\s*(["'])((?:\.{1,2}\/|@diorama\/)[^"'\n]+)\1/g

const importsOf = (path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(importPattern)].flatMap(([, , specifier]) => {
    const target = specifier.startsWith('@')
      ? ourFile(specifier)
      : posix.join(dirname(path).split(sep).join('/'), specifier)
    return target && existsSync(join(root, target)) ? [target] : []
  })

/** The files that these import, directly or not, and they themselves. */
export const reachable = (entries) => {
  const found = new Set(entries)
  for (const path of found) if (/\.m?ts$|\.mjs$/.test(path)) for (const one of importsOf(path)) found.add(one)
  return [...found]
}

/** Every file of a package, by its path from the root. */
export const filesOf = ({ from, entries }) => {
  const folders = workspaces().map(({ folder }) => folder)
  const files = entries ? reachable(entries) : from.flatMap((folder) => ownFiles(folder, folders))
  return files.filter((path) => !isForTests(path) && isPublic(path) && !path.endsWith('.md'))
}

/** Imports of our own files by their path in the package, of other packages by their published name. */
export const rewriteImports = (text, path, has) => {
  const named = text.replaceAll(/(["'])(@diorama\/[^"'\n]+)\1/g, (whole, quote, specifier) => {
    const target = ourFile(specifier)
    if (target === undefined) return whole
    if (!has(target)) return `${quote}${specifier.replace('@diorama', scope)}${quote}`
    const place = relative(dirname(path), target).split(sep).join('/')
    return `${quote}${place.startsWith('.') ? place : `./${place}`}${quote}`
  })
  return named.replaceAll(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, '$1$2.js$1')
}
