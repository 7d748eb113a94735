import { existsSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

/**
 * Makes a copy of the client's own tests that Node runs as they are: types are taken out, imports get the endings that
 * Node wants, and what another test runner gives as globals comes from `runner.mjs`. Nothing that a test asks for is
 * changed.
 */
export const prepareSuite = async (checkout: string, into: string): Promise<void> => {
  await cp(join(checkout, 'test'), into, { recursive: true })
  await cp(join(import.meta.dirname, 'runner.mjs'), join(into, 'runner.mjs'))
  for (const entry of await readdir(into, { recursive: true })) {
    if (!entry.endsWith('.ts')) continue
    const file = join(into, entry)
    const plain = stripTypeScriptTypes(await readFile(file, 'utf8'), { mode: 'transform' })
    const runner = `./${relative(dirname(file), join(into, 'runner.mjs'))}`
    const head = `import { load as $package } from '${runner}'\nconst [require, __dirname] = [$package, import.meta.dirname]\n`
    await writeFile(file.replace(/\.ts$/, '.mjs'), head + rewire(plain, dirname(file)))
  }
}

const statement = /^import\s+(?:([\w$]+)|\{([^}]*)\}|\*\s+as\s+([\w$]+))\s+from\s+'([^']+)';?$/gm

/** Names may be those of types, which are gone: they are taken from the whole module instead of being linked. */
const rewire = (text: string, folder: string): string => {
  let count = 0
  return text.replace(statement, (_all, whole, names, star, source: string) => {
    const module = `$module${count++}`
    const [load, value] = source.startsWith('.')
      ? [`import * as ${module} from '${endingOf(source, folder)}'`, module]
      : [`const ${module} = $package('${source}')`, module]
    if (star) return `${load}\nconst ${star} = ${value}`
    if (whole) return `${load}\nconst ${whole} = ${value}.default ?? ${value}`
    return `${load}\nconst { ${String(names).replaceAll(/\s+as\s+/g, ': ')} } = ${value}`
  })
}

const endingOf = (source: string, folder: string): string =>
  existsSync(join(folder, `${source}.ts`)) ? `${source}.mjs` : `${source}/index.mjs`
