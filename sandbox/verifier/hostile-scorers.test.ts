import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSandbox } from '../open.ts'
import type { Sandbox } from '../sandbox.ts'
import { survivors } from '../testing/conformance.ts'
import { openVerifier, type ScorerRun, type ScorerVerdict, type Verifier } from './scorer.ts'

const here = mkdtempSync(join(tmpdir(), 'hostile-scorers-'))
const hostSecret = 'the-secret-of-the-host'
let sandbox: Sandbox
let verifier: Verifier

before(async () => {
  process.env.HOSTILE_TEST_SECRET = hostSecret
  writeFileSync(join(here, 'secret'), hostSecret, { mode: 0o644 })
  const opened = await openSandbox({
    choice: 'bubblewrap',
    stateDir: here,
    searchPath: process.env.PATH ?? '',
  })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  sandbox = opened.sandbox
  verifier = openVerifier(sandbox)
})

after(async () => {
  await sandbox[Symbol.asyncDispose]()
  rmSync(here, { recursive: true })
})

const score = (language: ScorerRun['language'], code: string, wallMs = 30_000): Promise<ScorerVerdict> => {
  return verifier.runScorer({
    language,
    code,
    input: 'instruction',
    output: 'answer',
    expected: null,
    metadata: {},
    limits: { wallMs, memoryBytes: 128 * 2 ** 20, outputBytes: 20_000, workBytes: 10 * 2 ** 20 },
  })
}

const python = (body: string) =>
  `import os, sys\ndef handler(input, output, expected, metadata):\n  ${body.split('\n').join('\n  ')}\n`
const typescript = (body: string) =>
  `export async function handler(input: string): Promise<unknown> { ${body} }`

/** Each ends with a null score and an error that says what happened. */
const cases: readonly (readonly [
  name: string,
  language: ScorerRun['language'],
  code: string,
  error: RegExp,
])[] = [
  ['loops', 'python', python('while True: pass'), /longer than 3 seconds/],
  ['loops', 'typescript', typescript('for (;;) {}'), /longer than 3 seconds/],
  [
    'waits indefinitely',
    'typescript',
    typescript('await new Promise(() => setInterval(() => {}, 1000))'),
    /longer than 3 seconds/,
  ],
  [
    'waits for nothing',
    'typescript',
    typescript('await new Promise(() => {})'),
    /ended its process|before it gave a score/,
  ],
  ['sleeps', 'python', python('import time; time.sleep(100)'), /longer than 3 seconds/],
  ['forks without end', 'python', python('while True:\n  os.fork()'), /BlockingIOError|longer than|memory/],
  ['fills memory', 'python', python('x = []\nwhile True: x.append(bytearray(10**7))'), /memory/],
  [
    'fills memory',
    'typescript',
    typescript('const x = []; for (;;) x.push(new Array(1e6).fill(1.5))'),
    /memory/,
  ],
  [
    'fills its disk',
    'python',
    python('f = open("/tmp/x", "wb")\nwhile True: f.write(bytes(10**6))'),
    /OSError.*(No space|too large)/,
  ],
  [
    'makes files without number',
    'python',
    python('n = 0\nwhile True:\n  n += 1; open("/tmp/%d" % n, "w").close()'),
    /more than \d+ files|OSError/,
  ],
  ['prints a gibibyte', 'python', python('while True: print("x" * 10000)'), /printed far more/],
  [
    'prints a gibibyte',
    'typescript',
    typescript('for (;;) console.log("x".repeat(10000))'),
    /printed far more|memory|longer than/,
  ],
  ['reads /etc/shadow', 'python', python('return len(open("/etc/shadow").read())'), /FileNotFoundError/],
  [
    'reads a file of the host',
    'python',
    python(`return len(open("${here}/secret").read())`),
    /FileNotFoundError/,
  ],
  ['reads the environment', 'python', python('return len(os.environ["HOSTILE_TEST_SECRET"])'), /KeyError/],
  [
    'reads other processes',
    'python',
    python(
      'return len(open("/proc/%d/environ" % os.getppid()).read()) and [p for p in os.listdir("/proc") if p.isdigit() and int(p) > 50][0]',
    ),
    /IndexError|PermissionError/,
  ],
  [
    'connects to an address',
    'python',
    python('import socket; socket.create_connection(("1.1.1.1", 443), 2)'),
    /OSError|unreachable/,
  ],
  [
    'connects to a name',
    'typescript',
    typescript('await fetch("https://example.com"); return 1'),
    /fetch failed/,
  ],
  [
    'writes outside its scratch folder',
    'python',
    python('open("/inputs/world.json", "w")'),
    /OSError|PermissionError/,
  ],
  [
    'writes into the runner',
    'python',
    python('open("/opt/sandbox/runner.py", "a")'),
    /OSError|PermissionError/,
  ],
  [
    'writes into its own code',
    'typescript',
    'import { writeFileSync } from "node:fs"; export const handler = () => writeFileSync("/inputs/call.json", "")',
    /EROFS|EACCES|EPERM/,
  ],
  ['returns NaN', 'python', python('return float("nan")'), /not JSON.*float/],
  ['returns NaN', 'typescript', typescript('return { score: NaN }'), /NaN/],
  ['returns infinity', 'python', python('return {"score": float("inf")}'), /not JSON/],
  ['returns a negative score', 'python', python('return -0.5'), /-0\.5 is outside 0 to 1/],
  ['returns 2', 'typescript', typescript('return 2'), /2 is outside 0 to 1/],
  ['returns a number too large for a float', 'python', python('return 10**400'), /outside|must be a number/],
  ['returns nothing', 'python', python('pass'), /returned nothing/],
  ['returns nothing', 'typescript', typescript(''), /returned nothing/],
  ['returns a word', 'python', python('return "1.0"'), /must be a number from 0 to 1, not "1\.0"/],
  ['returns an object without a score', 'typescript', typescript('return { points: 1 }'), /no field "score"/],
  ['returns a cycle', 'python', python('x = {"score": 1}; x["x"] = x; return x'), /not JSON.*Circular/],
  [
    'returns a cycle',
    'typescript',
    typescript('const x: any = { score: 1 }; x.x = x; return x'),
    /not JSON.*circular/,
  ],
  ['returns a bigint', 'typescript', typescript('return 1n'), /not JSON.*bigint/],
  ['exits politely', 'python', python('sys.exit(0)'), /tried to exit/],
  ['exits at once', 'python', python('os._exit(0)'), /exit code 0 before it gave a score/],
  ['exits', 'typescript', typescript('process.exit(0)'), /ended its process with 0/],
  ['kills itself', 'python', python('os.kill(os.getpid(), 9)'), /SIGKILL before it gave a score/],
  ['kills every other process and finds none', 'python', python('os.kill(-1, 9)'), /ProcessLookupError/],
  ['throws', 'typescript', typescript('throw new TypeError("bad input")'), /TypeError: bad input/],
  ['throws no error', 'typescript', typescript('throw "just words"'), /just words/],
  [
    'throws later',
    'typescript',
    typescript(
      'setTimeout(() => { throw new Error("late") }); await new Promise((r) => setTimeout(r, 500)); return 1',
    ),
    /late/,
  ],
  ['recurses without end', 'python', 'def handler(*a): return handler(*a)', /recursed too deeply/],
  [
    'recurses without end',
    'typescript',
    'export function handler(): number { return handler() + 1 }',
    /RangeError/,
  ],
  ['is not Python', 'python', 'def handler(:', /SyntaxError.*line 1/],
  [
    'is not TypeScript',
    'typescript',
    'export function handler(: {',
    /SyntaxError|Expression expected|Expected/i,
  ],
  ['has no handler', 'python', 'x = 1', /no function named handler/],
  ['has no handler', 'typescript', 'export const other = 1', /no function named handler/],
]

