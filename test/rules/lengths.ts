import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCode, isTest, root, type Source } from '../sources.ts'

const maxFileLines = 400
const maxFunctionLines = 70

/** Tables of data: long because there is much of it, and not because much happens. */
const tables = [
  // Generated from the contract.
  /^python\/diorama\/api\//,
  /^twins\/\w+\/(coverage|catalogue)\.ts$/,
  /\/data\//,
  /^server\/src\/storage\/schema\.ts$/,
]

export const longFiles = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => isCode(source) && !tables.some((table) => table.test(source.path)))
    .map(({ path, text }) => ({ path, lines: text.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > maxFileLines)
    .map(({ path, lines }) => `${path} has ${lines} lines; the most is ${maxFileLines}`)

interface Span {
  readonly path: string
  readonly from: number
  readonly to: number
}

/**
 * A function's lines are those from its first to its last, less those of the functions written inside it: a store
 * that is one function around ten is held to the limit ten times, and once for what stands between them.
 */
export const longFunctions = (spans: readonly Span[]): string[] =>
  [...Map.groupBy(spans, ({ path }) => path).values()].flatMap((inFile) =>
    inFile
      .map((span) => ({ span, lines: ownLines(span, inFile) }))
      .filter(({ span, lines }) => lines > maxFunctionLines && !isTest(span.path))
      .map(
        ({ span, lines }) =>
          `${span.path}:${span.from} is a function of ${lines} lines; the most is ${maxFunctionLines}`,
      ),
  )

const ownLines = (span: Span, inFile: readonly Span[]): number => {
  const inner = inFile.filter((other) => other !== span && contains(span, other))
  const outermost = inner.filter((one) => !inner.some((other) => other !== one && contains(other, one)))
  return span.to - span.from + 1 - outermost.reduce((sum, { from, to }) => sum + to - from, 0)
}

const contains = (outer: Span, inner: Span) => outer.from <= inner.from && outer.to >= inner.to

/** The linter knows where functions begin and end: asked for those of more than one line, it names them all. */
const linterConfig = {
  root: true,
  formatter: { enabled: false },
  assist: { enabled: false },
  linter: {
    rules: {
      preset: 'none',
      complexity: { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 1 } } },
    },
  },
}

/** Where the functions of these files and folders begin and end, each as a path from `from`. */
export const functionsIn = (paths: readonly string[], from = root): Span[] => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-lengths-'))
  try {
    const config = join(folder, 'biome.json')
    writeFileSync(config, JSON.stringify(linterConfig))
    const options = ['lint', `--config-path=${config}`, '--reporter=github', '--max-diagnostics=none']
    const ran = spawnSync(join(root, 'node_modules', '.bin', 'biome'), [...options, ...paths], {
      cwd: from,
      encoding: 'utf8',
      maxBuffer: 256 * 1_048_576,
    })
    if (ran.error) throw ran.error
    return readSpans(ran.stdout + ran.stderr, from)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const readSpans = (report: string, from: string): Span[] =>
  [...report.matchAll(/noExcessiveLinesPerFunction,file=([^,]*),line=(\d+),endLine=(\d+)/g)].map((found) => ({
    path: (found[1] ?? '').replace(from, ''),
    from: Number(found[2]),
    to: Number(found[3]),
  }))
