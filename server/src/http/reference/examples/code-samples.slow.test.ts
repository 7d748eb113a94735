import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { allRoutes } from '@diorama/contract'
import { type CodeSample, codeSamples } from './code-samples.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const names = Object.keys(allRoutes)
const sourceOf = (name: string, lang: CodeSample['lang']): string =>
  codeSamples(name, 'http://localhost:4400').find((sample) => sample.lang === lang)?.source ?? ''

/** Binds the arguments of every call of the client to the method's own parameters. */
const bindCalls = `
import ast, inspect, json, sys
from diorama import Diorama
client = Diorama("http://localhost:4400")
faults = []
for name, source in json.load(sys.stdin).items():
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("client.")
    ]
    if len(calls) != 1:
        faults.append(f"{name} has {len(calls)} calls")
        continue
    method = eval(ast.unparse(calls[0].func))
    try:
        inspect.signature(method).bind(*calls[0].args, **{k.arg: k.value for k in calls[0].keywords})
    except TypeError as fault:
        faults.append(f"{name}: {fault}")
print(json.dumps(faults))
`

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'diorama-samples-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the examples of the reference', () => {
  it('compile against the TypeScript client', async () => {
    mkdirSync(join(folder, 'samples'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    for (const name of names)
      writeFileSync(join(folder, 'samples', `${name}.ts`), `${sourceOf(name, 'typescript')}\n`)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          noEmit: true,
          // Examples read the environment as people write it.
          noPropertyAccessFromIndexSignature: false,
          typeRoots: [join(root, 'node_modules/@types')],
          paths: { '@diorama-dev/sdk': [join(root, 'sdk/index.ts')] },
        },
        include: [join(folder, 'samples')],
      }),
    )
    const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
    const faults = await run(process.execPath, [join(compiler, '../bin/tsc'), '-p', folder]).then(
      () => '',
      ({ stdout, message }) => String(stdout || message),
    )
    assert.equal(faults, '')
  })

  it('call methods of the Python client with parameters that they have', () => {
    const sources = Object.fromEntries(names.map((name) => [name, sourceOf(name, 'python')]))
    const { stdout, stderr } = spawnSync('python3', ['-c', bindCalls], {
      input: JSON.stringify(sources),
      env: { PATH: process.env.PATH, PYTHONPATH: join(root, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    })
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [])
  })

  it('are words that a shell can read', () => {
    const script = names.map((name) => sourceOf(name, 'curl')).join('\n\n')
    const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })
})