describe('A scorer that', { concurrency: 3 }, () => {
  for (const [name, language, code, error] of cases) {
    test(`${name} (${language}) gives a null score and says why`, async () => {
      // Those that never end get little time; the others end on their own, however busy the machine is.
      const wallMs = error.source.includes('longer than') ? 3_000 : 30_000
      const verdict = await score(language, code, wallMs)
      assert.equal(verdict.score, null)
      assert.match(verdict.error ?? '', error)
      assert.doesNotMatch(verdict.printed, new RegExp(hostSecret))
      assert.ok(verdict.printed.length < 21_000)
    })
  }

  test('leaves children behind is graded, and the children end with it', async () => {
    const mark = `scorerchild${process.pid}`
    const verdict = await score(
      'python',
      python(`import subprocess; subprocess.Popen(["sh", "-c", "sleep 300; : ${mark}"]); return 1`),
    )
    assert.equal(verdict.score, 1)
    assert.deepEqual(survivors(mark), [])
  })

  test('grades text which tries to speak for it is not fooled', async () => {
    const text = '{"value": 1}\n\u0000"""\nimport os; os.write(3, b\'{"value":1}\')'
    const verdict = await verifier.runScorer({
      language: 'python',
      code: python('print(output); return 0'),
      input: '',
      output: text,
      expected: null,
      metadata: {},
    })
    assert.deepEqual([verdict.score, verdict.error], [0, null])
    assert.match(verdict.printed, /"value": 1/)
  })

  test('gives its channel to a child finds it closed there', async () => {
    const verdict = await score(
      'python',
      python(
        'import subprocess; subprocess.run(["sh", "-c", "for f in 3 4 5 6 7; do echo forged >&$f; done"]); return 0',
      ),
    )
    assert.deepEqual([verdict.score, verdict.error], [0, null])
  })

  test('sends other code for the cache is run as it was written the next time', async () => {
    const code = typescript(
      "const { writeSync } = await import('node:fs'); writeSync(3, JSON.stringify({ stripped: 'export const handler = () => 1' }) + '\\n'); return 0.25",
    )
    for (let run = 0; run < 3; run++) assert.equal((await score('typescript', code)).score, 0.25)
  })
})
