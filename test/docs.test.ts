import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { allRoutes, errorCodes, type RouteSpec } from '@diorama/contract'
import { docsPage } from '../server/src/http/reference/docs.ts'
import { openApi } from '../server/src/http/reference/openapi.ts'
import { isTest, readSources, root, type Source } from './sources.ts'

const sources = readSources()
const pages = sources.filter(({ path }) => path.endsWith('.md'))
const codes = Object.keys(errorCodes)

/** Codes that are refused with and are not in the table. */
const unknownCodes = (from: readonly Source[], known: readonly string[]): string[] =>
  from.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnew ApiError\(\s*'(\w+)'/g)]
      .filter(([, code = '']) => !known.includes(code))
      .map(([, code]) => `${path} refuses with ${code}, which is not in the table`),
  )

/** Codes of the table that the server's code never names. */
const unusedCodes = (from: readonly Source[], known: readonly string[]): string[] => {
  const named = new Set(
    from.flatMap(({ text }) => [...text.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word)),
  )
  return known.filter((code) => !named.has(code))
}

/** Links of a page to files that are not there. */
const deadLinks = ({ path, text }: Source, exists: (path: string) => boolean): string[] =>
  [...text.matchAll(/\]\(([^)\s#]+)(#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !exists(posix.join(posix.dirname(path), target)))
    .map((target) => `${path} links to ${target}`)

/** Decisions that share a number, or whose name has none. */
const badNumbers = (paths: readonly string[]): string[] => {
  const numbers = paths.map((path) => /^decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1])
  return paths.filter((_, index) => numbers[index] === undefined || numbers.indexOf(numbers[index]) !== index)
}

describe('the reference', () => {
  const page = docsPage('http://localhost')
  const document = JSON.stringify(openApi('http://localhost', '0'))

  it('shows every route of the table, on the page and in the OpenAPI document', () => {
    for (const [name, route] of Object.entries<RouteSpec>(allRoutes)) {
      assert.ok(page.includes(`id="${name}"`) && page.includes(`<code>${route.path}</code>`), name)
      assert.ok(document.includes(`"operationId":"${name}"`), name)
    }
  })

  it('explains every error code', () => {
    for (const code of codes) assert.ok(page.includes(`<code>${code}</code>`), code)
  })

  it('knows every code that the server refuses with, and no other', () => {
    const server = sources.filter(
      ({ path }) =>
        /^(server\/src|contract)\/.*\.ts$/.test(path) && !isTest(path) && path !== 'contract/errors.ts',
    )
    assert.deepEqual(unknownCodes(server, codes), [])
    assert.deepEqual(unusedCodes(server, codes), [])
  })
})

describe('the documentation', () => {
  it('link only to what is there', () => {
    assert.deepEqual(
      pages.flatMap((page) => deadLinks(page, (path) => existsSync(join(root, path)))),
      [],
    )
  })

  it('are all there', () => {
    const wanted = ['README', 'ARCHITECTURE', 'GLOSSARY', 'CONTRIBUTING', 'CHANGELOG'].map(
      (name) => `${name}.md`,
    )
    assert.deepEqual(
      wanted.filter((path) => !pages.some((page) => page.path === path)),
      [],
    )
  })

  it('number every decision once', () => {
    assert.deepEqual(
      badNumbers(pages.map(({ path }) => path).filter((path) => path.startsWith('decisions/'))),
      [],
    )
  })

  it('name every library that the product depends on', () => {
    const decisions = pages
      .filter(({ path }) => path.startsWith('decisions/'))
      .map(({ text }) => text)
      .join('\n')
    const manifests = sources.filter(({ path }) =>
      /^(contract|twins|sandbox|server|sdk|cli)\/package\.json$/.test(path),
    )
    const libraries = manifests.flatMap(({ text }) => Object.keys(JSON.parse(text).dependencies ?? {}))
    const explained = (name: string) =>
      decisions.includes(name) ||
      decisions.includes(`${name.split('/')[0]}/*`) ||
      name.startsWith('@diorama/')
    assert.deepEqual(
      [...new Set(libraries)].filter((name) => !explained(name)),
      [],
    )
  })

  it('speak only of commands that npm knows', () => {
    const scripts = JSON.parse(sources.find(({ path }) => path === 'package.json')?.text ?? '{}').scripts
    for (const { path, text } of pages)
      for (const [, name = ''] of text.matchAll(/\bnpm run ([\w:-]+)/g))
        assert.ok(name in scripts, `${path}: ${name}`)
  })
})

describe("the README's first request", () => {
  it('works when it is pasted', { timeout: 120_000 }, async () => {
    const readme = pages.find(({ path }) => path === 'README.md')?.text ?? ''
    const pasted = /```sh first-request\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
    assert.match(pasted, /curl/)
    const folder = mkdtempSync(join(tmpdir(), 'diorama-readme-'))
    const service = spawn(process.execPath, [join(root, 'server', 'src', 'main.ts')], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', DIORAMA_EMBEDDINGS: 'off', DIORAMA_LOG: 'warnings' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(service, 'exit')
    try {
      let said = ''
      for await (const text of service.stderr) {
        said += text
        if (/ready at \S+\s/.test(said)) break
      }
      const baseUrl = /ready at (\S+)/.exec(said)?.[1] ?? ''
      assert.match(baseUrl, /^http/, said)
      const { stdout } = await promisify(execFile)(
        'bash',
        ['-euo', 'pipefail', '-c', pasted.replaceAll('http://127.0.0.1:4400', baseUrl)],
        { cwd: folder, env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }, timeout: 60_000 },
      )
      assert.match(stdout, /"ok":true/)
      assert.match(stdout, /Hello, world/)
      assert.match(stdout.slice(stdout.lastIndexOf('Hello, world') - 2_000), /"create"/)
    } finally {
      service.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the check of the documentation', () => {
  const at = (text: string): Source[] => [{ path: 'server/src/x.ts', text }]

  it('finds a code that is not in the table, and one that is not used', () => {
    assert.equal(unknownCodes(at("throw new ApiError('made_up', 'x')"), ['malformed']).length, 1)
    assert.deepEqual(unknownCodes(at("throw new ApiError(\n  'malformed',\n 'x')"), ['malformed']), [])
    assert.deepEqual(unusedCodes(at("new ApiError('malformed', '')"), ['malformed', 'gone']), ['gone'])
  })
  it('finds a link to nowhere', () => {
    const page = {
      path: 'decisions/0001-x.md',
      text: '[a](../there.md) [b](gone.md#part) [c](https://example.com)',
    }
    assert.deepEqual(
      deadLinks(page, (path) => path === 'there.md'),
      ['decisions/0001-x.md links to gone.md'],
    )
  })
  it('finds two decisions with one number, and one without', () => {
    const paths = ['decisions/0001-a.md', 'decisions/0001-b.md', 'decisions/notes.md']
    assert.deepEqual(badNumbers(paths), paths.slice(1))
  })
})
